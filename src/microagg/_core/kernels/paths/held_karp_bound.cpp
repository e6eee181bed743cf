// Held and Karp's bound on the shortest path (1970, 1971), by subgradient steps.
//
// A shortest path is a shortest tour through the records and a dummy city at distance 0 from all. Without the dummy
// it is a spanning tree, and the dummy adds two edges: a 1-tree. Prices p on the cities change every tour by the same
// 2 sum(p), so for any prices
//
//   bound(p) = minimum spanning tree of d(i, j) + p_i + p_j  +  the two lowest p_i, for the dummy  -  2 sum(p)
//
// is at most the length of the shortest path. Each step raises the prices of cities with more than two edges in the
// 1-tree and lowers those of cities with one:
//
//   p += step * (degree - 2),   step = factor * (upper - bound) / sum((degree - 2)^2)
//
// the factor being halved when the bound has not risen for a while. The best bound seen is returned. The tree is
// Prim's over all pairs: n^2 distances a step and memory linear in n, so no edge is left out and the bound is valid.
// The dummy's own price is kept at 0. With a start, the dummy takes the edge to it and the lowest other price.
#include "kernels/paths/held_karp_bound.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/base/constants.h"

namespace microagg {
namespace {

constexpr std::size_t kPatience = 10;
constexpr std::size_t kMatrix = 4500;  // up to so many records all distances are kept

class OneTree {
  public:
    OneTree(Records records, std::size_t first) : price(records.n, 0.0), degree(records.n), X(records), start(first) {
        if (X.n <= kMatrix) {
            distances.resize(X.n * X.n);
            for (std::size_t a = 0; a < X.n; ++a) fill_distances(a, &distances[a * X.n]);
        } else {
            row.resize(X.n);
        }
    }

    // The bound for the prices of now; sets the degrees.
    double bound() {
        const std::size_t n = X.n;
        std::fill(degree.begin(), degree.end(), 0);
        std::vector<double> key(n, kInfinity);
        std::vector<std::size_t> parent(n, n), left(n - 1);
        for (std::size_t i = 1; i < n; ++i) left[i - 1] = i;
        double total = 0.0;
        std::size_t added = 0;
        while (!left.empty()) {
            const double* gaps = row_of(added);
            std::size_t nearest = 0;
            double least = kInfinity;
            for (std::size_t i = 0; i < left.size(); ++i) {
                const std::size_t city = left[i];
                const double weight = gaps[city] + price[added] + price[city];
                if (weight < key[city]) {
                    key[city] = weight;
                    parent[city] = added;
                }
                if (key[city] < least) {
                    least = key[city];
                    nearest = i;
                }
            }
            added = left[nearest];
            left[nearest] = left.back();
            left.pop_back();
            total += least;
            ++degree[added];
            ++degree[parent[added]];
        }
        // The dummy has two edges.
        std::size_t used = n;
        for (std::size_t end = 0; end < 2; ++end) {
            std::size_t city = end == 0 ? start : n;
            if (city == n) {
                for (std::size_t i = 0; i < n; ++i) {
                    if (i != used && i != start && (city == n || price[i] < price[city])) city = i;
                }
            }
            used = city;
            total += price[city];
            ++degree[city];
        }
        for (const double p : price) total -= 2.0 * p;
        return total;
    }

    std::vector<double> price;
    std::vector<int> degree;

  private:
    void fill_distances(std::size_t a, double* gaps) const {
        for (std::size_t b = 0; b < X.n; ++b) gaps[b] = std::sqrt(squared_distance(X[a], X[b], X.m));
    }
    const double* row_of(std::size_t a) {
        if (row.empty()) return &distances[a * X.n];
        fill_distances(a, row.data());
        return row.data();
    }

    Records X;
    std::size_t start;
    std::vector<double> distances, row;
};

}  // namespace

double held_karp_bound(Records X, std::size_t start, double upper, std::size_t steps, const Progress& progress) {
    if (X.n < 3) return upper;
    OneTree tree(X, start);
    std::vector<int> before(X.n, 0);
    double best = 0.0, factor = 2.0;
    std::size_t since = 0;
    for (std::size_t step = 0; step < steps; ++step) {
        const double bound = tree.bound();
        ++since;
        if (bound > best) {
            best = bound;
            since = 0;
        } else if (since >= kPatience) {
            factor /= 2;
            since = 0;
        }
        double norm = 0.0;
        for (const int d : tree.degree) norm += (d - 2) * (d - 2);
        if (norm == 0.0 || best >= upper) break;  // the 1-tree is a tour: the path is shortest
        const double size = factor * (upper - bound) / norm;
        for (std::size_t i = 0; i < X.n; ++i) {
            // Two thirds of the new direction and a third of the old one swing less.
            const int now = tree.degree[i] - 2;
            tree.price[i] += size * (0.7 * now + 0.3 * before[i]);
            before[i] = now;
        }
        progress(static_cast<double>(step) / static_cast<double>(steps));
    }
    return std::min(best, upper);
}

}  // namespace microagg
