// MD, maximum distance (Domingo-Ferrer and Mateo-Sanz 2002).
//
//   while at least 2k records remain:
//       r, s = the two most distant of the remaining records, r the one with the lower row number
//       group r with its k-1 nearest, then s with its k-1 nearest of what is left
//   k to 2k-1 left: they are the last group;  fewer: each joins the group with the nearest centroid
//
// The most distant pair is found without looking at all pairs again. A record's distance to its farthest partner only
// shrinks as records leave, so every value once known stays an upper bound. A heap holds one bound for each record,
// at first (distance to the centroid + the greatest such distance)^2; only a record that comes to the top of the heap
// is asked for its true farthest partner. On a tie a bound goes before a true value, then the lower row.
#include "kernels/mdav/md.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>
#include <vector>

#include "kernels/mdav/groups.h"
#include "kernels/mdav/remaining.h"

namespace microagg {
namespace {

constexpr std::size_t kTogether = 64;  // records whose farthest partners are looked for in one go

struct Reach {
    double bound;
    std::size_t row, partner;  // partner == row: nobody has looked yet

    bool known() const { return partner != row; }
    // Of two, the heap gives the greater first.
    bool operator<(const Reach& other) const {
        return std::make_tuple(bound, !known(), other.row) < std::make_tuple(other.bound, !other.known(), row);
    }
};

std::priority_queue<Reach> first_bounds(Records X, const std::vector<double>& centre) {
    std::vector<double> distance(X.n);
    for (std::size_t row = 0; row < X.n; ++row) distance[row] = std::sqrt(squared_distance(X[row], centre.data(), X.m));
    const double most = *std::max_element(distance.begin(), distance.end());
    // More than all roundings on the way can amount to.
    const double margin = 1.0 + 8.0 * static_cast<double>(X.m + 8) * std::numeric_limits<double>::epsilon();
    std::vector<Reach> bounds(X.n);
    for (std::size_t row = 0; row < X.n; ++row) {
        const double reach = distance[row] + most;
        bounds[row] = {reach * reach * margin + std::numeric_limits<double>::min(), row, row};
    }
    return std::priority_queue<Reach>(std::less<Reach>(), std::move(bounds));
}

}  // namespace

void md(Records X, std::size_t k, std::size_t threads, std::int64_t* labels, const Progress& progress) {
    Remaining remaining(X, {k - 1, false, threads});
    Groups groups(X, remaining, labels);
    std::priority_queue<Reach> reaches = first_bounds(X, remaining.centroid());
    const auto is_sure = [&](const Reach& reach) { return reach.known() && remaining.holds(reach.partner); };
    std::vector<std::size_t> doubtful;
    while (remaining.size() >= 2 * k) {
        const Reach top = reaches.top();
        if (!remaining.holds(top.row)) {
            reaches.pop();
        } else if (is_sure(top)) {
            groups.make(top.row, k);
            groups.make(remaining.farthest(top.row).row, k);
        } else {
            doubtful.clear();
            for (; doubtful.size() < kTogether && !reaches.empty() && !is_sure(reaches.top()); reaches.pop())
                if (remaining.holds(reaches.top().row)) doubtful.push_back(reaches.top().row);
            remaining.prepare_farthest(doubtful);
            for (const std::size_t row : doubtful) {
                const Ranked far = remaining.farthest(row);
                reaches.push({far.distance, row, far.row});
            }
        }
        progress(groups.done());
    }
    if (remaining.size() >= k) {
        groups.make_of_rest();
    } else {
        groups.spread_rest();
    }
}

}  // namespace microagg
