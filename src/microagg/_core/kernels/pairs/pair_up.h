// Groups of two, and of three where that is better, of records with near neighbours.
#pragma once

#include <vector>

#include "kernels/base/watch.h"
#include "kernels/neighbours/near_neighbours.h"

namespace microagg {

constexpr std::size_t kLeastToPair = 4;  // records

struct Paired {
    std::vector<std::uint32_t> labels;  // below n
    // Of each record: two neighbours pay no more together than the squared error of their pair. Where all are
    // neighbours of all, no groups of two or more have squared errors that sum to less than all prices.
    std::vector<double> prices;
};

// Of kLeastToPair records or more, which have two neighbours at least. Where `watch` stops it, groups are worse, but of
// two or three records all the same. `reached` is told, on the calling thread, how much is done.
Paired pair_up(Records X, const Graph& graph, const Watch& watch, const Progress& reached);

// Neighbours that are good enough for pairs: most of the nearest ones, as nothing looks further.
Graph neighbours_to_pair(Records X, std::uint64_t seed, std::size_t threads, Watch& watch, const Progress& reached);

}  // namespace microagg
