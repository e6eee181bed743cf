// The better parts of two partitions of the same records, together.
#pragma once

#include <vector>

#include "kernels/search/block.h"

namespace microagg {

// Where groups of `best` and `other` overlap, directly or through further groups, they form a component: the same
// records, partitioned in two ways. Takes the better way in each component into `best`, and gives the decrease of the
// sum of squared errors. Labels are below n; those of `best` come back numbered 0..G-1.
double combine(const Block& block, std::vector<std::uint32_t>& best, const std::vector<std::uint32_t>& other);

}  // namespace microagg
