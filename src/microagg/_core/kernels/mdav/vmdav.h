// V-MDAV, MDAV with groups of variable size (vmdav.cpp).
#pragma once

#include "kernels/base/records.h"

namespace microagg {

// Where the groups of V-MDAV start: at the record farthest from the centroid of all records (as published), at the one
// farthest from the centroid of the remaining ones, or, two groups a round, where those of MDAV start.
enum class Seeds { kSingle, kMoving, kPairs };

// V-MDAV: writes the group of each record to labels[0..n); groups are numbered as they are made. Needs n >= k.
void vmdav(Records X, std::size_t k, double gamma, Seeds seeds, std::size_t threads, std::int64_t* labels,
           const Progress& progress);

}  // namespace microagg
