// The neighbours of a block, exactly, by comparing all pairs:
//
//   for each record i:  gaps to all records, (single precision: neighbours only propose), and the least of each of
//                         many threads of records;  the (L+1)-th lowest of these is a limit
//                       of the records within the limit, the L nearest; ties to the lower record
//
// Blocks hold a thousand records or a few, where this beats a tree in more than a handful of columns.
#include "kernels/search/block.h"

#include <cmath>
#include <utility>

#include "kernels/base/constants.h"
#include "kernels/neighbours/gaps.h"

namespace microagg {
namespace {

constexpr std::size_t kLanes = kGapLanes;
constexpr std::size_t kDepth = 32;  // records of a lane, kLanes apart: together they are a thread of records
constexpr std::size_t kSheet = kLanes * kDepth;

}  // namespace

void Block::copy(Records X) {
    values.assign(n * stride, 0.0);
    std::vector<double> centre(X.m, 0.0);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < X.m; ++c) centre[c] += X[rows[i]][c];
    for (double& c : centre) c /= static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < X.m; ++c) values[i * stride + c] = X[rows[i]][c] - centre[c];
}

void Block::measure_scale() {
    scale.assign(n, 0.0);
    for (std::size_t i = 0; i < n && n_neighbours > 0; ++i) {
        for (std::size_t t = 0; t < n_neighbours; ++t)
            scale[i] += squared_gap((*this)[i], (*this)[neighbours_of(i)[t]], stride);
        scale[i] /= static_cast<double>(n_neighbours);
    }
}

template <class Near>
void Block::take_neighbours(std::size_t n_near, const Near& near) {
    neighbours.resize(n * n_neighbours);
    std::vector<std::uint32_t> held(n, 0);  // neighbours of each record so far
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t t = 0; t < n_near && held[i] < n_neighbours; ++t) {
            const std::size_t at = near(i, t);
            if (at < n) neighbours[i * n_neighbours + held[i]++] = static_cast<std::uint32_t>(at);
        }
    std::vector<std::uint32_t> stamp(n, 0);
    const std::vector<std::uint32_t> first(held);
    for (std::size_t i = 0; i < n; ++i) {
        std::uint32_t* own = &neighbours[i * n_neighbours];
        const auto mark = static_cast<std::uint32_t>(i + 1);
        stamp[i] = mark;
        for (std::size_t t = 0; t < held[i]; ++t) stamp[own[t]] = mark;
        const auto take = [&](std::size_t record) {
            if (held[i] == n_neighbours || stamp[record] == mark) return;
            stamp[record] = mark;
            own[held[i]++] = static_cast<std::uint32_t>(record);
        };
        for (std::size_t t = 0; t < first[i]; ++t)
            for (std::size_t u = 0; u < first[own[t]]; ++u) take(neighbours[own[t] * n_neighbours + u]);
        for (std::size_t j = 1; held[i] < n_neighbours; ++j) take((i + j) % n);
    }
}

Block::Block(Records X, const std::uint32_t* of_rows, std::size_t n_rows, const Graph& graph,
             const std::function<std::size_t(std::uint32_t)>& place)
    : n(n_rows),
      rows(of_rows, of_rows + n_rows),
      m(X.m),
      stride((X.m + 3) / 4 * 4),
      n_neighbours(std::min(graph.count, n_rows - 1)) {
    copy(X);
    take_neighbours(graph.count, [&](std::size_t i, std::size_t t) { return place(graph.of(rows[i])[t]); });
    measure_scale();
}

Block::Block(Records X, const std::uint32_t* of_rows, std::size_t n_rows, std::size_t n_wanted)
    : n(n_rows),
      rows(of_rows, of_rows + n_rows),
      m(X.m),
      stride((X.m + 3) / 4 * 4),
      n_neighbours(std::min(n_wanted, n_rows - 1)) {
    copy(X);
    if (n_neighbours == 0) return;
    double largest = 0.0;
    for (const double value : values) largest = std::max(largest, std::abs(value));

    // Single precision holds 38 decades only: scale the block to at most 1. What fills the last lanes is never near.
    const std::size_t n_padded = (n + kLanes - 1) / kLanes * kLanes;
    const std::size_t n_threads = (n_padded + kSheet - 1) / kSheet * kLanes;
    std::vector<float> columns(n_padded * X.m, kFloatInfinity);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < X.m; ++c)
            columns[c * n_padded + i] = largest > 0.0 ? static_cast<float>(values[i * stride + c] / largest) : 0.0F;

    neighbours.resize(n * n_neighbours);
    std::vector<float> point(X.m), gaps(n_padded), least(n_threads), ranked;
    std::vector<std::pair<float, std::uint32_t>> near;
    for (std::size_t i = 0; i < n && n_neighbours > 0; ++i) {
        for (std::size_t c = 0; c < X.m; ++c) point[c] = columns[c * n_padded + i];
        for (std::size_t sheet = 0; sheet < n_padded; sheet += kSheet)
            gaps_to_all(&columns[sheet], n_padded, std::min(kSheet, n_padded - sheet), X.m, point.data(), &gaps[sheet],
                        &least[sheet / kDepth]);
        // n_neighbours + 1 threads hold as many records within the limit, of which i itself may be one.
        float limit = kFloatInfinity;
        if (n_threads > n_neighbours) {
            ranked = least;
            std::nth_element(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(n_neighbours), ranked.end());
            limit = ranked[n_neighbours];
        }
        near.clear();
        for (std::size_t thread = 0; thread < n_threads; ++thread) {
            if (least[thread] > limit) continue;
            const std::size_t start = thread / kLanes * kSheet + thread % kLanes;
            for (std::size_t j = start; j < std::min(n, start + kSheet); j += kLanes)
                if (gaps[j] <= limit && j != i) near.emplace_back(gaps[j], static_cast<std::uint32_t>(j));
        }
        std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(n_neighbours), near.end());
        std::uint32_t* nearest = &neighbours[i * n_neighbours];
        for (std::size_t t = 0; t < n_neighbours; ++t) nearest[t] = near[t].second;
    }
    measure_scale();
}

}  // namespace microagg
