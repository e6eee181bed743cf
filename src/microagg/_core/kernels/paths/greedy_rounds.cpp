// Greedy edge in rounds.
//
//   take edges:  sort the edges of the lists; take each that joins ends of two paths
//   join paths:  while there is more than one path:
//                    near neighbours of the ends, among the ends
//                    take the shortest edges of these lists that join ends of two paths
//
// An end has two neighbours at least, and one of them is not the other end of its own path: the shortest edge to such a
// one can be taken, so that every round joins something. Most rounds leave a third of the paths or fewer.
#include "kernels/paths/greedy_rounds.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "kernels/base/constants.h"
#include "kernels/base/watch.h"

namespace microagg {
namespace {

constexpr std::size_t kListed = 8;  // neighbours of an end

struct Edge {
    double distance;
    std::uint32_t low, high;
    bool operator<(const Edge& other) const {
        return std::tie(distance, low, high) < std::tie(other.distance, other.low, other.high);
    }
};

bool is_inner(const Links& links, std::uint32_t row) { return links[2 * row + 1] != kNobody; }

std::uint32_t follow(const Links& links, std::uint32_t row, std::uint32_t before) {
    return links[2 * row] == before ? links[2 * row + 1] : links[2 * row];
}

// The other end of the path of each end; anything for inner rows.
std::vector<std::uint32_t> other_ends(const Links& links) {
    const std::size_t n = links.size() / 2;
    std::vector<std::uint32_t> tail(n, kNobody);
    for (std::uint32_t end = 0; end < n; ++end) {
        if (is_inner(links, end) || tail[end] != kNobody) continue;
        std::uint32_t before = kNobody, row = end;
        for (std::uint32_t next = links[2 * end]; next != kNobody;) {
            before = row;
            row = next;
            next = follow(links, row, before);
        }
        tail[end] = row;
        tail[row] = end;
    }
    return tail;
}

// Gives how many were taken.
std::size_t take(std::vector<Edge>& edges, Links& links, std::vector<std::uint32_t>& tail) {
    std::sort(edges.begin(), edges.end());
    std::size_t taken = 0;
    for (const Edge& edge : edges) {
        const std::uint32_t a = edge.low, b = edge.high;
        if (is_inner(links, a) || is_inner(links, b) || tail[a] == b) continue;
        links[2 * a + (links[2 * a] != kNobody)] = b;
        links[2 * b + (links[2 * b] != kNobody)] = a;
        const std::uint32_t start = tail[a], end = tail[b];
        tail[start] = end;
        tail[end] = start;
        ++taken;
    }
    return taken;
}

void add_edges(Records X, const Graph& lists, const std::uint32_t* rows, std::vector<Edge>& edges) {
    for (std::uint32_t i = 0; i < X.n; ++i)
        for (std::size_t t = 0; t < lists.count; ++t) {
            const std::uint32_t j = lists.of(i)[t];
            const std::uint32_t a = rows ? rows[i] : i, b = rows ? rows[j] : j;
            edges.push_back({squared_distance(X[i], X[j], X.m), std::min(a, b), std::max(a, b)});
        }
}

}  // namespace

Neighbours near_lists(Records X, std::size_t count, std::uint64_t seed, std::size_t threads, const Progress& progress) {
    Watch watch(progress, kInfinity);
    Neighbours lists;
    static_cast<Graph&>(lists) =
        near_neighbours(X, count, seed, threads, watch, [&](double done) { watch.report(done); });
    watch.rethrow();
    // By the distance that decides, since the search for near ones rounds; ties to the lower row.
    lists.distances.resize(lists.rows.size());
    std::vector<std::pair<double, std::uint32_t>> ranked(lists.count);
    for (std::size_t row = 0; row < X.n; ++row) {
        for (std::size_t t = 0; t < lists.count; ++t) {
            const std::uint32_t other = lists.rows[row * lists.count + t];
            ranked[t] = {std::sqrt(squared_distance(X[row], X[other], X.m)), other};
        }
        std::sort(ranked.begin(), ranked.end());
        for (std::size_t t = 0; t < lists.count; ++t)
            std::tie(lists.distances[row * lists.count + t], lists.rows[row * lists.count + t]) = ranked[t];
    }
    return lists;
}

void take_edges(Records X, const Neighbours& lists, Links& links) {
    std::vector<Edge> edges;
    edges.reserve(X.n * lists.count);
    add_edges(X, lists, nullptr, edges);
    std::vector<std::uint32_t> tail = other_ends(links);
    take(edges, links, tail);
}

void join_paths(Records X, Links& links, std::uint64_t seed, std::size_t threads, std::int64_t* order) {
    std::vector<std::uint32_t> tail = other_ends(links), ends(X.n);
    std::iota(ends.begin(), ends.end(), 0U);
    std::vector<double> points;
    std::vector<Edge> edges;
    std::size_t n_paths = 0;
    for (std::uint32_t row = 0; row < X.n; ++row) n_paths += !is_inner(links, row) && row <= tail[row];
    while (n_paths > 1) {
        ends.erase(std::remove_if(ends.begin(), ends.end(), [&](std::uint32_t row) { return is_inner(links, row); }),
                   ends.end());
        points.resize(ends.size() * X.m);
        for (std::size_t i = 0; i < ends.size(); ++i) std::copy_n(X[ends[i]], X.m, &points[i * X.m]);
        const Records at{points.data(), ends.size(), X.m};
        Watch nobody([](double) {}, kInfinity);
        edges.clear();
        add_edges(at, near_neighbours(at, kListed, seed, threads, nobody, [](double) {}), ends.data(), edges);
        n_paths -= take(edges, links, tail);
    }
    std::uint32_t row = 0, before = kNobody;
    while (is_inner(links, row)) ++row;
    for (std::size_t t = 0; t < X.n; ++t) {
        order[t] = static_cast<std::int64_t>(row);
        const std::uint32_t next = follow(links, row, before);
        before = row;
        row = next;
    }
}

}  // namespace microagg
