// Optimal univariate microaggregation in O(n log k) after sorting.
//
//   best[j] = min over i <= j-k of best[i] + sse(i, j)          sse of the sorted values i..j-1
//
// The ends j are taken k at a time: for j in (b, b+k] every start i <= j-k is at most b, so its best is known, and
// starts before b-2k+1 are never needed (a run of 2k or more can be split without loss). Costs of sorted numbers
// are Monge, so the best start does not decrease with j: the middle end of the block is solved by a scan, and the
// ends left and right of it only look at starts left and right of what it chose. Sums start anew in every block,
// measured from a value of the block, so that a dense column does not lose its digits. Ties go to the later start.
#include "kernels/partition/cut_sorted.h"

#include <algorithm>
#include <vector>

#include "kernels/base/constants.h"

namespace microagg {
namespace {

class Cutter {
  public:
    Cutter(const double* sorted, std::size_t size, std::size_t least)
        : values(sorted),
          n(size),
          k(least),
          best(n + 1, kInfinity),
          from(n + 1, 0),
          sums(3 * k + 1),
          squares(3 * k + 1) {
        best[0] = 0.0;
    }

    void solve(std::int64_t* labels) {
        for (std::size_t block = k; block <= n; block += k) {
            const std::size_t last = std::min(n, block + k - 1);
            base = block < 2 * k ? 0 : block - 2 * k;
            sum_from_base(last);
            solve_ends(block, last, base, last - k);
        }
        std::vector<std::size_t> ends;
        for (std::size_t j = n; j > 0; j = from[j]) ends.push_back(j);
        std::size_t start = 0;
        for (std::size_t run = 0; run < ends.size(); ++run) {
            const std::size_t end = ends[ends.size() - 1 - run];
            std::fill(labels + start, labels + end, static_cast<std::int64_t>(run));
            start = end;
        }
    }

  private:
    void sum_from_base(std::size_t last) {
        const double origin = values[(base + last) / 2];
        sums[0] = squares[0] = 0.0;
        for (std::size_t t = base; t < last; ++t) {
            const double shifted = values[t] - origin;
            sums[t - base + 1] = sums[t - base] + shifted;
            squares[t - base + 1] = squares[t - base] + shifted * shifted;
        }
    }

    double sse(std::size_t i, std::size_t j) const {
        const double sum = sums[j - base] - sums[i - base];
        const double square = squares[j - base] - squares[i - base];
        return std::max(0.0, square - sum * sum / static_cast<double>(j - i));
    }

    // Ends first..last, whose best starts lie in [low, high].
    void solve_ends(std::size_t first, std::size_t last, std::size_t low, std::size_t high) {
        const std::size_t j = first + (last - first) / 2;
        const std::size_t latest = std::min(high, j - k);
        std::size_t chosen = low;
        for (std::size_t i = low; i <= latest; ++i) {
            const double total = best[i] + sse(i, j);
            if (total <= best[j]) {
                best[j] = total;
                chosen = i;
            }
        }
        from[j] = chosen;
        if (j > first) solve_ends(first, j - 1, low, chosen);
        if (j < last) solve_ends(j + 1, last, chosen, high);
    }

    const double* values;
    std::size_t n, k, base = 0;
    std::vector<double> best;
    std::vector<std::size_t> from;
    std::vector<double> sums, squares;
};

}  // namespace

void cut_sorted(const double* values, std::size_t n, std::size_t k, std::int64_t* labels) {
    Cutter(values, n, k).solve(labels);
}

}  // namespace microagg
