// CBFS, centroid-based fixed-size microaggregation (Laszlo and Mukherjee 2005).
//
//   while at least 2k records remain:
//       r = the record farthest from the centroid of the remaining;  group r with its k-1 nearest
//   the rest, k to 2k-1 records, is the last group
#include "kernels/mdav/cbfs.h"

#include "kernels/mdav/groups.h"
#include "kernels/mdav/remaining.h"

namespace microagg {

void cbfs(Records X, std::size_t k, std::size_t threads, std::int64_t* labels, const Progress& progress) {
    Remaining remaining(X, {k - 1, false, threads});
    Groups groups(X, remaining, labels);
    while (remaining.size() >= 2 * k) {
        groups.make(remaining.farthest_from_centroid(), k);
        progress(groups.done());
    }
    groups.make_of_rest();
}

}  // namespace microagg
