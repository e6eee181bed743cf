// The mean of each group (group_means.cpp).
#pragma once

#include "kernels/base/records.h"

namespace microagg {

// The mean of each group, n_groups x m, weighted where weights are given (null: every record counts once).
// A column that is constant in a group keeps its exact value. Every group must have a record of positive weight.
void group_means(Records X, const std::int64_t* labels, std::size_t n_groups, const double* weights, double* means);

}  // namespace microagg
