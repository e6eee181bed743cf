// The optimal partition of a few records, by dynamic programming over the set of records that have a group.
//
//   best[nobody] = 0
//   for every set D, ascending:                                             D: those who have a group
//       i = the lowest record not in D
//       for every group G of k..2k-1 records not in D that holds i, leaving none or at least k:
//           best[D + G] = min(best[D + G], best[D] + cost(G))
//   walk back from everybody
//
// Sets are bits. cost(G) = 1/|G| * sum over pairs of d^2, and the sum over pairs of a set follows from the set
// without its lowest record. Groups of 2k or more are not needed: they can be split without loss. Of equal sums the
// one found first is kept.
#include "kernels/partition/exact_partition.h"

#include <vector>

#include "kernels/base/constants.h"

namespace microagg {
namespace {

using Set = std::uint32_t;

std::size_t lowest(Set set) { return static_cast<std::size_t>(__builtin_ctz(set)); }
std::size_t size_of(Set set) { return static_cast<std::size_t>(__builtin_popcount(set)); }

class Program {
  public:
    Program(Records X, std::size_t least_size)
        : n(X.n), k(least_size), all(static_cast<Set>((std::uint64_t{1} << n) - 1)), pairs(all + std::size_t{1}) {
        std::vector<double> distances(n * n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) distances[i * n + j] = squared_distance(X[i], X[j], X.m);
        for (Set set = 1; set <= all && set != 0; ++set) {
            const double* from = &distances[lowest(set) * n];
            const Set others = set & (set - 1);
            double sum = pairs[others];
            for (Set rest = others; rest != 0; rest &= rest - 1) sum += from[lowest(rest)];
            pairs[set] = sum;
        }
        best.assign(all + std::size_t{1}, kInfinity);
        last.assign(all + std::size_t{1}, 0);
        best[0] = 0.0;
    }

    void solve(std::int64_t* labels, const Progress& progress) {
        for (done = 0; done < all; ++done) {
            if ((done & 0xfff) == 0) progress(static_cast<double>(done) / static_cast<double>(all));
            if (best[done] == kInfinity) continue;
            const Set left = all & ~done;
            const Set first = left & (~left + 1);
            n_left = size_of(left);
            extend(first, left ^ first, 1);
        }
        std::vector<Set> groups;
        for (Set set = all; set != 0; set ^= last[set]) groups.push_back(last[set]);
        for (std::size_t g = 0; g < groups.size(); ++g)
            for (Set rest = groups[g]; rest != 0; rest &= rest - 1)
                labels[lowest(rest)] = static_cast<std::int64_t>(groups.size() - 1 - g);
    }

  private:
    // All groups that hold `group` and some of `free`.
    void extend(Set group, Set free, std::size_t size) {
        if (size >= k && (n_left == size || n_left - size >= k)) {
            const double total = best[done] + pairs[group] / static_cast<double>(size);
            if (total < best[done | group]) {
                best[done | group] = total;
                last[done | group] = group;
            }
        }
        if (size == 2 * k - 1) return;
        for (; free != 0; free &= free - 1) extend(group | (free & (~free + 1)), free & (free - 1), size + 1);
    }

    std::size_t n, k;
    Set all, done = 0;
    std::size_t n_left = 0;
    std::vector<double> pairs, best;  // of each set: d^2 over its pairs; least cost of grouping it
    std::vector<Set> last;            // the group that completed the set
};

}  // namespace

void exact_partition(Records X, std::size_t k, std::int64_t* labels, const Progress& progress) {
    Program(X, k).solve(labels, progress);
}

}  // namespace microagg
