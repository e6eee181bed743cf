// Greedy edge: Kruskal's algorithm with at most two edges at each record (Bentley 1992).
//
//   every record queues its nearest partner
//   while there is more than one path:
//       take the shortest queued edge (u, v)
//       if v has become inner or the other end of u's path:  queue u's nearest partner of now
//       else join the paths at (u, v); queue the next partner of u if u is still an end
//
// Partners come from the neighbour list while it lasts, then from a k-d tree of the ends that are left. Partners only
// get farther, so a queued edge is never too long, and the shortest one that still holds is the shortest of all.
#include "kernels/paths/greedy_edge_path.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <vector>

#include "kernels/base/constants.h"
#include "kernels/neighbours/spatial_tree.h"

namespace microagg {
namespace {

constexpr std::size_t kListed = 10;

struct Edge {
    double distance;
    std::uint32_t from, to;
    bool operator>(const Edge& other) const {
        const auto key = [](const Edge& e) {
            return std::make_tuple(e.distance, std::min(e.from, e.to), std::max(e.from, e.to));
        };
        return key(*this) > key(other);
    }
};

class Greedy {
  public:
    Greedy(Records records, const Neighbours& neighbours)
        : X(records), lists(neighbours), tree(X), tail(X.n), at(X.n, 0), edges(2 * X.n, kNobody) {
        for (std::uint32_t row = 0; row < X.n; ++row) tail[row] = row;
    }

    void run(std::int64_t* order, const Progress& progress) {
        for (std::uint32_t row = 0; row < X.n; ++row) queue_partner(row);
        for (std::size_t joined = 0; joined + 1 < X.n;) {
            const Edge edge = queue.top();
            queue.pop();
            if (is_inner(edge.from)) continue;
            if (!is_inner(edge.to) && tail[edge.from] != edge.to) {
                join(edge.from, edge.to);
                if (++joined % 1024 == 0) progress(static_cast<double>(joined) / static_cast<double>(X.n));
            }
            if (!is_inner(edge.from)) queue_partner(edge.from);
        }
        std::uint32_t row = 0;
        while (is_inner(row)) ++row;
        std::uint32_t before = kNobody;
        for (std::size_t t = 0; t < X.n; ++t) {
            order[t] = static_cast<std::int64_t>(row);
            const std::uint32_t next = edges[2 * row] == before ? edges[2 * row + 1] : edges[2 * row];
            before = row;
            row = next;
        }
    }

  private:
    bool is_inner(std::uint32_t row) const { return edges[2 * row + 1] != kNobody; }

    void queue_partner(std::uint32_t row) {
        std::uint32_t& i = at[row];
        while (i < lists.count && (is_inner(lists.of(row)[i]) || lists.of(row)[i] == tail[row])) ++i;
        if (i < lists.count) {
            const std::uint32_t partner = lists.of(row)[i];
            queue.push({squared_distance(X[row], X[partner], X.m), row, partner});
        } else {
            const Ranked found = tree.nearest_left(row, tail[row]);
            if (found.row != kNowhere) queue.push({found.distance, row, static_cast<std::uint32_t>(found.row)});
        }
    }

    void join(std::uint32_t a, std::uint32_t b) {
        for (const auto& [here, there] : {std::make_pair(a, b), std::make_pair(b, a)}) {
            const bool second = edges[2 * here] != kNobody;
            edges[2 * here + second] = there;
            if (second) tree.remove(here);
        }
        const std::uint32_t start = tail[a], end = tail[b];
        tail[start] = end;
        tail[end] = start;
    }

    Records X;
    const Neighbours& lists;
    SpatialTree tree;
    std::vector<std::uint32_t> tail;   // the other end of the path that a record ends
    std::vector<std::uint32_t> at;     // how far a record is through its list
    std::vector<std::uint32_t> edges;  // the two neighbours of a record along its path
    std::priority_queue<Edge, std::vector<Edge>, std::greater<Edge>> queue;
};

}  // namespace

void greedy_edge_path(Records X, std::size_t threads, std::int64_t* order, const Progress& progress) {
    const Neighbours lists = nearest_neighbours(X, kListed, threads, part_of(progress, 0.0, 0.5));
    greedy_edge_path(X, lists, order, part_of(progress, 0.5, 1.0));
}

void greedy_edge_path(Records X, const Neighbours& lists, std::int64_t* order, const Progress& progress) {
    Greedy(X, lists).run(order, progress);
}

}  // namespace microagg
