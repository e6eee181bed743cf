// What every record pays at least, from its nearest neighbours, raised by moving costs within pairs.
//
// A group S of s records costs 1/s * sum over pairs of d^2. Split each pair's d^2 into v_ij + v_ji in any way; then
// i pays 1/s * (sum over its partners j of v_ij), which is at least
//
//   price_i = min over s = k..2k-1 of 1/s * (the s-1 least v_ij)           (groups of 2k or more can be split)
//
// and the sum of the prices bounds every partition from below. It starts from equal halves, and then
//
//   each round:  every record chooses its cheapest partners, x_ij = 1/s where i chose j, else 0
//                v_ij += step * (x_ij - x_ji),  v_ji -= the same           where i wants j more than j wants i
//
// a supergradient step of the bound, shorter after rounds that brought nothing; the best prices are kept. Only the
// lists of nearest neighbours are stored: whoever is not on i's list is at least as far as the last one on it, and
// pairs that are not on both lists keep their halves.
#include "kernels/bounds/nearest_bound.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "kernels/base/constants.h"
#include "kernels/base/pool.h"
#include "kernels/neighbours/nearest_neighbours.h"

namespace microagg {
namespace {

constexpr std::size_t kBlock = 1024;

class Ascent {
  public:
    Ascent(Records records, std::size_t least_size, std::size_t neighbours, std::size_t n_threads,
           const Progress& progress)
        : X(records), k(least_size), pool(n_threads), n_blocks((X.n + kBlock - 1) / kBlock) {
        lists = nearest_neighbours(X, neighbours, n_threads, progress);
        const std::size_t count = lists.count;
        values.resize(X.n * count);
        mirror.resize(X.n * count);
        chosen.resize(X.n * count);
        rate.resize(X.n);
        over_blocks([&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                for (std::size_t p = 0; p < count; ++p) {
                    const std::size_t j = lists.of(i)[p];
                    values[i * count + p] = 0.5 * squared_distance(X[i], X[j], X.m);
                    const std::uint32_t* back = std::find(lists.of(j), lists.of(j) + count, i);
                    const auto position = static_cast<std::uint32_t>(back - lists.of(j));
                    mirror[i * count + p] = position < count ? position : kNobody;
                }
            }
        });
        beyond.resize(X.n);
        for (std::size_t i = 0; i < X.n; ++i) beyond[i] = count + 1 < X.n ? values[i * count + count - 1] : kInfinity;
    }

    // Every record chooses; gives the bound.
    double choose(double* prices) {
        over_blocks([&](std::size_t begin, std::size_t end) {
            std::vector<std::pair<double, std::uint32_t>> ranked;
            for (std::size_t i = begin; i < end; ++i) prices[i] = choose_of(i, ranked);
        });
        double bound = 0.0;
        for (std::size_t i = 0; i < X.n; ++i) bound += prices[i];
        return bound;
    }

    // The squared length of the supergradient.
    double disagreement() {
        std::vector<double> parts(n_blocks, 0.0);
        over_blocks([&](std::size_t begin, std::size_t end) {
            double sum = 0.0;
            each_pair(begin, end, [&](double gap, std::size_t, std::size_t) { sum += gap * gap; });
            parts[begin / kBlock] = sum;
        });
        double sum = 0.0;
        for (const double part : parts) sum += part;
        return sum;
    }

    void move(double step) {
        over_blocks([&](std::size_t begin, std::size_t end) {
            each_pair(begin, end, [&](double gap, std::size_t here, std::size_t there) {
                values[here] += step * gap;
                values[there] -= step * gap;
            });
        });
    }

  private:
    template <class Body>
    void over_blocks(const Body& body) {
        pool.run(n_blocks, [&](std::size_t b, std::size_t) { body(b * kBlock, std::min(X.n, (b + 1) * kBlock)); });
    }

    // Each pair on both lists once, by its lower record, so that no two threads touch the same numbers.
    template <class Body>
    void each_pair(std::size_t begin, std::size_t end, const Body& body) const {
        const std::size_t count = lists.count;
        for (std::size_t i = begin; i < end; ++i) {
            for (std::size_t p = 0; p < count; ++p) {
                const std::size_t j = lists.of(i)[p], here = i * count + p;
                if (j < i || mirror[here] == kNobody) continue;
                const std::size_t there = j * count + mirror[here];
                const double gap = chosen[here] * rate[i] - chosen[there] * rate[j];
                if (gap != 0.0) body(gap, here, there);
            }
        }
    }

    double choose_of(std::size_t i, std::vector<std::pair<double, std::uint32_t>>& ranked) {
        const std::size_t count = lists.count, most = std::min(2 * k - 2, X.n - 1);
        ranked.clear();
        for (std::size_t p = 0; p < count; ++p) {
            chosen[i * count + p] = 0;
            if (values[i * count + p] < beyond[i])
                ranked.emplace_back(values[i * count + p], static_cast<std::uint32_t>(p));
        }
        while (ranked.size() < most) ranked.emplace_back(beyond[i], kNobody);
        std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(most), ranked.end());
        double sum = 0.0, least = kInfinity;
        std::size_t size = k;
        for (std::size_t s = 2; s <= most + 1; ++s) {
            sum += ranked[s - 2].first;
            if (s >= k && sum / static_cast<double>(s) < least) {
                least = sum / static_cast<double>(s);
                size = s;
            }
        }
        for (std::size_t q = 0; q + 1 < size; ++q)
            if (ranked[q].second != kNobody) chosen[i * count + ranked[q].second] = 1;
        rate[i] = 1.0 / static_cast<double>(size);
        return least;
    }

    Records X;
    std::size_t k;
    Pool pool;
    std::size_t n_blocks;
    Neighbours lists;
    std::vector<double> values;         // v_ij of the list of each i
    std::vector<std::uint32_t> mirror;  // where i is on j's list
    std::vector<unsigned char> chosen;
    std::vector<double> rate, beyond;  // 1/s of the choice; what a partner who is not on the list costs at least
};

}  // namespace

double nearest_bound(Records X, std::size_t k, const NearestBoundLimits& limits, double* prices,
                     const Progress& progress) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const auto elapsed = [start] { return std::chrono::duration<double>(Clock::now() - start).count(); };
    Ascent ascent(X, k, limits.neighbours, limits.threads, part_of(progress, 0.0, 0.5));
    const Progress ascended = part_of(progress, 0.5, 1.0);
    double best = ascent.choose(prices);
    std::vector<double> tried(X.n);
    double length = 0.25;
    std::size_t in_vain = 0;
    for (std::size_t round = 0; round < limits.rounds && length > 1e-3 && elapsed() < limits.seconds; ++round) {
        const double disagreement = ascent.disagreement();
        if (disagreement == 0.0) break;
        ascent.move(length * best / disagreement);
        const double bound = ascent.choose(tried.data());
        if (bound > best) {
            best = bound;
            std::copy(tried.begin(), tried.end(), prices);
            in_vain = 0;
        } else if (++in_vain == 8) {
            length *= 0.7;
            in_vain = 0;
        }
        ascended(static_cast<double>(round + 1) / static_cast<double>(limits.rounds));
    }
    return best;
}

}  // namespace microagg
