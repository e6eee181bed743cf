// The published ways to keep promises by microaggregation (Soria-Comas, Domingo-Ferrer, Sanchez and Martinez 2015).
#pragma once

#include "kernels/base/records.h"
#include "kernels/promises/promises.h"

namespace microagg {

// Merges the group that lacks most with the one whose centroid is nearest, until no group lacks anything.
void merge_until_kept(Records X, const Promises& promises, const Progress& progress, std::int64_t* labels);

// Groups of k around the records at the two far ends, as in MDAV; records of a group that lacks something change places
// with others, nearest first, where it lacks less then. Groups may lack something in the end.
void k_anonymity_first(Records X, std::size_t k, const Promises& promises, const Progress& progress,
                       std::int64_t* labels);

// Groups of one record of each part, around the records at the two far ends: of each part the nearest; and the nearest
// of those that parts have more of than there are groups to come.
void one_of_each(Records X, const std::int64_t* parts, std::size_t n_parts, const Progress& progress,
                 std::int64_t* labels);

}  // namespace microagg
