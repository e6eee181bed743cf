// Median cuts.
//
//   a part that is small enough is a cell; otherwise
//     direction = from p to q, the widest apart of a few random pairs        (cells)
//                 from the point farthest from the mean to the one farthest from that   (groups)
//     the points with the lowest projections go left, the others right; ties by number
//
// Groups: a part of s >= 2k records holds floor(s / k) groups, of which half go left, k records each.
#include "kernels/neighbours/cells.h"

#include <algorithm>
#include <numeric>

#include "kernels/base/fetch.h"
#include "kernels/base/large.h"
#include "kernels/base/split.h"

namespace microagg {
namespace {

// Reorders part[0..size) so that the `left` lowest along q - p come first, and gives where the others begin.
template <class Rows, class Real>
std::uint32_t* divide_along(Rows X, std::uint32_t* part, std::size_t size, std::size_t left, const Real* p,
                            const Real* q) {
    const auto along = [&](std::uint32_t row) {
        const Real* x = X[row];
        Real sum = 0;
        for (std::size_t c = 0; c < X.m; ++c) sum += (x[c] - p[c]) * (q[c] - p[c]);
        return sum;
    };
    const auto fetch_row = [&](std::uint32_t row) {
        for (std::size_t c = 0; c < X.m; c += kCacheLine / sizeof(Real)) fetch(X[row] + c);
    };
    divide(part, part + left, part + size, along, fetch_row);
    return part + left;
}

template <class Real>
Real gap_of(const Real* a, const Real* b, std::size_t m) {
    Real sum = 0;
    for (std::size_t c = 0; c < m; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sum;
}

std::uint32_t farthest(Records X, const std::uint32_t* part, std::size_t size, const double* from) {
    std::uint32_t found = part[0];
    double most = -1.0;
    for (std::size_t t = 0; t < size; ++t) {
        const double gap = squared_distance(X[part[t]], from, X.m);
        if (gap > most || (gap == most && part[t] < found)) most = gap, found = part[t];
    }
    return found;
}

// Cuts a part in two and gives where the second half begins, or its end where it is small enough.
template <class Rows>
std::uint32_t* cut_once(Rows points, std::uint32_t* begin, std::uint32_t* end, std::size_t most, Random& random) {
    constexpr int kPairs = 8;
    const auto size = static_cast<std::size_t>(end - begin);
    if (size <= most) return end;
    auto p = points[*begin], q = p;
    auto widest = gap_of(p, q, points.m);
    for (int pair = 0; pair < kPairs; ++pair) {
        const auto one = points[begin[random.below(size)]], other = points[begin[random.below(size)]];
        const auto gap = gap_of(one, other, points.m);
        if (gap > widest) widest = gap, p = one, q = other;
    }
    // Not the median itself: borders of another round should lie elsewhere in every direction.
    const double share = 0.4 + 0.2 * random.uniform();
    const auto left = static_cast<std::size_t>(share * static_cast<double>(size));
    return divide_along(points, begin, size, left, p, q);
}

}  // namespace

Cells cut_cells(Records points, std::size_t most, Random random) {
    Cells cells;
    cells.order.resize(points.n);
    std::iota(cells.order.begin(), cells.order.end(), 0U);
    cells.starts.push_back(0);
    const auto cut = [&](std::uint32_t* begin, std::uint32_t* end) {
        return cut_once(points, begin, end, most, random);
    };
    split_parts(cells.order.data(), cells.order.data() + points.n, cut, [&](std::uint32_t* begin, std::uint32_t* end) {
        std::sort(begin, end);
        cells.starts.push_back(static_cast<std::size_t>(end - cells.order.data()));
    });
    return cells;
}

namespace {

template <class Rows>
Cells cut_in_turns(Rows points, std::size_t most, std::uint64_t seed, std::uint64_t turn, Pool& pool) {
    Cells cells;
    cells.order.resize(points.n);
    std::iota(cells.order.begin(), cells.order.end(), 0U);
    cells.starts = {0, points.n};
    std::size_t n_before = 0;
    std::vector<std::size_t> cuts;
    while (cells.count() != n_before) {
        n_before = cells.count();
        cuts.resize(n_before);
        pool.run(n_before, [&](std::size_t part, std::size_t) {
            std::uint32_t *begin = &cells.order[cells.starts[part]], *end = cells.order.data() + cells.starts[part + 1];
            Random random = Random::stream(seed, cells.starts[part], turn * points.n + cells.starts[part + 1]);
            cuts[part] = static_cast<std::size_t>(cut_once(points, begin, end, most, random) - cells.order.data());
        });
        std::vector<std::size_t> starts{0};
        for (std::size_t part = 0; part < n_before; ++part) {
            if (cuts[part] != cells.starts[part + 1]) starts.push_back(cuts[part]);
            starts.push_back(cells.starts[part + 1]);
        }
        cells.starts.swap(starts);
    }
    pool.run(cells.count(), [&](std::size_t part, std::size_t) {
        std::sort(&cells.order[cells.starts[part]], cells.order.data() + cells.starts[part + 1]);
    });
    return cells;
}

}  // namespace

Cells cut_cells(Records points, std::size_t most, std::uint64_t seed, std::uint64_t turn, Pool& pool) {
    return cut_in_turns(points, most, seed, turn, pool);
}

Cells cut_cells(Points points, std::size_t most, std::uint64_t seed, std::uint64_t turn, Pool& pool) {
    return cut_in_turns(points, most, seed, turn, pool);
}

std::size_t cut_groups(Records X, const std::uint32_t* rows, std::size_t n_rows, std::size_t k, std::uint32_t* labels) {
    std::vector<double> values(n_rows * X.m);
    for (std::size_t t = 0; t < n_rows; ++t) std::copy_n(X[rows[t]], X.m, &values[t * X.m]);
    const Records points{values.data(), n_rows, X.m};
    std::vector<std::uint32_t> order(n_rows);
    std::iota(order.begin(), order.end(), 0U);
    std::vector<double> mean(X.m);
    const auto cut = [&](std::uint32_t* begin, std::uint32_t* end) {
        const auto size = static_cast<std::size_t>(end - begin);
        if (size < 2 * k) return end;
        std::fill(mean.begin(), mean.end(), 0.0);
        for (std::size_t t = 0; t < size; ++t)
            for (std::size_t c = 0; c < X.m; ++c) mean[c] += points[begin[t]][c];
        for (double& value : mean) value /= static_cast<double>(size);
        const double* p = points[farthest(points, begin, size, mean.data())];
        const double* q = points[farthest(points, begin, size, p)];
        return divide_along(points, begin, size, size / k / 2 * k, p, q);
    };
    std::uint32_t n_groups = 0;
    split_parts(order.data(), order.data() + n_rows, cut, [&](const std::uint32_t* begin, const std::uint32_t* end) {
        for (; begin != end; ++begin) labels[*begin] = n_groups;
        ++n_groups;
    });
    return n_groups;
}

}  // namespace microagg
