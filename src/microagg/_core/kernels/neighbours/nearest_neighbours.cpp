// The nearest records of every record: searches in a k-d tree, threads over its leaves.
#include "kernels/neighbours/nearest_neighbours.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/pool.h"
#include "kernels/neighbours/spatial_tree.h"

namespace microagg {

Neighbours nearest_neighbours(Records X, std::size_t count, std::size_t threads, const Progress& progress) {
    Neighbours result;
    result.count = std::min(count, X.n - 1);
    if (result.count == 0) return result;
    result.rows.resize(X.n * result.count);
    result.distances.resize(X.n * result.count);
    const SpatialTree tree(X);
    std::vector<std::vector<Ranked>> buffers(threads);
    in_parallel(tree.n_leaves(), 1, threads, progress, [&](std::size_t leaf, std::size_t thread) {
        std::vector<Ranked>& found = buffers[thread];
        found.resize(SpatialTree::kLeaf * result.count);
        const std::vector<std::uint32_t> rows = tree.nearest_of_leaf(leaf, result.count, found.data());
        for (std::size_t i = 0; i < rows.size() * result.count; ++i) {
            const std::size_t at = rows[i / result.count] * result.count + i % result.count;
            result.rows[at] = static_cast<std::uint32_t>(found[i].row);
            result.distances[at] = std::sqrt(found[i].distance);
        }
    });
    return result;
}

}  // namespace microagg
