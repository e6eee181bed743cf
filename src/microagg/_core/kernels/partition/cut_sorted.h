// The optimal partition of one sorted column (cut_sorted.cpp).
#pragma once

#include "kernels/base/records.h"

namespace microagg {

// The optimal partition of one column in ascending order into runs of at least k: O(n log k).
// Writes the run of each value to labels[0..n). Needs n >= k.
void cut_sorted(const double* values, std::size_t n, std::size_t k, std::int64_t* labels);

}  // namespace microagg
