// Near neighbours:
//
//   several times:  cut the records into cells, other ones each time
//                   each record keeps the nearest of those that ever were in a cell with it
//
// In a few columns that finds nearly all of the nearest ones, in a dozen about half; what it finds instead is near too.
// A round writes the lists of a cell's own records only, so any order of work gives the same.
#include "kernels/neighbours/near_neighbours.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/base/multiversion.h"
#include "kernels/base/pool.h"
#include "kernels/neighbours/cells.h"
#include "kernels/neighbours/gaps.h"

namespace microagg {
namespace {

constexpr std::size_t kRounds = 10, kFewRounds = 5;  // the fewer where records are many and lists are long
constexpr std::size_t kMany = 300000;
constexpr std::size_t kHops = 1;
constexpr std::size_t kNear = 12;    // neighbours whose neighbours are looked at
constexpr std::size_t kPiece = 512;  // records that a thread takes at a time
constexpr std::size_t kCell = 500;
constexpr std::size_t kLeastCell = 4;  // times the neighbours: the smallest part of a cut has 0.4 of that

// The nearest candidates of one record, sorted; ties to who came first.
struct List {
    std::uint32_t* rows;
    float* gaps;
    std::size_t most;

    bool holds(std::uint32_t row) const { return std::find(rows, rows + most, row) != rows + most; }
    bool is_near(float gap) const { return gap < gaps[most - 1]; }
    void offer(std::uint32_t row, float gap) const {
        for (std::size_t t = 0; t < most && gaps[t] <= gap; ++t)
            if (rows[t] == row) return;
        std::size_t at = most - 1;
        for (; at > 0 && gaps[at - 1] > gap; --at) gaps[at] = gaps[at - 1], rows[at] = rows[at - 1];
        gaps[at] = gap, rows[at] = row;
    }
};

MICROAGG_MULTIVERSION
float gap_of(const float* a, const float* b, std::size_t stride) {
    float lane[4] = {0.0F, 0.0F, 0.0F, 0.0F};
    for (std::size_t c = 0; c < stride; c += 4)
        for (std::size_t t = 0; t < 4; ++t) lane[t] += (a[c + t] - b[c + t]) * (a[c + t] - b[c + t]);
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

}  // namespace

Graph near_neighbours(Records X, std::size_t count, std::uint64_t seed, std::size_t threads, Watch& watch,
                      const std::function<void(double)>& reached) {
    Graph graph;
    graph.count = count = std::min(count, X.n - 1);
    if (count == 0) return graph;
    // Single precision holds 38 decades only: scale to at most 1. Neighbours only propose.
    double largest = 0.0;
    for (std::size_t i = 0; i < X.n * X.m; ++i) largest = std::max(largest, std::abs(X.data[i]));
    const std::size_t stride = (X.m + 3) / 4 * 4;
    std::vector<float> points(X.n * stride, 0.0F);
    for (std::size_t i = 0; i < X.n && largest > 0.0; ++i)
        for (std::size_t c = 0; c < X.m; ++c) points[i * stride + c] = static_cast<float>(X[i][c] / largest);
    const auto point = [&](std::size_t row) { return &points[row * stride]; };

    graph.rows.assign(X.n * count, 0);
    std::vector<float> gaps(X.n * count, kFloatInfinity);
    const std::size_t most = std::max(kCell, kLeastCell * count);
    const std::size_t rounds = X.n > kMany && count > kNear ? kFewRounds : kRounds;
    Pool pool(threads);
    std::vector<std::uint32_t> order;  // records that lie together
    for (std::size_t round = 0; round < rounds && !watch.stopped(); ++round) {
        const Cells cells = cut_cells(X, most, seed, round, pool);
        pool.run(cells.count(), [&](std::size_t cell, std::size_t) {
            const std::uint32_t* rows = &cells.order[cells.starts[cell]];
            const std::size_t n = cells.starts[cell + 1] - cells.starts[cell];
            const std::size_t n_padded = (n + kGapLanes - 1) / kGapLanes * kGapLanes;
            std::vector<float> columns(n_padded * X.m, kFloatInfinity), found(n_padded), least(kGapLanes);
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t c = 0; c < X.m; ++c) columns[c * n_padded + i] = point(rows[i])[c];
            for (std::size_t i = 0; i < n; ++i) {
                const List nearest{&graph.rows[rows[i] * count], &gaps[rows[i] * count], count};
                gaps_to_all(columns.data(), n_padded, n_padded, X.m, point(rows[i]), found.data(), least.data());
                for (std::size_t j = 0; j < n; ++j)
                    if (nearest.is_near(found[j]) && j != i) nearest.offer(rows[j], found[j]);
            }
        });
        if (cells.count() == 1) return graph;
        reached(static_cast<double>(round + 1) / static_cast<double>(rounds + kHops));
        order = cells.order;
    }
    const std::size_t near = std::min(count, kNear);
    for (std::size_t hop = 0; hop < kHops && !watch.stopped(); ++hop) {
        const std::vector<std::uint32_t> before(graph.rows);
        pool.run((X.n + kPiece - 1) / kPiece, [&](std::size_t piece, std::size_t) {
            for (std::size_t place = piece * kPiece; place < std::min(X.n, (piece + 1) * kPiece); ++place) {
                const std::uint32_t i = order[place];
                const List nearest{&graph.rows[i * count], &gaps[i * count], count};
                for (std::size_t t = 0; t < near; ++t) {
                    const std::uint32_t* theirs = &before[before[i * count + t] * count];
                    for (std::size_t u = 0; u < near; ++u) {
                        if (theirs[u] == i) continue;
                        const float gap = gap_of(point(i), point(theirs[u]), stride);
                        if (nearest.is_near(gap) && !nearest.holds(theirs[u])) nearest.offer(theirs[u], gap);
                    }
                }
            }
        });
        reached(static_cast<double>(rounds + hop + 1) / static_cast<double>(rounds + kHops));
    }
    return graph;
}

}  // namespace microagg
