// What no path through all records can be shorter than (held_karp_bound.cpp).
#pragma once

#include "kernels/base/records.h"

namespace microagg {

// A lower bound on the length of every path through all records, and of every path from `start` where that is a
// row (n for none). `upper` is the length of a path that is known, which sets the size of the steps.
double held_karp_bound(Records X, std::size_t start, double upper, std::size_t steps, const Progress& progress);

}  // namespace microagg
