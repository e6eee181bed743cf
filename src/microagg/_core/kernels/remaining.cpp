#include "kernels/remaining.h"

#include <algorithm>
#include <numeric>

namespace microagg {

Remaining::Remaining(Records records, Wanted) : X(records), alive(X.n), sums(X.m) {
    std::iota(alive.begin(), alive.end(), std::size_t{0});
    for (std::size_t row = 0; row < X.n; ++row)
        for (std::size_t j = 0; j < X.m; ++j) sums[j].add(X[row][j]);
}

bool Remaining::holds(std::size_t row) const { return std::binary_search(alive.begin(), alive.end(), row); }

void Remaining::remove(std::size_t row) {
    alive.erase(std::lower_bound(alive.begin(), alive.end(), row));
    for (std::size_t j = 0; j < X.m; ++j) sums[j].subtract(X[row][j]);
}

std::vector<double> Remaining::centroid() const {
    std::vector<double> mean(X.m);
    for (std::size_t j = 0; j < X.m; ++j) mean[j] = sums[j].round() / static_cast<double>(alive.size());
    return mean;
}

std::size_t Remaining::farthest_from(const std::vector<double>& point) {
    Ranked best{-1.0, alive[0]};
    for (const std::size_t row : alive) {
        const double distance = squared_distance(X[row], point.data(), X.m);
        if (distance > best.distance) best = {distance, row};
    }
    return best.row;
}

Ranked Remaining::farthest(std::size_t row) {
    Ranked best{-1.0, alive[0]};
    for (const std::size_t other : alive) {
        if (other == row) continue;
        const double distance = squared_distance(X[other], X[row], X.m);
        if (distance > best.distance) best = {distance, other};
    }
    return best;
}

std::vector<Ranked> Remaining::nearest(std::size_t row, std::size_t count) {
    std::vector<Ranked> ranked;
    for (const std::size_t other : alive)
        if (other != row) ranked.push_back({squared_distance(X[other], X[row], X.m), other});
    count = std::min(count, ranked.size());
    std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count), ranked.end());
    ranked.resize(count);
    return ranked;
}

}  // namespace microagg
