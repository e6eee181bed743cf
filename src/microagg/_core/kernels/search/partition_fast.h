// A partition of very many records, in near-linear time.
#pragma once

#include "kernels/base/records.h"

namespace microagg {

// Annealing in blocks of whole groups, `passes` times over all records.
void partition_fast(Records X, std::size_t k, std::size_t passes, std::uint64_t seed, std::size_t threads,
                    const Progress& progress, std::int64_t* labels);

}  // namespace microagg
