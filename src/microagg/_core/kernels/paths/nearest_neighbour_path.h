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

// The shortest of the n such paths, one from each record; ties to the lower start.
void best_nearest_neighbour_path(Records X, std::size_t threads, std::int64_t* order, const Progress& progress);

}  // namespace microagg
