// Kicks.
//
//   repeat:  x = a random record;  its group, and one to three groups of its neighbours
//            one or two members of each, at random, change places among these groups, at random
//            local search (descent.h) from the members of these groups
//            if the sum of squared errors is not lower:  everybody who moved goes back
//
// What a kick costs depends on the groups around it alone, not on the number of records.
#include "kernels/search/kicks.h"

#include <algorithm>

#include "kernels/search/descent.h"

namespace microagg {
namespace {

constexpr std::size_t kMostGroups = 4, kMostMembers = 2;
constexpr std::size_t kTries = 40;    // to come by another group near a record
constexpr double kTolerance = 1e-12;  // of the scale of a record: what counts as a gain

}  // namespace

std::size_t kick(Grouping& groups, Random& random, std::size_t count, const std::atomic<bool>& stop) {
    const Block& block = groups.block();
    if (block.n_neighbours == 0) return 0;
    Descent descent(groups);
    std::vector<std::uint32_t> kept(groups.labels()), journal, near, rows, targets;
    groups.keep_journal(&journal);
    for (std::size_t made = 0; made < count && !stop.load(std::memory_order_relaxed); ++made) {
        const std::size_t x = random.below(block.n);
        const std::size_t wanted = 2 + random.below(kMostGroups - 1);
        near.assign(1, groups.group_of(x));
        for (std::size_t t = 0; t < kTries && near.size() < wanted; ++t) {
            const std::uint32_t group = groups.group_of(block.neighbours_of(x)[random.below(block.n_neighbours)]);
            if (std::find(near.begin(), near.end(), group) == near.end()) near.push_back(group);
        }
        if (near.size() < 2) continue;
        double change = 0.0;
        rows.clear(), targets.clear();
        for (const std::uint32_t group : near) {
            change -= groups.error(group);
            for (std::size_t t = 1 + random.below(kMostMembers); t > 0; --t) {
                const std::uint32_t row = groups.members(group)[random.below(groups.size(group))];
                if (std::find(rows.begin(), rows.end(), row) != rows.end()) continue;
                rows.push_back(row), targets.push_back(group);
            }
        }
        for (std::size_t t = targets.size(); t > 1; --t) std::swap(targets[t - 1], targets[random.below(t)]);
        groups.move_all(rows, targets);
        bool is_better =
            std::all_of(near.begin(), near.end(), [&](std::uint32_t group) { return groups.keeps(group); });
        if (is_better) {
            for (const std::uint32_t group : near) {
                change += groups.error(group);
                for (std::size_t t = 0; t < groups.size(group); ++t) descent.touch(groups.members(group)[t]);
            }
            is_better = change + descent.run(stop) < -kTolerance * block.scale[x] && !stop;
        }
        rows.clear(), targets.clear();
        std::sort(journal.begin(), journal.end());
        journal.erase(std::unique(journal.begin(), journal.end()), journal.end());
        for (const std::uint32_t record : journal) {
            if (is_better) kept[record] = groups.group_of(record);
            rows.push_back(record), targets.push_back(kept[record]);
        }
        groups.move_all(rows, targets);  // nobody, where it is better
        journal.clear();
    }
    groups.keep_journal(nullptr);
    return descent.n_compared();
}

}  // namespace microagg
