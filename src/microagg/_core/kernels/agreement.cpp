// Which attributes of an original and a released record agree: counted over all pairs, and ranked.
//
//   for a few originals at a time, for a few releases at a time: the pattern of each pair, one column after the other
#include "kernels/agreement.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

#include "kernels/in_parallel.h"
#include "kernels/multiversion.h"

namespace microagg {
namespace {

constexpr std::size_t kOriginals = 64;
constexpr std::size_t kReleases = 1024;

MICROAGG_MULTIVERSION
void add_agreement(const double* column, std::size_t n, double value, double reach, std::uint32_t bit,
                   std::uint32_t* patterns) {
    for (std::size_t r = 0; r < n; ++r) {
        patterns[r] |= std::fabs(value - column[r]) <= reach ? bit : 0U;
    }
}

// Calls visit(first, n, patterns) for each run of releases.
template <class Visit>
void each_run(const double* record, const Releases& released, std::uint32_t* patterns, const Visit& visit) {
    const std::size_t n = released.columns.m;
    for (std::size_t first = 0; first < n; first += kReleases) {
        const std::size_t count = std::min(kReleases, n - first);
        std::fill(patterns, patterns + count, 0U);
        for (std::size_t j = 0; j < released.columns.n; ++j) {
            add_agreement(released.columns[j] + first, count, record[j], released.reach[j], 1U << j, patterns);
        }
        visit(first, count, patterns);
    }
}

template <class MakeWorker>
void in_blocks(std::size_t n, std::size_t threads, const Progress& progress, const MakeWorker& make_worker) {
    const std::size_t blocks = (n + kOriginals - 1) / kOriginals;
    in_parallel(blocks, threads, make_worker,
                [&](std::size_t block) { progress(static_cast<double>(block) / static_cast<double>(blocks)); });
}

}  // namespace

void count_patterns(Records original, const Releases& released, std::size_t threads, const Progress& progress,
                    std::int64_t* totals) {
    const std::size_t n_patterns = std::size_t{1} << original.m;
    std::mutex adding;
    const auto make_worker = [&] {
        return [&, patterns = std::vector<std::uint32_t>(kReleases),
                own = std::vector<std::int64_t>(n_patterns)](std::size_t block) mutable {
            std::fill(own.begin(), own.end(), 0);
            for (std::size_t i = block * kOriginals; i < std::min(original.n, (block + 1) * kOriginals); ++i) {
                each_run(original[i], released, patterns.data(),
                         [&](std::size_t first, std::size_t count, const std::uint32_t* found) {
                             for (std::size_t r = 0; r < count; ++r) own[found[r]] += released.counts[first + r];
                         });
            }
            const std::lock_guard<std::mutex> guard(adding);
            for (std::size_t p = 0; p < n_patterns; ++p) totals[p] += own[p];
        };
    };
    in_blocks(original.n, threads, progress, make_worker);
}

void link_by_patterns(Records original, const Releases& released, const std::int64_t* classes,
                      const std::int64_t* ranks, std::size_t threads, const Progress& progress, std::int64_t* ties) {
    const auto make_worker = [&] {
        return [&, patterns = std::vector<std::uint32_t>(kReleases)](std::size_t block) mutable {
            for (std::size_t i = block * kOriginals; i < std::min(original.n, (block + 1) * kOriginals); ++i) {
                const auto own = static_cast<std::size_t>(classes[i]);
                std::size_t pattern = 0;
                for (std::size_t j = 0; j < original.m; ++j) {
                    const bool agrees = std::fabs(original[i][j] - released.columns[j][own]) <= released.reach[j];
                    pattern |= static_cast<std::size_t>(agrees) << j;
                }
                const std::int64_t rank = ranks[pattern];
                std::int64_t as_good = 0;
                bool beaten = false;
                each_run(original[i], released, patterns.data(),
                         [&](std::size_t first, std::size_t count, const std::uint32_t* found) {
                             if (beaten) return;
                             for (std::size_t r = 0; r < count; ++r) {
                                 beaten = beaten || ranks[found[r]] > rank;
                                 as_good += ranks[found[r]] == rank ? released.counts[first + r] : 0;
                             }
                         });
                ties[i] = beaten ? 0 : as_good;
            }
        };
    };
    in_blocks(original.n, threads, progress, make_worker);
}

}  // namespace microagg
