// Near tuples of every tuple, for categories and mixed data, whose columns cannot all be put into boxes.
#pragma once

#include <vector>

#include "kernels/semantic/space.h"

namespace microagg {

// The nearest tuples of each, itself first, at most `wanted` others: by squared distances times `scale`, summed over
// columns, or, joint, by distances times `scale`. Up to `exhaustive` tuples every pair is compared; of more, those that
// meet in a leaf of one of several trees, so that some near ones may be missed.
std::vector<std::vector<std::size_t>> near_tuples(const Space& space, const std::vector<double>& scale, bool joint,
                                                  std::size_t wanted, std::size_t exhaustive, std::size_t threads);

}  // namespace microagg
