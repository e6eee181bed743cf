// The nearest records of every record: one search in a k-d tree for each, threads over blocks of records.
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

    constexpr std::size_t kBlock = 256;
    const std::size_t blocks = (X.n + kBlock - 1) / kBlock;
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stop{false};
    const auto work = [&](bool reports) {
        std::vector<SpatialTree::Found> found(result.count);
        for (std::size_t block = next++; block < blocks && !stop; block = next++) {
            for (std::size_t t = block * kBlock; t < std::min(X.n, (block + 1) * kBlock); ++t) {
                const std::size_t row = tree.rows()[t];
                tree.nearest(row, result.count, found.data());
                for (std::size_t i = 0; i < result.count; ++i) {
                    result.rows[row * result.count + i] = found[i].row;
                    result.distances[row * result.count + i] = std::sqrt(found[i].distance);
                }
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
