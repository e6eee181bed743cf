// Kicks: iterated local search, one small place after the other.
#pragma once

#include <atomic>
#include <vector>

#include "kernels/base/random.h"
#include "kernels/search/grouping.h"

namespace microagg {

// Disturbs the groups around one of the records `among`, chosen at random, repairs them by local search, and takes it
// all back unless the sum of squared errors is lower then: `count` times, or until `stop` is set. Promises are kept.
void kick(Grouping& groups, Random& random, const std::vector<std::uint32_t>& among, std::size_t count,
          const std::atomic<bool>& stop);

}  // namespace microagg
