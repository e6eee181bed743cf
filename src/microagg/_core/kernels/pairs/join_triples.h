// Two groups of three become three pairs, along paths of pairs that change their mates.
#pragma once

#include <vector>

#include "kernels/base/watch.h"
#include "kernels/pairs/halves.h"
#include "kernels/pairs/packs.h"

namespace microagg {

// Changes packs as long as that lowers the sum of their squared errors, or `watch` stops. `prices` are those of the
// edges, and tell which paths are short. `reached` is told how much of a round is done.
void join_triples(const Edges& edges, const std::vector<double>& prices, const Watch& watch, const Progress& reached,
                  Packs& packs);

}  // namespace microagg
