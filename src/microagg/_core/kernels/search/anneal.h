// Simulated annealing of the groups of a block.
#pragma once

#include <atomic>
#include <functional>

#include "kernels/base/random.h"
#include "kernels/search/grouping.h"

namespace microagg {

// Anneals from the temperature `heat` (a multiple of each record's own scale) down to nothing, then descends.
// `fraction(moves)` says how much of the round is over after so many moves; at 1 it ends.
// Gives how much the descent compared.
std::size_t anneal(Grouping& groups, Random& random, double heat, const std::function<double(std::size_t)>& fraction,
                   const std::atomic<bool>& stop);

}  // namespace microagg
