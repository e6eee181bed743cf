// Which attributes of an original and a released record agree: counted over all pairs, and ranked.
//
//   for a few originals at a time, for a few releases at a time: the pattern of each pair, one column after the other
#include "kernels/risk/link_by_patterns.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/base/multiversion.h"
#include "kernels/base/pool.h"

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

}  // namespace

void count_patterns(Records original, const Releases& released, std::size_t threads, const Progress& progress,
                    std::int64_t* totals) {
    std::vector<std::vector<std::uint32_t>> patterns(threads, std::vector<std::uint32_t>(kReleases));
    std::vector<std::vector<std::int64_t>> sums(threads, std::vector<std::int64_t>(std::size_t{1} << original.m));
    in_parallel(original.n, kOriginals, threads, progress, [&](std::size_t i, std::size_t thread) {
        std::vector<std::int64_t>& own = sums[thread];
        each_run(original[i], released, patterns[thread].data(),
                 [&](std::size_t first, std::size_t count, const std::uint32_t* found) {
                     for (std::size_t r = 0; r < count; ++r) own[found[r]] += released.counts[first + r];
                 });
    });
    for (const std::vector<std::int64_t>& own : sums)
        for (std::size_t p = 0; p < own.size(); ++p) totals[p] += own[p];
}

void link_by_patterns(Records original, const Releases& released, const std::int64_t* classes,
                      const std::int64_t* ranks, std::size_t threads, const Progress& progress, std::int64_t* ties) {
    std::vector<std::vector<std::uint32_t>> patterns(threads, std::vector<std::uint32_t>(kReleases));
    in_parallel(original.n, kOriginals, threads, progress, [&](std::size_t i, std::size_t thread) {
        const auto own = static_cast<std::size_t>(classes[i]);
        std::size_t pattern = 0;
        for (std::size_t j = 0; j < original.m; ++j) {
            const bool agrees = std::fabs(original[i][j] - released.columns[j][own]) <= released.reach[j];
            pattern |= static_cast<std::size_t>(agrees) << j;
        }
        const std::int64_t rank = ranks[pattern];
        std::int64_t as_good = 0;
        bool beaten = false;
        each_run(original[i], released, patterns[thread].data(),
                 [&](std::size_t first, std::size_t count, const std::uint32_t* found) {
                     if (beaten) return;
                     for (std::size_t r = 0; r < count; ++r) {
                         beaten = beaten || ranks[found[r]] > rank;
                         as_good += ranks[found[r]] == rank ? released.counts[first + r] : 0;
                     }
                 });
        ties[i] = beaten ? 0 : as_good;
    });
}

}  // namespace microagg
