// Median cuts.
//
//   a part that is small enough is a cell; otherwise
//     direction = from p to q, the widest apart of a few random pairs        (cells)
//                 from the point farthest from the mean to the one farthest from that   (groups)
//     the points with the lowest projections go left, the others right; ties by number
//
// Groups: a part of s >= 2k records holds floor(s / k) groups, of which half go left, k records each.
#include "kernels/cells.h"

#include <algorithm>
#include <numeric>

namespace microagg {
namespace {

using Keyed = std::pair<double, std::uint32_t>;

// Sorts part[0..size) so that the `left` lowest along q - p come first.
void divide(Records X, std::uint32_t* part, std::size_t size, std::size_t left, const double* p, const double* q,
            std::vector<Keyed>& keyed) {
    keyed.resize(size);
    for (std::size_t t = 0; t < size; ++t) {
        const double* x = X[part[t]];
        double along = 0.0;
        for (std::size_t c = 0; c < X.m; ++c) along += (x[c] - p[c]) * (q[c] - p[c]);
        keyed[t] = {along, part[t]};
    }
    std::nth_element(keyed.begin(), keyed.begin() + static_cast<std::ptrdiff_t>(left), keyed.end());
    for (std::size_t t = 0; t < size; ++t) part[t] = keyed[t].second;
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

struct Part {
    std::size_t start, size;
};

}  // namespace

Cells cut_cells(Records points, std::size_t most, Random random) {
    constexpr int kPairs = 8;
    Cells cells;
    cells.order.resize(points.n);
    std::iota(cells.order.begin(), cells.order.end(), 0U);
    cells.starts.push_back(0);
    std::vector<Keyed> keyed;
    std::vector<Part> parts{{0, points.n}};
    while (!parts.empty()) {
        const Part part = parts.back();
        parts.pop_back();
        std::uint32_t* members = &cells.order[part.start];
        if (part.size <= most) {
            std::sort(members, members + part.size);
            cells.starts.push_back(part.start + part.size);
            continue;
        }
        const double *p = nullptr, *q = nullptr;
        double widest = -1.0;
        for (int pair = 0; pair < kPairs; ++pair) {
            const double* one = points[members[random.below(part.size)]];
            const double* other = points[members[random.below(part.size)]];
            const double gap = squared_distance(one, other, points.m);
            if (gap > widest) widest = gap, p = one, q = other;
        }
        // Not the median itself: borders of another round should lie elsewhere in every direction.
        const double share = 0.4 + 0.2 * random.uniform();
        const auto left = static_cast<std::size_t>(share * static_cast<double>(part.size));
        divide(points, members, part.size, left, p, q, keyed);
        parts.push_back({part.start + left, part.size - left});
        parts.push_back({part.start, left});
    }
    return cells;
}

std::size_t cut_groups(Records X, const std::uint32_t* rows, std::size_t n_rows, std::size_t k, std::uint32_t* labels) {
    std::vector<double> values(n_rows * X.m);
    for (std::size_t t = 0; t < n_rows; ++t) std::copy_n(X[rows[t]], X.m, &values[t * X.m]);
    const Records points{values.data(), n_rows, X.m};
    std::vector<std::uint32_t> order(n_rows);
    std::iota(order.begin(), order.end(), 0U);
    std::vector<double> mean(X.m);
    std::vector<Keyed> keyed;
    std::vector<Part> parts{{0, n_rows}};
    std::uint32_t n_groups = 0;
    while (!parts.empty()) {
        const Part part = parts.back();
        parts.pop_back();
        std::uint32_t* members = &order[part.start];
        if (part.size < 2 * k) {
            for (std::size_t t = 0; t < part.size; ++t) labels[members[t]] = n_groups;
            ++n_groups;
            continue;
        }
        std::fill(mean.begin(), mean.end(), 0.0);
        for (std::size_t t = 0; t < part.size; ++t)
            for (std::size_t c = 0; c < X.m; ++c) mean[c] += points[members[t]][c];
        for (double& value : mean) value /= static_cast<double>(part.size);
        const double* p = points[farthest(points, members, part.size, mean.data())];
        const double* q = points[farthest(points, members, part.size, p)];
        const std::size_t left = part.size / k / 2 * k;
        divide(points, members, part.size, left, p, q, keyed);
        parts.push_back({part.start + left, part.size - left});
        parts.push_back({part.start, left});
    }
    return n_groups;
}

}  // namespace microagg
