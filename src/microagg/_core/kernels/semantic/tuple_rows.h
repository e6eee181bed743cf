// Tuples laid out for distances to many at once, and cut into cells of tuples that lie together.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/base/random.h"
#include "kernels/semantic/space.h"

namespace microagg {

struct Weighing {
    const std::vector<double>& scale;
    bool joint;

    double operator()(std::size_t column, std::int64_t distance) const {
        const auto gap = static_cast<double>(distance);
        return joint ? scale[column] * gap : scale[column] * gap * gap;
    }
};

// Tuples in some order, columns laid out along it: in single precision, since near tuples only say where to look.
class TupleRows {
  public:
    TupleRows(const Space& space, const Weighing& weighing, const std::vector<std::size_t>& tuples)
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

// Cuts tuples in halves until they are few. The column is drawn in proportion to how far tuples lie apart in it, so
// that trees differ: neighbours that a cut of one tree parts meet in another.
class TupleTree {
  public:
    TupleTree(const Space& of, const Weighing& with, std::size_t most_in_leaf, std::uint64_t seed)
        : order(of.n), space(of), weighing(with), most(most_in_leaf), random(seed) {
        std::iota(order.begin(), order.end(), std::size_t{0});
        cut(0, space.n);
    }

    std::vector<std::size_t> order;
    std::vector<std::pair<std::size_t, std::size_t>> leaves;  // from, to; tuples in ascending order

  private:
    void cut(std::size_t begin, std::size_t end) {
        const auto at = [&](std::size_t position) { return order.begin() + static_cast<std::ptrdiff_t>(position); };
        if (end - begin <= most) {
            std::sort(at(begin), at(end));
            leaves.emplace_back(begin, end);
            return;
        }
        const std::int64_t* codes = space.columns[draw(begin, end)].codes;
        const std::size_t half = begin + (end - begin) / 2;
        std::nth_element(at(begin), at(half), at(end), [&](std::size_t a, std::size_t b) {
            return codes[a] != codes[b] ? codes[a] < codes[b] : a < b;
        });
        cut(begin, half);
        cut(half, end);
    }

    std::size_t draw(std::size_t begin, std::size_t end) {
        constexpr std::size_t kPairs = 64;  // compared, to see how far tuples lie apart in each column
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
    Weighing weighing;
    std::size_t most;
    Random random;
};

}  // namespace microagg
