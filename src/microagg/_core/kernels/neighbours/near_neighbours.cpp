// Near neighbours:
//
//   several times:  cut the records into cells, other ones each time
//                   each record keeps the nearest of those that ever were in a cell with it
//
// In a few columns that finds nearly all of the nearest ones, in a dozen about half; what it finds instead is near too.
// In many columns a cell says little of who is near: rounds go on there as long as they still bring new neighbours.
// A round writes the lists of a cell's own records only, so any order of work gives the same.
#include "kernels/neighbours/near_neighbours.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "kernels/base/constants.h"
#include "kernels/base/fetch.h"
#include "kernels/base/four.h"
#include "kernels/base/large.h"
#include "kernels/base/pool.h"
#include "kernels/neighbours/cells.h"
#include "kernels/neighbours/near_list.h"

namespace microagg {
namespace {

constexpr std::size_t kRounds = 10, kFewRounds = 5;  // the fewer where records are many and lists are long
constexpr std::size_t kMany = 300000;
constexpr std::size_t kMostRounds = 60;  // in many columns
constexpr double kEnough = 0.01;         // of the places in lists: what a round must bring there, or it is the last
constexpr std::size_t kHops = 1;
constexpr std::size_t kNear = 12;    // neighbours whose neighbours are looked at
constexpr std::size_t kPiece = 512;  // records that a thread takes at a time
constexpr std::size_t kCell = 500;
constexpr std::size_t kLeastCell = 4;  // times the neighbours: the smallest part of a cut has 0.4 of that

float gap_of(const float* a, const float* b, std::size_t stride) {
    Four<float> sum{};
    for (std::size_t c = 0; c < stride; c += 4) {
        const Four<float> apart = four_at(a + c) - four_at(b + c);
        sum += apart * apart;
    }
    return total_of<float>(sum);
}

// Offers all members of a cell to each other; gives how many neighbours are new.
template <class ListOf>
std::size_t compare_all(const Points& points, const std::uint32_t* members, std::size_t n, const ListOf& list_of) {
    NearTile tile(points, members, n);
    std::size_t n_new = 0;
    for (std::size_t i = 0; i < n; ++i) n_new += tile.offer_to(points[members[i]], members[i], list_of(members[i]));
    return n_new;
}

}  // namespace

Graph near_neighbours(Records X, std::size_t count, std::uint64_t seed, std::size_t threads, Watch& watch,
                      const std::function<void(double)>& reached, std::size_t rounds) {
    Graph graph;
    graph.count = count = std::min(count, X.n - 1);
    if (count == 0) return graph;
    // Single precision holds 38 decades only: scale to at most 1. Neighbours only propose.
    double largest = 0.0;
    for (std::size_t i = 0; i < X.n * X.m; ++i) largest = std::max(largest, std::abs(X.data[i]));
    const std::size_t stride = (X.m + 3) / 4 * 4;
    Large<float> values(X.n * stride, 0.0F);
    const auto copy = [&](std::size_t row, float* to) {
        for (std::size_t c = 0; c < X.m && largest > 0.0; ++c) to[c] = static_cast<float>(X[row][c] / largest);
    };
    for (std::size_t i = 0; i < X.n; ++i) copy(i, &values[i * stride]);
    const Points points{values.data(), X.n, X.m, stride};

    const std::size_t most = std::max(kCell, kLeastCell * count);
    if (rounds == 0) rounds = X.n > kMany && count > kNear ? kFewRounds : kRounds;
    Pool pool(threads);
    Cells cells = cut_cells(points, most, seed, 0, pool);
    // From here on records are numbered as they lie in the first cells: what lies together does so in memory.
    const std::vector<std::uint32_t> row_of(cells.order);
    for (std::size_t i = 0; i < X.n; ++i) copy(row_of[i], &values[i * stride]);
    std::iota(cells.order.begin(), cells.order.end(), 0U);
    Large<std::uint32_t> lists(X.n * count, 0);
    Large<float> gaps(X.n * count, kFloatInfinity);
    const auto list_of = [&](std::size_t record) {
        return NearList{&lists[record * count], &gaps[record * count], count};
    };
    const std::size_t most_rounds = X.m > kFewColumns ? std::max(rounds, kMostRounds) : rounds;
    for (std::size_t round = 0; round < most_rounds && !watch.stopped(); ++round) {
        if (round > 0) cells = cut_cells(points, most, seed, round, pool);
        std::atomic<std::size_t> n_new{0};
        pool.run(cells.count(), [&](std::size_t cell, std::size_t) {
            const std::uint32_t* members = &cells.order[cells.starts[cell]];
            n_new += compare_all(points, members, cells.starts[cell + 1] - cells.starts[cell], list_of);
        });
        reached(static_cast<double>(round + 1) / static_cast<double>(most_rounds + kHops));
        if (cells.count() == 1) break;
        if (round + 1 >= rounds && static_cast<double>(n_new) < kEnough * static_cast<double>(lists.size())) break;
    }
    const std::size_t near = std::min(count, kNear);
    for (std::size_t hop = 0; hop < kHops && cells.count() > 1 && !watch.stopped(); ++hop) {
        const Large<std::uint32_t> before(lists);
        pool.run((X.n + kPiece - 1) / kPiece, [&](std::size_t piece, std::size_t) {
            std::vector<std::uint32_t> candidates;
            for (std::size_t i = piece * kPiece; i < std::min(X.n, (piece + 1) * kPiece); ++i) {
                // What this record reads, and the lists that the next one does, are fetched.
                candidates.clear();
                for (std::size_t t = 0; t < near; ++t)
                    for (std::size_t u = 0; u < near; ++u) {
                        const std::uint32_t other = before[before[i * count + t] * count + u];
                        candidates.push_back(other);
                        for (std::size_t c = 0; c < stride; c += kCacheLine / sizeof(float)) fetch(points[other] + c);
                    }
                if (i + 1 < X.n)
                    for (std::size_t t = 0; t < near; ++t) fetch(&before[before[(i + 1) * count + t] * count]);
                const NearList nearest = list_of(i);
                for (const std::uint32_t other : candidates) {
                    if (other == i) continue;
                    const float gap = gap_of(points[i], points[other], stride);
                    if (nearest.is_near(gap) && !nearest.holds(other)) nearest.offer(other, gap);
                }
            }
        });
        reached(static_cast<double>(most_rounds + hop + 1) / static_cast<double>(most_rounds + kHops));
    }
    graph.rows.resize(X.n * count);
    for (std::size_t i = 0; i < X.n; ++i)
        for (std::size_t t = 0; t < count; ++t) graph.rows[row_of[i] * count + t] = row_of[lists[i * count + t]];
    return graph;
}

}  // namespace microagg
