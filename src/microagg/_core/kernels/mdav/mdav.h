// MDAV, maximum distance to average vector (mdav.cpp).
#pragma once

#include "kernels/base/records.h"

namespace microagg {

// MDAV: writes the group of each record to labels[0..n); groups are numbered as they are made. Needs n >= k.
void mdav(Records X, std::size_t k, std::size_t threads, std::int64_t* labels, const Progress& progress);

}  // namespace microagg
