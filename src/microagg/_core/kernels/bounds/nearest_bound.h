// A lower bound of the sum of squared errors, from the nearest neighbours of every record (nearest_bound.cpp).
#pragma once

#include "kernels/base/records.h"

namespace microagg {

struct NearestBoundLimits {
    std::size_t neighbours;  // of each record, at least 2k-2
    std::size_t rounds;      // of ascent, at most
    double seconds;          // no new round after this long
    std::size_t threads;
};

// A lower bound of the sum of squared errors of every partition into groups of at least k. Writes to prices[0..n)
// what each record pays at least; they sum to the bound, and no group costs less than its members' prices.
// Needs n >= k.
double nearest_bound(Records X, std::size_t k, const NearestBoundLimits& limits, double* prices,
                     const Progress& progress);

}  // namespace microagg
