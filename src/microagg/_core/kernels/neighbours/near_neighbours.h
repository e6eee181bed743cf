// Near neighbours of every record among very many: most of the nearest ones, not all, in near-linear time.
#pragma once

#include <vector>

#include "kernels/base/records.h"
#include "kernels/base/watch.h"

namespace microagg {

// Of more columns, distances are much the same, and cells or near records say little of who else is near.
constexpr std::size_t kFewColumns = 16;

// Of each record the same number of others, nearest first.
struct Graph {
    std::size_t count = 0;  // of each record: at most n - 1
    std::vector<std::uint32_t> rows;
    const std::uint32_t* of(std::size_t row) const { return &rows[row * count]; }
};

// `count` near neighbours of each record, nearest first; fewer where there are not so many records. The same on any
// number of threads. `reached` is told, on the calling thread, how much is done. The more `rounds`, the more of the
// nearest ones; 0: as many as a search needs that looks further by itself. In many columns there are more.
Graph near_neighbours(Records X, std::size_t count, std::uint64_t seed, std::size_t threads, Watch& watch,
                      const std::function<void(double)>& reached, std::size_t rounds = 0);

}  // namespace microagg
