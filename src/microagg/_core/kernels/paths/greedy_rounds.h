// Greedy edge for very many records: the shortest edges to near neighbours, round by round (greedy_rounds.cpp).
#pragma once

#include <vector>

#include "kernels/neighbours/nearest_neighbours.h"

namespace microagg {

// The two neighbours of each row along its path; kNobody where there is none. At the start of a search, all are alone.
using Links = std::vector<std::uint32_t>;

// Near neighbours with their distances, most of the nearest ones; the same on any number of threads.
Neighbours near_lists(Records X, std::size_t count, std::uint64_t seed, std::size_t threads, const Progress& progress);

// Takes the edges of `lists`, the shortest first, ties by their rows, where both ends are free and of different paths.
void take_edges(Records X, const Neighbours& lists, Links& links);

// Joins the paths at their ends until one is left, and writes the order, from the end with the lower row.
void join_paths(Records X, Links& links, std::uint64_t seed, std::size_t threads, std::int64_t* order);

}  // namespace microagg
