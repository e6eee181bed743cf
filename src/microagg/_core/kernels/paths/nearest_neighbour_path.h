// Paths that always walk to the nearest record left (nearest_neighbour_path.cpp).
#pragma once

#include "kernels/base/records.h"

namespace microagg {

// From `start` always to the nearest record not yet visited, ties to the lower row. Writes the order.
void nearest_neighbour_path(Records X, std::size_t start, std::size_t threads, std::int64_t* order,
                            const Progress& progress);

// Such paths from each of the records first..last-1, one after the other.
void nearest_neighbour_paths(Records X, std::size_t first, std::size_t last, std::size_t threads, std::int64_t* orders,
                             const Progress& progress);

// The shortest of `count` such paths, ties to the earlier one. Path t begins at firsts[t]; where lasts[t] is another
// record, that one is left out until the end.
void best_nearest_neighbour_path(Records X, const std::int64_t* firsts, const std::int64_t* lasts, std::size_t count,
                                 std::size_t threads, std::int64_t* order, const Progress& progress);

}  // namespace microagg
