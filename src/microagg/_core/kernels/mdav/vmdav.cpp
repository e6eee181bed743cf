// V-MDAV (Solanas and Martinez-Balleste 2006): groups of k that grow to at most 2k-1.
//
//   grow(group):  while the group has fewer than 2k-1 records and at least two records remain:
//       e = the remaining record nearest to the group;  d_in = its distance to the nearest member
//       d_out = the distance of e to the nearest other remaining record
//       if d_in < gamma * d_out, e joins, otherwise stop
//
//   single seeds (as published):                            pairs of seeds (MDAV's order; gamma = 0 is MDAV):
//   centre = centroid of all records                        while at least 3k records remain:
//   while at least k records remain:                            r = farthest from the centroid of the remaining
//       r = the remaining record farthest from centre           group r with its k-1 nearest, grow
//       group r with its k-1 nearest, grow                      s = farthest from r; group s likewise
//   moving seeds: the same, with centre the                 if at least 2k remain: one more group round r
//   centroid of the remaining records                       if at least k remain: they are the last group
//   fewer than k left: each joins the group with the nearest centroid
#include "kernels/mdav/vmdav.h"

#include <cmath>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "kernels/mdav/groups.h"
#include "kernels/mdav/remaining.h"

namespace microagg {
namespace {

class Grower {
  public:
    Grower(Remaining& rest, Groups& made, std::size_t least, double ratio)
        : remaining(rest), groups(made), k(least), gamma(ratio) {}

    // Of each member, the heap holds the remaining record that was nearest when last asked; it can only become farther.
    void make(std::size_t seed) {
        groups.make(seed, k);
        if (gamma <= 0.0 || remaining.size() < 2) return;
        std::priority_queue<Nearest, std::vector<Nearest>, std::greater<Nearest>> fringe;
        const std::vector<std::size_t> members = groups.last();
        const std::vector<Ranked> nearest = remaining.nearest_of_each(members);
        for (std::size_t i = 0; i < members.size(); ++i) fringe.push({nearest[i], members[i]});
        for (std::size_t size = k; size < 2 * k - 1 && remaining.size() >= 2;) {
            const auto [e, member] = fringe.top();
            if (!remaining.holds(e.row)) {
                fringe.pop();
                fringe.push({remaining.nearest_of_each({member}).front(), member});
                continue;
            }
            const Ranked other = remaining.nearest_of_each({e.row}).front();
            if (!(std::sqrt(e.distance) < gamma * std::sqrt(other.distance))) break;
            groups.join_last(e.row);
            ++size;
            fringe.push({other, e.row});
        }
    }

  private:
    using Nearest = std::pair<Ranked, std::size_t>;

    Remaining& remaining;
    Groups& groups;
    std::size_t k;
    double gamma;
};

}  // namespace

void vmdav(Records X, std::size_t k, double gamma, Seeds seeds, std::size_t threads, std::int64_t* labels,
           const Progress& progress) {
    Remaining remaining(X, {k - 1, seeds == Seeds::kPairs, threads});
    Groups groups(X, remaining, labels);
    Grower grower(remaining, groups, k, gamma);
    if (seeds == Seeds::kPairs) {
        while (remaining.size() >= 3 * k) {
            const std::size_t r = remaining.farthest_from_centroid();
            grower.make(r);
            grower.make(remaining.farthest(r).row);
            progress(groups.done());
        }
        if (remaining.size() >= 2 * k) grower.make(remaining.farthest_from_centroid());
        if (remaining.size() >= k) groups.make_of_rest();
    } else {
        const std::vector<double> centre = remaining.centroid();
        while (remaining.size() >= k) {
            grower.make(seeds == Seeds::kMoving ? remaining.farthest_from_centroid() : remaining.farthest_from(centre));
            progress(groups.done());
        }
    }
    groups.spread_rest();
}

}  // namespace microagg
