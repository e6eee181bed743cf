// Mondrian for categories: cuts of the widest column where its values lie apart (semantic_mondrian.cpp).
#pragma once

#include "kernels/base/records.h"
#include "kernels/semantic/space.h"

namespace microagg {

enum class CutRule { kCentroid, kGap, kMedian };

// Labels of tuples. literal: the rules as they are printed (semantic_mondrian.cpp). ranks: where each value of each
// column stands in the order to cut, one column after the other.
void semantic_mondrian(const Space& space, std::int64_t k, CutRule rule, bool literal, const std::int64_t* ranks,
                       std::int64_t* labels, const Progress& progress);

}  // namespace microagg
