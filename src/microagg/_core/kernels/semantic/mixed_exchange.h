// Annealing of all groups of categories and numbers at once (mixed_exchange.cpp).
#pragma once

#include "kernels/base/records.h"
#include "kernels/promises/promises.h"
#include "kernels/semantic/space.h"

namespace microagg {

struct MixedRounds {
    std::size_t k;
    std::size_t neighbours;  // tuples in whose groups a record looks for a better place
    std::size_t exhaustive;  // up to so many tuples every pair is compared to find the near ones
    std::size_t rounds;      // of moves, and of groups founded and closed, before and after the exchanges, at most
    double sweeps;           // how often each record looks, about
    double heat;             // to begin with, in units of a record's own scale
    std::uint64_t seed;
    std::size_t threads;                 // the result does not depend on it
    const Promises* promises = nullptr;  // on the confidential values of each tuple, which all its records share
};

// Improves the partition labels (of records, those of tuple 0 first; groups of at least k), in place; the loss never
// gets higher. weights and means as in mixed_search.h. No record is exchanged with a group of 2k records or more, or of
// 4k where there are promises.
void mixed_exchange(const Space& space, const MixedRounds& plan, const double* weights, const bool* means,
                    std::int64_t* labels, const Progress& progress);

}  // namespace microagg
