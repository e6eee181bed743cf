// MHM: the optimal cut of an order of records into groups (cut_order.cpp).
#pragma once

#include "kernels/base/records.h"

namespace microagg {

// Cuts `order` into runs of k..2k-1 records with the least within-run sum of squares; writes the run of each
// record to labels[0..n). Runs are numbered along the order. Needs n >= k.
void cut_order(Records X, const std::int64_t* order, std::size_t k, std::int64_t* labels, const Progress& progress);

}  // namespace microagg
