// Mondrian for numbers: cuts across the widest column, as long as both sides keep k records (mondrian.cpp).
#pragma once

#include "kernels/base/records.h"

namespace microagg {

// Strict or relaxed multidimensional Mondrian. Writes the group of each record to labels[0..n).
void mondrian(Records X, std::size_t k, bool strict, std::int64_t* labels, const Progress& progress);

}  // namespace microagg
