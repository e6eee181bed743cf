// The optimal partition of a few records (exact_partition.cpp).
#pragma once

#include "kernels/base/records.h"

namespace microagg {

// The partition into groups of at least k with the least sum of squared errors; writes the group of each record to
// labels[0..n). Groups are numbered by their lowest record. Needs k <= n <= 30; memory grows with 2^n.
void exact_partition(Records X, std::size_t k, std::int64_t* labels, const Progress& progress);

}  // namespace microagg
