// Groups for a search to start from.
#pragma once

#include "kernels/base/records.h"

namespace microagg {

// MDAV in cells of some ten thousand records that median cuts make, in near-linear time.
void start_groups(Records X, std::size_t k, std::size_t threads, std::int64_t* labels);

}  // namespace microagg
