// A path of the shortest edges that fit (greedy_edge_path.cpp).
#pragma once

#include "kernels/base/records.h"
#include "kernels/neighbours/nearest_neighbours.h"

namespace microagg {

// Takes the shortest edge that leaves a set of paths, until one path is left; ties by the rows of the edge. Writes
// the order, from the end with the lower row.
void greedy_edge_path(Records X, std::size_t threads, std::int64_t* order, const Progress& progress);
// The same, with neighbour lists that are there already; their length changes the time only.
void greedy_edge_path(Records X, const Neighbours& lists, std::int64_t* order, const Progress& progress);

}  // namespace microagg
