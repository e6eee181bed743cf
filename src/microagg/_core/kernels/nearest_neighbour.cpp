// Nearest neighbour: walk to the nearest record that is left.
//
//   current = start
//   repeat:  the first record of current's neighbour list that is left, else a search in the k-d tree of those left
//
// The lists are exact and sorted, so the first one left is the nearest one left. They answer most steps; the tree
// answers the jumps at the end, when few records are left.
#include "kernels/nearest_neighbour.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "kernels/neighbours.h"
#include "kernels/spatial_tree.h"

namespace microagg {
namespace {

constexpr std::size_t kListed = 16;

class Walker {
  public:
    Walker(Records records, const Neighbours& neighbours) : X(records), lists(neighbours), tree(X), visited(X.n) {}

    // Gives the length of the path.
    double walk(std::size_t start, std::int64_t* order, const Progress& progress) {
        tree.restore();
        std::fill(visited.begin(), visited.end(), 0);
        double length = 0.0;
        std::size_t current = start;
        for (std::size_t t = 0; t < X.n; ++t) {
            order[t] = static_cast<std::int64_t>(current);
            visited[current] = 1;
            tree.remove(current);
            if (t + 1 == X.n) break;
            std::size_t i = 0;
            while (i < lists.count && visited[lists.of(current)[i]]) ++i;
            if (i < lists.count) {
                length += lists.distances_of(current)[i];
                current = lists.of(current)[i];
            } else {
                const SpatialTree::Found found = tree.nearest_left(current);
                length += std::sqrt(found.distance);
                current = found.row;
            }
            if (t % 1024 == 0) progress(static_cast<double>(t) / static_cast<double>(X.n));
        }
        return length;
    }

  private:
    Records X;
    const Neighbours& lists;
    SpatialTree tree;
    std::vector<char> visited;
};

// Walks from each of the records first..last-1 and shows each path to visit(worker, start, length, path).
template <typename Visit>
void walk_from_each(Records X, const Neighbours& lists, std::size_t first, std::size_t last, std::size_t workers,
                    const Progress& progress, const Visit& visit) {
    std::atomic<bool> stop{false};
    const auto work = [&](std::size_t worker) {
        Walker walker(X, lists);
        std::vector<std::int64_t> path(X.n);
        for (std::size_t start = first + worker; start < last && !stop; start += workers) {
            const double length = walker.walk(start, path.data(), [](double) {});
            visit(worker, start, length, path);
            if (worker == 0) progress(static_cast<double>(start - first) / static_cast<double>(last - first));
        }
    };
    std::vector<std::thread> others;
    for (std::size_t worker = 1; worker < workers; ++worker) others.emplace_back(work, worker);
    try {
        work(0);
    } catch (...) {
        stop = true;
        for (std::thread& other : others) other.join();
        throw;
    }
    for (std::thread& other : others) other.join();
}

}  // namespace

void nearest_neighbour_path(Records X, std::size_t start, std::size_t threads, std::int64_t* order,
                            const Progress& progress) {
    const Neighbours lists = nearest_neighbours(X, kListed, threads, part_of(progress, 0.0, 0.5));
    Walker(X, lists).walk(start, order, part_of(progress, 0.5, 1.0));
}

void nearest_neighbour_paths(Records X, std::size_t first, std::size_t last, std::size_t threads, std::int64_t* orders,
                             const Progress& progress) {
    const Neighbours lists = nearest_neighbours(X, kListed, threads, [](double) {});
    walk_from_each(X, lists, first, last, std::min(threads, last - first), progress,
                   [&](std::size_t, std::size_t start, double, const std::vector<std::int64_t>& path) {
                       std::copy(path.begin(), path.end(), orders + (start - first) * X.n);
                   });
}

void best_nearest_neighbour_path(Records X, std::size_t threads, std::int64_t* order, const Progress& progress) {
    const Neighbours lists = nearest_neighbours(X, kListed, threads, part_of(progress, 0.0, 0.2));
    const std::size_t workers = std::min(threads, X.n);
    std::vector<double> shortest(workers, std::numeric_limits<double>::infinity());
    std::vector<std::size_t> from(workers, 0);
    walk_from_each(X, lists, 0, X.n, workers, part_of(progress, 0.2, 1.0),
                   [&](std::size_t worker, std::size_t start, double length, const std::vector<std::int64_t>&) {
                       if (length < shortest[worker]) {
                           shortest[worker] = length;
                           from[worker] = start;
                       }
                   });
    std::size_t best = 0;
    for (std::size_t worker = 1; worker < workers; ++worker) {
        if (shortest[worker] < shortest[best] || (shortest[worker] == shortest[best] && from[worker] < from[best])) {
            best = worker;
        }
    }
    Walker(X, lists).walk(from[best], order, [](double) {});
}

}  // namespace microagg
