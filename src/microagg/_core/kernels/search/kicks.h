// Kicks: iterated local search of small places, many at the same time.
#pragma once

#include <atomic>
#include <cstdint>

#include "kernels/search/grouping.h"

namespace microagg {

struct Kicks {
    std::size_t count;
    double heat;        // of the cooling that they are part of, in units of a record's own scale
    double begin, end;  // which part of it they are: 0 is its start, 1 its end
};

// Disturbs the groups around a record that is chosen at random, repairs them by local search, and takes it all back
// unless the sum of squared errors is lower then, or hardly higher while it is warm: so many times, or until `stop` is
// set. Promises are kept. The same on any number of threads. Gives how much local search compared.
std::size_t kick(Grouping& groups, const Kicks& kicks, std::uint64_t seed, std::size_t threads,
                 const std::atomic<bool>& stop);

}  // namespace microagg
