// Record linkage by distance: whom would somebody who knows the original record take for its release?
//
//   the own release is at a known distance, so nothing beyond it is looked at, and a nearer record ends the search
//   equal releases are one point with a count, so that large groups cost nothing
#include "kernels/risk/link_records.h"

#include "kernels/base/pool.h"
#include "kernels/neighbours/spatial_tree.h"

namespace microagg {

void link_records(Records original, Records released, const std::int64_t* classes, const std::int64_t* counts,
                  std::size_t threads, const Progress& progress, std::int64_t* ties) {
    constexpr std::size_t kAtOnce = 256;
    const SpatialTree tree(released);
    in_parallel(original.n, kAtOnce, threads, progress, [&](std::size_t i, std::size_t) {
        const auto own = static_cast<std::size_t>(classes[i]);
        const double distance = squared_distance(original[i], released[own], original.m);
        ties[i] = tree.ties_at(original[i], distance, counts);
    });
}

}  // namespace microagg
