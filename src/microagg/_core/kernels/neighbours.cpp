// The nearest records of every record: searches in a k-d tree, threads over its leaves.
#include "kernels/neighbours.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "kernels/spatial_tree.h"

namespace microagg {

Neighbours nearest_neighbours(Records X, std::size_t count, std::size_t threads, const Progress& progress) {
    Neighbours result;
    result.count = std::min(count, X.n - 1);
    if (result.count == 0) return result;
    result.rows.resize(X.n * result.count);
    result.distances.resize(X.n * result.count);
    const SpatialTree tree(X);

    const std::size_t blocks = tree.n_leaves();
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stop{false};
    const auto work = [&](bool reports) {
        std::vector<SpatialTree::Found> found(SpatialTree::kLeaf * result.count);
        for (std::size_t block = next++; block < blocks && !stop; block = next++) {
            const std::vector<std::uint32_t> rows = tree.nearest_of_leaf(block, result.count, found.data());
            for (std::size_t i = 0; i < rows.size() * result.count; ++i) {
                const std::size_t at = rows[i / result.count] * result.count + i % result.count;
                result.rows[at] = found[i].row;
                result.distances[at] = std::sqrt(found[i].distance);
            }
            if (reports) progress(static_cast<double>(block) / static_cast<double>(blocks));
        }
    };
    std::vector<std::thread> others;
    for (std::size_t t = 1; t < std::min(threads, blocks); ++t) others.emplace_back(work, false);
    try {
        work(true);
    } catch (...) {
        stop = true;
        for (std::thread& other : others) other.join();
        throw;
    }
    for (std::thread& other : others) other.join();
    return result;
}

}  // namespace microagg
