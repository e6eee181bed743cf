// Exact lists of neighbours, for the paths and for bounds.
//
// Several structures find neighbours, because the questions differ:
//
//   tree           the nearest and the farthest of the records that remain, many questions at once, for the MDAV
//                  family: single precision filters, double precision decides (shortlist.h)
//   spatial_tree   all neighbours of all records (here), the nearest that is left (paths), who is just as far
//                  (linkage): double precision throughout, and records leave one by one
//   centroids      the nearest of points that move and come: boxes widen, and give way to a scan where they do not pay
//   block          all pairs of a few thousand records, in single precision: neighbours only propose moves there
//   Graph          most of the nearest among millions, cell by cell (near_neighbours.h); they too only propose
//   near_tuples    the same for categories and mixed data, whose columns cannot all be put into boxes
//
// The trees share how boxes are drawn (box.h), how records are cut in two (split.h) and how the first few are kept
// (ranked.h). What each does with a leaf is its own. `tree` could answer here too, with the same lists: in a third of
// the time for 8 or 13 columns, but in twice the time for 2.
#pragma once

#include <vector>

#include "kernels/base/records.h"
#include "kernels/neighbours/near_neighbours.h"

namespace microagg {

// With the Euclidean distance of each.
struct Neighbours : Graph {
    std::vector<double> distances;
    const double* distances_of(std::size_t row) const { return &distances[row * count]; }
};

// The `count` nearest records of every record, ties to the lower row.
Neighbours nearest_neighbours(Records X, std::size_t count, std::size_t threads, const Progress& progress);

}  // namespace microagg
