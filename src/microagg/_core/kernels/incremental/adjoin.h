// New records join groups that exist (adjoin.cpp).
#pragma once

#include "kernels/base/records.h"
#include "kernels/neighbours/centroids.h"

namespace microagg {

// When a group that has grown to 2k or more is split by MDAV.
enum class Split { kNone, kMiddle, kEnd };

// Lets the records n_base..n-1, in the order of their rows, join the groups of the records before them: each the group
// with the nearest centroid; the lower group on a tie. The centroids are those of the first records, save for groups
// that are split; with `moving`, they move as the groups grow. With inertia, the squared distance counts size / (size +
// 1), the size being what the group has grown to: what its sum of squared errors would grow by if the centroid moves.
// labels[0..n_base) are given, groups 0 to G-1 of at least k each; the others are written. The first part of a group
// that is split keeps its number, the others get new ones. No squared distance may overflow.
void adjoin(Records X, std::size_t n_base, std::size_t k, Split split, bool inertia, bool moving, Search search,
            std::int64_t* labels, const Progress& progress);

// For each record from `first` on: the `count` groups with the nearest centroids, ascending, the lower group on a tie.
// Only the first n_labels records have groups, 0 to G-1, at least `count` of them.
void closest_groups(Records X, const std::int64_t* labels, std::size_t n_labels, std::size_t first, std::size_t count,
                    std::int64_t* closest, const Progress& progress);

}  // namespace microagg
