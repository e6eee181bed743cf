// Groups of categories and numbers to start a search from, in near-linear time (mixed_start.cpp).
#pragma once

#include <vector>

#include "kernels/base/records.h"
#include "kernels/semantic/space.h"

namespace microagg {

// Groups of at least k; labels of records, those of tuple 0 first. scale: what a squared distance counts in each
// column. The same on any number of threads.
void mixed_start(const Space& space, const std::vector<double>& scale, std::size_t k, std::size_t threads,
                 std::int64_t* labels, const Progress& progress);

}  // namespace microagg
