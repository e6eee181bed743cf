// Clusters around modes (k_modes.cpp).
#pragma once

#include "kernels/base/records.h"
#include "kernels/semantic/space.h"

namespace microagg {

// k-modes from these initial tuples, then every cluster of fewer than k records is dissolved: labels[t] of each tuple.
void k_modes(const Space& space, std::int64_t k, const std::int64_t* initial, std::size_t n_initial,
             std::size_t most_rounds, std::int64_t* labels, const Progress& progress);

}  // namespace microagg
