// Tuples move, and groups are founded and closed, on any number of threads (mixed_regroup.cpp).
#pragma once

#include <vector>

#include "kernels/base/records.h"
#include "kernels/promises/promises.h"
#include "kernels/semantic/piece_loss.h"

namespace microagg {

struct Regrouping {
    std::int64_t k;
    std::size_t places;                           // groups that a tuple looks at, at most
    std::size_t rounds;                           // over all tuples, at most
    std::size_t threads;                          // the result does not depend on it
    const Promises* promises = nullptr;           // on the confidential values of each tuple
    const std::uint32_t* promise_rows = nullptr;  // the row of promises that each tuple is
};

// Improves the partition labels (of records, those of tuple 0 first; groups of at least k), in place; the loss never
// gets higher. near: the near tuples of each, itself first.
void mixed_regroup(const Space& space, const Regrouping& plan, const MixedRows& rows,
                   const std::vector<std::vector<std::size_t>>& near, std::int64_t* labels, const Progress& progress);

}  // namespace microagg
