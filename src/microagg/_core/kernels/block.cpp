// The neighbours of a block, exactly, by comparing all pairs:
//
//   for each record i:  gaps to all records, column by column (single precision: neighbours only propose)
//                       keep the L least in a sorted list; ties to the lower record
//
// Blocks hold a thousand records or a few, where this beats a tree in more than a handful of columns.
#include "kernels/block.h"

#include <cmath>
#include <limits>

#include "kernels/multiversion.h"

namespace microagg {
namespace {

// gaps[j] = squared distance of record i to record j. Each j adds its columns in order, whatever the vector width.
MICROAGG_MULTIVERSION
void gaps_to_all(const float* columns, std::size_t n, std::size_t n_columns, std::size_t i, float* gaps) {
    for (std::size_t j = 0; j < n; ++j) gaps[j] = 0.0F;
    for (std::size_t c = 0; c < n_columns; ++c) {
        const float* column = columns + c * n;
        const float here = column[i];
        for (std::size_t j = 0; j < n; ++j) gaps[j] += (column[j] - here) * (column[j] - here);
    }
}

}  // namespace

void Block::copy(Records X, const std::uint32_t* rows) {
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

Block::Block(Records X, const std::uint32_t* rows, std::size_t n_rows, const Graph& graph,
             const std::function<std::size_t(std::uint32_t)>& place)
    : n(n_rows), stride((X.m + 3) / 4 * 4), n_neighbours(std::min(graph.count, n_rows - 1)) {
    copy(X, rows);
    neighbours.resize(n * n_neighbours);
    std::vector<std::uint32_t> held(n, 0);  // neighbours of each record so far
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t t = 0; t < graph.count && held[i] < n_neighbours; ++t) {
            const std::size_t at = place(graph.of(rows[i])[t]);
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
    measure_scale();
}

Block::Block(Records X, const std::uint32_t* rows, std::size_t n_rows, std::size_t n_wanted)
    : n(n_rows), stride((X.m + 3) / 4 * 4), n_neighbours(std::min(n_wanted, n_rows - 1)) {
    copy(X, rows);
    double largest = 0.0;
    for (const double value : values) largest = std::max(largest, std::abs(value));

    // Single precision holds 38 decades only: scale the block to at most 1.
    std::vector<float> columns(n * X.m);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < X.m; ++c)
            columns[c * n + i] = largest > 0.0 ? static_cast<float>(values[i * stride + c] / largest) : 0.0F;

    neighbours.resize(n * n_neighbours);
    std::vector<float> gaps(n);
    std::vector<float> least(n_neighbours);
    for (std::size_t i = 0; i < n && n_neighbours > 0; ++i) {
        gaps_to_all(columns.data(), n, X.m, i, gaps.data());
        gaps[i] = std::numeric_limits<float>::infinity();
        std::uint32_t* nearest = &neighbours[i * n_neighbours];
        std::size_t held = 0;
        for (std::size_t j = 0; j < n; ++j) {
            if (held == n_neighbours && gaps[j] >= least[held - 1]) continue;
            if (j == i) continue;
            std::size_t at = held < n_neighbours ? held++ : held - 1;
            for (; at > 0 && least[at - 1] > gaps[j]; --at) {
                least[at] = least[at - 1];
                nearest[at] = nearest[at - 1];
            }
            least[at] = gaps[j];
            nearest[at] = static_cast<std::uint32_t>(j);
        }
    }
    measure_scale();
}

}  // namespace microagg
