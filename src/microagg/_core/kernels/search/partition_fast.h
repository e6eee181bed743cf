// A partition of very many records, in near-linear time.
#pragma once

#include "kernels/base/records.h"
#include "kernels/promises/promises.h"

namespace microagg {

struct FastPlan {
    std::size_t sweeps;   // how often each record looks for another place while all groups are annealed
    std::size_t longest;  // steps of a chain
    std::size_t passes;   // over all blocks, after a first one
    std::uint64_t seed;
    std::size_t threads;
};

// Annealing of all groups at once, and in blocks of whole groups, and chains of records.
// Where there are promises, labels hold groups that keep them, and go on to; otherwise the groups to start with are
// made here.
void partition_fast(Records X, std::size_t k, const Promises* promises, const FastPlan& plan, const Progress& progress,
                    std::int64_t* labels);

}  // namespace microagg
