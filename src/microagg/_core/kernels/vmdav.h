#pragma once

#include "kernels/records.h"

namespace microagg {

// V-MDAV: writes the group of each record to labels[0..n); groups are numbered as they are made. Needs n >= k.
// `pairs` makes two groups a round from opposite ends, as MDAV does, instead of one.
void vmdav(Records X, std::size_t k, double gamma, bool pairs, std::size_t threads, std::int64_t* labels,
           const Progress& progress);

}  // namespace microagg
