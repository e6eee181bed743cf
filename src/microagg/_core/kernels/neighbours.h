#pragma once

#include <cstdint>
#include <vector>

#include "kernels/records.h"

namespace microagg {

// The `count` nearest records of every record, nearest first, ties to the lower row.
struct Neighbours {
    std::size_t count = 0;  // of each record: at most n - 1
    std::vector<std::uint32_t> rows;
    std::vector<double> distances;  // Euclidean
    const std::uint32_t* of(std::size_t row) const { return &rows[row * count]; }
    const double* distances_of(std::size_t row) const { return &distances[row * count]; }
};

Neighbours nearest_neighbours(Records X, std::size_t count, std::size_t threads, const Progress& progress);

}  // namespace microagg
