// Record linkage by distance: whom would somebody who knows the original record take for its release?
//
//   the own release is at a known distance, so nothing beyond it is looked at, and a nearer record ends the search
//   equal releases are one point with a count, so that large groups cost nothing
#include "kernels/linkage.h"

#include <algorithm>

#include "kernels/in_parallel.h"
#include "kernels/spatial_tree.h"

namespace microagg {

void link_records(Records original, Records released, const std::int64_t* classes, const std::int64_t* counts,
                  std::size_t threads, const Progress& progress, std::int64_t* ties) {
    constexpr std::size_t kBlock = 256;
    const SpatialTree tree(released);
    const std::size_t blocks = (original.n + kBlock - 1) / kBlock;
    const auto make_worker = [&] {
        return [&](std::size_t block) {
            for (std::size_t i = block * kBlock; i < std::min(original.n, (block + 1) * kBlock); ++i) {
                const auto own = static_cast<std::size_t>(classes[i]);
                const double distance = squared_distance(original[i], released[own], original.m);
                ties[i] = tree.ties_at(original[i], distance, counts);
            }
        };
    };
    in_parallel(blocks, threads, make_worker,
                [&](std::size_t block) { progress(static_cast<double>(block) / static_cast<double>(blocks)); });
}

}  // namespace microagg
