#pragma once

#include "kernels/records.h"
#include "kernels/space.h"

namespace microagg {

// Numbers: strict or relaxed multidimensional Mondrian. labels[0..n).
void mondrian(Records X, std::size_t k, bool strict, std::int64_t* labels, const Progress& progress);

enum class CutRule : std::int64_t { centroid = 0, gap = 1, median = 2 };

// Categories: labels of tuples. ranks: where each value of each column stands in the order to cut, one column after
// the other.
void semantic_mondrian(const Space& space, std::int64_t k, CutRule rule, const std::int64_t* ranks,
                       std::int64_t* labels, const Progress& progress);

}  // namespace microagg
