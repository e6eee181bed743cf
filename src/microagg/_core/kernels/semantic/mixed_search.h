// Local search on categories and numbers alike (mixed_search.cpp).
#pragma once

#include "kernels/base/records.h"
#include "kernels/promises/promises.h"
#include "kernels/semantic/space.h"

namespace microagg {

struct MixedOptions {
    std::int64_t k;
    std::size_t neighbours;              // tuples in whose groups a tuple looks for a better place
    std::size_t exhaustive;              // up to so many tuples every pair is compared to find the near ones
    std::size_t rounds;                  // over all tuples, at most
    bool joint;                          // square the sum of a record's distances, not each
    std::size_t threads;                 // the result does not depend on it
    const Promises* promises = nullptr;  // on the confidential values of each tuple, which all its records share
};

// Improves the partition labels (of records, those of tuple 0 first; groups of at least k), in place. weights: how much
// each column counts. means: whether the common value of a column is the mean of its places, else as in Cluster.
void mixed_search(const Space& space, const MixedOptions& options, const double* weights, const bool* means,
                  std::int64_t* labels, const Progress& progress);

}  // namespace microagg
