// A partition of very many records, in near-linear time.
#pragma once

#include "kernels/base/records.h"
#include "kernels/promises/promises.h"

namespace microagg {

// Annealing in blocks of whole groups, `passes` times over all records.
// Where there are promises, labels hold groups that keep them, and go on to; otherwise the groups to start with are
// made here.
void partition_fast(Records X, std::size_t k, const Promises* promises, std::size_t passes, std::uint64_t seed,
                    std::size_t threads, const Progress& progress, std::int64_t* labels);

}  // namespace microagg
