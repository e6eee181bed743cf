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

#include "kernels/base/constants.h"
#include "kernels/base/pool.h"
#include "kernels/base/random.h"

namespace microagg {
namespace {

using Near = std::pair<float, std::size_t>;

constexpr std::size_t kScanned = 256;  // positions at a time
constexpr std::size_t kTrees = 6;
constexpr std::size_t kLeaf = 512;  // most tuples in a leaf
constexpr std::size_t kPairs = 64;  // compared, to see how far tuples lie apart in each column

struct Weighing {
    const std::vector<double>& scale;
    bool joint;

    double operator()(std::size_t column, std::int64_t distance) const {
        const auto gap = static_cast<double>(distance);
        return joint ? scale[column] * gap : scale[column] * gap * gap;
    }
};

// Tuples in some order, columns laid out along it: in single precision, since near tuples only say where to look.
class Row {
  public:
    Row(const Space& space, const Weighing& weighing, const std::vector<std::size_t>& tuples)
        : order(tuples), joint(weighing.joint) {
        for (std::size_t j = 0; j < space.columns.size(); ++j) {
            const Column& column = space.columns[j];
            const double unit = joint ? weighing.scale[j] : std::sqrt(weighing.scale[j]);
            Strip strip{column.measure, column.n_values, {}, {}, {}};
            strip.codes.reserve(order.size());
            for (const std::size_t t : order) strip.codes.push_back(static_cast<std::int32_t>(column.codes[t]));
            if (column.measure == Measure::kEquality)
                strip.table = {static_cast<float>(weighing(j, column.table[0]))};
            else if (column.measure == Measure::kTable)
                for (std::size_t i = 0; i < column.n_values * column.n_values; ++i)
                    strip.table.push_back(static_cast<float>(weighing(j, column.table[i])));
            else
                for (const std::size_t t : order)
                    strip.places.push_back(
                        static_cast<float>(unit * static_cast<double>(column.table[column.codes[t]])));
            strips.push_back(std::move(strip));
        }
    }

    // From the tuple at one position to those at [begin, end).
    void measure(std::size_t from, std::size_t begin, std::size_t end, float* reach) const {
        const std::size_t n = end - begin;
        std::fill_n(reach, n, 0.0f);
        for (const Strip& strip : strips) {
            const std::int32_t* codes = strip.codes.data() + begin;
            const std::int32_t own = strip.codes[from];
            if (strip.measure == Measure::kLine) {
                const float* places = strip.places.data() + begin;
                const float place = strip.places[from];
                if (joint)
                    for (std::size_t i = 0; i < n; ++i) reach[i] += std::fabs(places[i] - place);
                else
                    for (std::size_t i = 0; i < n; ++i) reach[i] += (places[i] - place) * (places[i] - place);
            } else if (strip.measure == Measure::kEquality) {
                const float apart = strip.table[0];
                for (std::size_t i = 0; i < n; ++i) reach[i] += codes[i] == own ? 0.0f : apart;
            } else {
                const float* row = strip.table.data() + static_cast<std::size_t>(own) * strip.n_values;
                for (std::size_t i = 0; i < n; ++i) reach[i] += row[codes[i]];
            }
        }
    }

    // In one column, which must be a line.
    float along(std::size_t column, std::size_t a, std::size_t b) const {
        const float gap = strips[column].places[a] - strips[column].places[b];
        return joint ? std::fabs(gap) : gap * gap;
    }

  private:
    struct Strip {
        Measure measure;
        std::size_t n_values;
        std::vector<std::int32_t> codes;
        std::vector<float> table, places;
    };
    const std::vector<std::size_t>& order;
    bool joint;
    std::vector<Strip> strips;
};

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
    const Row row(space, weighing, order);
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

// Cuts tuples in halves until they are few. The column is drawn in proportion to how far tuples lie apart in it, so
// that trees differ: neighbours that a cut of one tree parts meet in another.
class TupleTree {
  public:
    TupleTree(const Space& of, const Weighing& with, std::uint64_t seed)
        : order(of.n), space(of), weighing(with), random(seed) {
        std::iota(order.begin(), order.end(), std::size_t{0});
        cut(0, space.n);
    }

    std::vector<std::size_t> order;
    std::vector<std::pair<std::size_t, std::size_t>> leaves;  // from, to

  private:
    void cut(std::size_t begin, std::size_t end) {
        if (end - begin <= kLeaf) {
            leaves.emplace_back(begin, end);
            return;
        }
        const std::int64_t* codes = space.columns[draw(begin, end)].codes;
        const std::size_t half = begin + (end - begin) / 2;
        const auto at = [&](std::size_t position) { return order.begin() + static_cast<std::ptrdiff_t>(position); };
        std::nth_element(at(begin), at(half), at(end), [&](std::size_t a, std::size_t b) {
            return codes[a] != codes[b] ? codes[a] < codes[b] : a < b;
        });
        cut(begin, half);
        cut(half, end);
    }

    std::size_t draw(std::size_t begin, std::size_t end) {
        std::vector<double> apart(space.columns.size(), 0.0);
        for (std::size_t i = 0; i < kPairs; ++i) {
            const std::size_t a = order[begin + random.below(end - begin)],
                              b = order[begin + random.below(end - begin)];
            for (std::size_t j = 0; j < apart.size(); ++j) {
                const Column& column = space.columns[j];
                apart[j] += weighing(j, column.distance(column.codes[a], column.codes[b]));
            }
        }
        double at = std::accumulate(apart.begin(), apart.end(), 0.0) * random.uniform();
        for (std::size_t j = 0; j + 1 < apart.size(); ++j) {
            at -= apart[j];
            if (at < 0.0) return j;
        }
        return apart.size() - 1;
    }

    const Space& space;
    const Weighing& weighing;
    Random random;
};

void compare_in_trees(const Space& space, const Weighing& weighing, std::size_t wanted, std::size_t threads,
                      std::vector<std::vector<Near>>& heaps) {
    Pool pool(threads);
    for (std::size_t i = 0; i < kTrees; ++i) {
        const TupleTree tree(space, weighing, i);
        const Row row(space, weighing, tree.order);
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
    for (std::size_t t = 0; t < space.n; ++t) {
        std::sort(heaps[t].begin(), heaps[t].end());
        near[t].assign(1, t);
        for (const Near& found : heaps[t]) near[t].push_back(found.second);
    }
    return near;
}

}  // namespace microagg
