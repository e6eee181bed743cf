// Groups that are made one after the other, of the records that remain.
//
//   make(seed, size):  seed and its size - 1 nearest remaining records leave, and are the next group
//   spread_rest:       centroid of each group, from exact sums;  each remaining record joins the nearest one
#include "kernels/mdav/groups.h"

#include "kernels/base/constants.h"
#include "kernels/base/exact_sum.h"

namespace microagg {
namespace {

// The centroids of all groups, row by row: exact sums, rounded once, divided by the size.
std::vector<double> centroids(Records X, const std::int64_t* labels, std::size_t count) {
    std::vector<std::size_t> start(count + 2, 0), order(X.n);
    for (std::size_t row = 0; row < X.n; ++row)
        if (labels[row] >= 0) ++start[static_cast<std::size_t>(labels[row]) + 2];
    for (std::size_t g = 2; g < start.size(); ++g) start[g] += start[g - 1];
    for (std::size_t row = 0; row < X.n; ++row)
        if (labels[row] >= 0) order[start[static_cast<std::size_t>(labels[row]) + 1]++] = row;
    std::vector<double> centres(count * X.m);
    for (std::size_t g = 0; g < count; ++g) {
        for (std::size_t j = 0; j < X.m; ++j) {
            ExactSum sum;
            for (std::size_t t = start[g]; t < start[g + 1]; ++t) sum.add(X[order[t]][j]);
            centres[g * X.m + j] = sum.round() / static_cast<double>(start[g + 1] - start[g]);
        }
    }
    return centres;
}

}  // namespace

Groups::Groups(Records records, Remaining& rest, std::int64_t* out) : X(records), remaining(rest), labels(out) {
    for (std::size_t row = 0; row < X.n; ++row) labels[row] = -1;
}

void Groups::take(std::size_t row) {
    labels[row] = count - 1;
    remaining.remove(row);
    members.push_back(row);
}

void Groups::make(std::size_t seed, std::size_t size) {
    const std::vector<Ranked> nearest = remaining.nearest(seed, size - 1);
    ++count;
    members.clear();
    take(seed);
    for (const Ranked& other : nearest) take(other.row);
}

void Groups::make_of_rest() {
    ++count;
    members.clear();
    for (const std::size_t row : remaining.rows()) take(row);
}

void Groups::join_last(std::size_t row) { take(row); }

void Groups::spread_rest() {
    if (remaining.size() == 0) return;
    const std::vector<double> centres = centroids(X, labels, static_cast<std::size_t>(count));
    for (const std::size_t row : remaining.rows()) {
        double least = kInfinity;
        std::int64_t chosen = 0;
        for (std::int64_t g = 0; g < count; ++g) {
            const double distance = squared_distance(X[row], &centres[static_cast<std::size_t>(g) * X.m], X.m);
            if (distance < least) {
                least = distance;
                chosen = g;
            }
        }
        labels[row] = chosen;
        remaining.remove(row);
    }
}

double Groups::done() const { return static_cast<double>(X.n - remaining.size()) / static_cast<double>(X.n); }

}  // namespace microagg
