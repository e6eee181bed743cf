// A partition changed, at little cost, so that its groups keep promises on confidential values.
#pragma once

#include "kernels/base/records.h"
#include "kernels/promises/promises.h"

namespace microagg {

// labels: groups of at least k. Afterwards every group keeps all promises, if all records together do.
void repair_promises(Records X, std::size_t k, const Promises& promises, std::uint64_t seed, std::size_t threads,
                     const Progress& progress, std::int64_t* labels);

}  // namespace microagg
