// Nearest neighbour: walk to the nearest record that is left.
//
//   current = start
//   repeat:  the first record of current's neighbour list that is left, else a search in the k-d tree of those left
//
// The lists are exact and sorted, so the first one left is the nearest one left. They answer most steps; the tree
// answers the jumps at the end, when few records are left.
#include "kernels/paths/nearest_neighbour_path.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "kernels/base/pool.h"
#include "kernels/neighbours/nearest_neighbours.h"
#include "kernels/neighbours/spatial_tree.h"

namespace microagg {
namespace {

constexpr std::size_t kListed = 16;

class Walker {
  public:
    Walker(Records records, const Neighbours& neighbours) : X(records), lists(neighbours), tree(X), visited(X.n) {}

    // Gives the length of the path. A `last` that is not the start is visited when no other record is left.
    double walk(std::size_t start, std::size_t last, std::int64_t* order, const Progress& progress) {
        tree.restore();
        std::fill(visited.begin(), visited.end(), 0);
        double length = 0.0;
        std::size_t current = start;
        const std::size_t steps = last == start ? X.n : X.n - 1;
        if (last != start) {
            visited[last] = 1;
            tree.remove(last);
        }
        for (std::size_t t = 0; t < steps; ++t) {
            order[t] = static_cast<std::int64_t>(current);
            visited[current] = 1;
            tree.remove(current);
            if (t + 1 == steps) break;
            std::size_t i = 0;
            while (i < lists.count && visited[lists.of(current)[i]]) ++i;
            if (i < lists.count) {
                length += lists.distances_of(current)[i];
                current = lists.of(current)[i];
            } else {
                const Ranked found = tree.nearest_left(current);
                length += std::sqrt(found.distance);
                current = found.row;
            }
            if (t % 1024 == 0) progress(static_cast<double>(t) / static_cast<double>(X.n));
        }
        if (last != start) {
            order[steps] = static_cast<std::int64_t>(last);
            length += std::sqrt(squared_distance(X[current], X[last], X.m));
        }
        return length;
    }

  private:
    Records X;
    const Neighbours& lists;
    SpatialTree tree;
    std::vector<char> visited;
};

// Calls walk(walker, number, thread) for each of the numbers first..last-1, with a walker for each thread.
template <typename Walk>
void walk_from_each(Records X, const Neighbours& lists, std::size_t first, std::size_t last, std::size_t threads,
                    const Progress& progress, const Walk& walk) {
    std::vector<std::optional<Walker>> walkers(threads);
    in_parallel(last - first, 1, threads, progress, [&](std::size_t number, std::size_t thread) {
        if (!walkers[thread]) walkers[thread].emplace(X, lists);
        walk(*walkers[thread], first + number, thread);
    });
}

}  // namespace

void nearest_neighbour_path(Records X, std::size_t start, std::size_t threads, std::int64_t* order,
                            const Progress& progress) {
    const Neighbours lists = nearest_neighbours(X, kListed, threads, part_of(progress, 0.0, 0.5));
    Walker(X, lists).walk(start, start, order, part_of(progress, 0.5, 1.0));
}

void nearest_neighbour_paths(Records X, std::size_t first, std::size_t last, std::size_t threads, std::int64_t* orders,
                             const Progress& progress) {
    const Neighbours lists = nearest_neighbours(X, kListed, threads, [](double) {});
    walk_from_each(X, lists, first, last, threads, progress, [&](Walker& walker, std::size_t start, std::size_t) {
        walker.walk(start, start, orders + (start - first) * X.n, [](double) {});
    });
}

void best_nearest_neighbour_path(Records X, const std::int64_t* firsts, const std::int64_t* lasts, std::size_t count,
                                 std::size_t threads, std::int64_t* order, const Progress& progress) {
    const Neighbours lists = nearest_neighbours(X, kListed, threads, part_of(progress, 0.0, 0.2));
    std::vector<std::vector<std::int64_t>> paths(threads, std::vector<std::int64_t>(X.n));
    std::vector<double> lengths(count);
    const auto walk = [&](Walker& walker, std::size_t number, std::int64_t* path) {
        return walker.walk(static_cast<std::size_t>(firsts[number]), static_cast<std::size_t>(lasts[number]), path,
                           [](double) {});
    };
    walk_from_each(X, lists, 0, count, threads, part_of(progress, 0.2, 1.0),
                   [&](Walker& walker, std::size_t number, std::size_t thread) {
                       lengths[number] = walk(walker, number, paths[thread].data());
                   });
    const auto shortest = std::min_element(lengths.begin(), lengths.end());
    Walker walker(X, lists);
    walk(walker, static_cast<std::size_t>(shortest - lengths.begin()), order);
}

}  // namespace microagg
