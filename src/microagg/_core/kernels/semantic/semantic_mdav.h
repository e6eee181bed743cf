// MDAV for categories: clusters grow around semantic centroids (semantic_mdav.cpp).
#pragma once

#include "kernels/base/records.h"
#include "kernels/semantic/space.h"

namespace microagg {

// S-MDAV, SA-MDAV and SA-MDAV-static. Whole tuples: labels[t] for each tuple, distances weighted by counts,
// those of tuples that might join only if weighted. Else labels of the records, those of tuple 0 first, every record on
// its own. Needs at least k records.
void semantic_mdav(const Space& space, std::int64_t k, bool whole_tuples, bool recompute, bool weighted,
                   std::int64_t* labels, const Progress& progress);

// MDAV as for numbers, records on their own: labels as above.
void mdav_generic(const Space& space, std::int64_t k, std::int64_t* labels, const Progress& progress);

}  // namespace microagg
