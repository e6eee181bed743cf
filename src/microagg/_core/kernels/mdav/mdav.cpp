// MDAV (Domingo-Ferrer and Torra 2005; Domingo-Ferrer et al. 2006).
//
//   while at least 3k records remain:
//       r = the record farthest from the centroid of the remaining;  group r with its k-1 nearest
//       s = the record farthest from r of what is left;              group s with its k-1 nearest
//   if at least 2k remain:
//       r = the record farthest from the centroid of the remaining;  group r with its k-1 nearest
//   the rest is the last group
#include "kernels/mdav/mdav.h"

#include "kernels/mdav/groups.h"
#include "kernels/mdav/remaining.h"

namespace microagg {

void mdav(Records X, std::size_t k, std::size_t threads, std::int64_t* labels, const Progress& progress) {
    Remaining remaining(X, {k - 1, true, threads});
    Groups groups(X, remaining, labels);
    while (remaining.size() >= 3 * k) {
        const std::size_t r = remaining.farthest_from_centroid();
        groups.make(r, k);
        groups.make(remaining.farthest(r).row, k);
        progress(groups.done());
    }
    if (remaining.size() >= 2 * k) groups.make(remaining.farthest_from_centroid(), k);
    groups.make_of_rest();
}

}  // namespace microagg
