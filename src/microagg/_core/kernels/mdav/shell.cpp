// The farthest record from a slowly moving point without a pass over all records.
//
//   rebuild(c0):   the distances of all to c0; keep the outermost, sorted
//   farthest(c):   for each kept record, from the outside in: stop when |x - c0| + |c - c0| is less than the best
//                  distance so far, since no record further in can be farther from c; else measure it
//   rebuild when the walk runs out of kept records, or when walks have cost more than a rebuild
#include "kernels/mdav/shell.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/base/constants.h"

namespace microagg {

Shell::Shell(Records records, const std::vector<char>& remaining) : X(records), present(remaining) {}

void Shell::rebuild(const std::vector<double>& point) {
    centre = point;
    outer.clear();
    for (std::size_t row = 0; row < X.n; ++row)
        if (present[row]) outer.push_back({-squared_distance(X[row], centre.data(), X.m), row});
    cost = outer.size();
    const std::size_t kept = std::min(outer.size(), std::max<std::size_t>(1024, outer.size() / 16));
    inner = 0.0;
    if (kept < outer.size()) {
        const auto end = outer.begin() + static_cast<std::ptrdiff_t>(kept);
        std::nth_element(outer.begin(), end, outer.end());
        inner = std::sqrt(-end->distance);
        outer.resize(kept);
    } else {
        inner = -kInfinity;
    }
    std::sort(outer.begin(), outer.end());
    roots.resize(outer.size());
    for (std::size_t i = 0; i < outer.size(); ++i) roots[i] = std::sqrt(-outer[i].distance);
    head = looked_at = 0;
}

std::size_t Shell::farthest(const std::vector<double>& point) {
    if (centre.empty() || looked_at > cost / 2) rebuild(point);
    for (;;) {
        while (head < outer.size() && !present[outer[head].row]) ++head;
        if (head == outer.size()) {
            rebuild(point);
            continue;
        }
        if (point == centre) return outer[head].row;
        // More than all roundings on the way can amount to.
        const double margin = 1.0 + 8.0 * static_cast<double>(X.m + 8) * std::numeric_limits<double>::epsilon();
        const double moved = std::sqrt(squared_distance(point.data(), centre.data(), X.m)) * margin +
                             std::sqrt(std::numeric_limits<double>::min());
        Ranked best{kInfinity, 0};
        double reached = -1.0;
        std::size_t i = head;
        for (; i < outer.size(); ++i) {
            if ((roots[i] + moved) * margin < reached) return best.row;
            if (!present[outer[i].row]) continue;
            const Ranked here{-squared_distance(X[outer[i].row], point.data(), X.m), outer[i].row};
            ++looked_at;
            if (here < best) {
                best = here;
                reached = std::sqrt(-best.distance);
            }
        }
        if ((inner + moved) * margin < reached) return best.row;
        rebuild(point);
    }
}

}  // namespace microagg
