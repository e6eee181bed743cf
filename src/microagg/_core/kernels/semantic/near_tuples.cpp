// Near tuples.
//
//   few tuples:   sort them along the longest line; from each tuple scan to both sides, until the line alone is too far
//   many tuples:  kTrees times: cut them in halves at the median of a column, drawn by how far tuples lie apart in it,
//                 until at most kLeaf are left; each tuple is compared with those of its leaf
//   each keeps the nearest it has met; ties go to the lower tuple
#include "kernels/semantic/near_tuples.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "kernels/base/constants.h"
#include "kernels/base/pool.h"
#include "kernels/semantic/tuple_rows.h"

namespace microagg {
namespace {

using Near = std::pair<float, std::size_t>;

constexpr std::size_t kScanned = 256;  // positions at a time
constexpr std::size_t kTrees = 6;
constexpr std::size_t kLeaf = 512;  // most tuples in a leaf

// The nearest so far, at most as many as are wanted; the farthest of them in front.
void offer(std::vector<Near>& heap, std::size_t wanted, const Near& found) {
    if (heap.size() == wanted) {
        if (!(found < heap.front())) return;
        std::pop_heap(heap.begin(), heap.end());
        heap.pop_back();
    }
    heap.push_back(found);
    std::push_heap(heap.begin(), heap.end());
}

std::size_t longest_line(const Space& space, const std::vector<double>& scale) {
    std::size_t found = kNowhere;
    for (std::size_t j = 0; j < space.columns.size(); ++j) {
        const Column& column = space.columns[j];
        const bool longer = found == kNowhere || column.n_values > space.columns[found].n_values;
        if (column.measure == Measure::kLine && longer && scale[j] > 0.0) found = j;
    }
    return found;
}

// Tuples sorted along the longest line: the scan from a tuple to both sides ends where the line alone is too far.
void compare_all(const Space& space, const Weighing& weighing, std::size_t wanted, std::size_t threads,
                 std::vector<std::vector<Near>>& heaps) {
    const std::size_t pivot = longest_line(space, weighing.scale), n = space.n;
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (pivot != kNowhere) {
        const std::int64_t* codes = space.columns[pivot].codes;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return codes[a] < codes[b]; });
    }
    const TupleRows row(space, weighing, order);
    Pool(threads).run(n, [&](std::size_t position, std::size_t) {
        std::vector<Near>& heap = heaps[order[position]];
        float limit = kFloatInfinity;  // nothing farther is wanted
        const auto too_far = [&](std::size_t other) {
            return pivot != kNowhere && row.along(pivot, position, other) > limit;
        };
        const auto scan = [&](std::size_t begin, std::size_t end) {
            float reach[kScanned];
            row.measure(position, begin, end, reach);
            for (std::size_t i = begin; i < end; ++i) {
                if (reach[i - begin] > limit) continue;
                offer(heap, wanted, {reach[i - begin], order[i]});
                if (heap.size() == wanted) limit = heap.front().first;
            }
        };
        std::size_t low = position, high = position + 1;
        while (low > 0 || high < n) {
            if (low > 0 && too_far(low - 1)) low = 0;
            if (high < n && too_far(high)) high = n;
            if (low > 0) {
                const std::size_t begin = low > kScanned ? low - kScanned : 0;
                scan(begin, low);
                low = begin;
            }
            if (high < n) {
                const std::size_t end = std::min(n, high + kScanned);
                scan(high, end);
                high = end;
            }
        }
    });
}

void compare_in_trees(const Space& space, const Weighing& weighing, std::size_t wanted, std::size_t threads,
                      std::vector<std::vector<Near>>& heaps) {
    Pool pool(threads);
    std::vector<std::optional<TupleTree>> trees(kTrees);
    pool.run(kTrees, [&](std::size_t i, std::size_t) { trees[i].emplace(space, weighing, kLeaf, i); });
    for (std::optional<TupleTree>& grown : trees) {
        const TupleTree& tree = *grown;
        const TupleRows row(space, weighing, tree.order);
        pool.run(tree.leaves.size(), [&](std::size_t leaf, std::size_t) {
            const auto [begin, end] = tree.leaves[leaf];
            float reach[kLeaf];
            for (std::size_t p = begin; p < end; ++p) {
                std::vector<Near>& heap = heaps[tree.order[p]];
                row.measure(p, begin, end, reach);
                for (std::size_t q = begin; q < end; ++q) {
                    const Near found{reach[q - begin], tree.order[q]};
                    if (q == p || (heap.size() == wanted && !(found < heap.front()))) continue;
                    if (std::find(heap.begin(), heap.end(), found) == heap.end()) offer(heap, wanted, found);
                }
            }
        });
        grown.reset();
    }
}

}  // namespace

std::vector<std::vector<std::size_t>> near_tuples(const Space& space, const std::vector<double>& scale, bool joint,
                                                  std::size_t wanted, std::size_t exhaustive, std::size_t threads) {
    const Weighing weighing{scale, joint};
    std::vector<std::vector<Near>> heaps(space.n);
    wanted = std::min(wanted, space.n - 1);
    if (space.n <= exhaustive)
        compare_all(space, weighing, wanted, threads, heaps);
    else
        compare_in_trees(space, weighing, wanted, threads, heaps);
    std::vector<std::vector<std::size_t>> near(space.n);
    in_parallel(
        space.n, 4096, threads, [](double) {},
        [&](std::size_t t, std::size_t) {
            std::sort(heaps[t].begin(), heaps[t].end());
            near[t].assign(1, t);
            for (const Near& found : heaps[t]) near[t].push_back(found.second);
        });
    return near;
}

}  // namespace microagg
