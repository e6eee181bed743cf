// Kicks: iterated local search, one small place after the other.
#pragma once

#include <atomic>
#include <vector>

#include "kernels/base/random.h"
#include "kernels/search/grouping.h"

namespace microagg {

// Disturbs the groups around a record that is chosen at random, repairs them by local search, and takes it
// all back unless the sum of squared errors is lower then: `count` times, or until `stop` is set. Promises are kept.
// Gives how much local search compared.
std::size_t kick(Grouping& groups, Random& random, std::size_t count, const std::atomic<bool>& stop);

}  // namespace microagg
