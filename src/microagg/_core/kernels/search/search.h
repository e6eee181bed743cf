// The search for the lowest loss of many records: annealing again and again, the better part of everything kept.
#pragma once

#include "kernels/base/records.h"
#include "kernels/promises/promises.h"

namespace microagg {

struct SearchPlan {
    std::size_t k;
    std::uint64_t seed;
    std::size_t threads;
    double time_limit;                   // seconds; infinite where iterations decide
    std::size_t iterations;              // rounds of annealing; 0 where time decides
    const Promises* promises = nullptr;  // kept by every group, from the start on
};

// Groups to start from: MDAV in cells of some ten thousand records that median cuts make, in near-linear time.
void start_groups(Records X, std::size_t k, std::size_t threads, std::int64_t* labels);

// Who is told of a search, from the calling thread. What they throw ends it: labels then hold the best so far, and it
// is thrown on.
struct Listeners {
    Progress fraction;  // of the search that is done
    Progress loss;      // of the best partition so far, in percent of the sum of squares of all records
};

// Improves labels (groups of at least k) until the time or the iterations are over. Gives the sum of squared errors of
// the result, by its books: what a count from the records said at the start, less each decrease.
double search(Records X, const SearchPlan& plan, const Listeners& listeners, std::int64_t* labels);

}  // namespace microagg
