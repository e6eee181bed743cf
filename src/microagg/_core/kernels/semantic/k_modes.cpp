// k-modes with clusters of at least k (Torra 2004).
//
//   modes = some tuples
//   repeat: each tuple goes to the nearest mode; each mode becomes the centroid of its tuples; until nothing changes
//   while a cluster has fewer than k records: dissolve the smallest, its tuples go to the nearest mode of the others
//
// Ties go to the lower cluster. Clusters are numbered without gaps, in the order of their first tuple.
#include "kernels/semantic/k_modes.h"

#include <algorithm>

namespace microagg {
namespace {

std::size_t nearest(const Space& space, std::size_t tuple, const std::vector<Centre>& modes) {
    std::size_t best = 0;
    std::int64_t reach = -1;
    for (std::size_t g = 0; g < modes.size(); ++g) {
        if (modes[g].empty()) continue;
        const std::int64_t distance = space.distance(tuple, modes[g]);
        if (reach < 0 || distance < reach) reach = distance, best = g;
    }
    return best;
}

}  // namespace

void k_modes(const Space& space, std::int64_t k, const std::int64_t* initial, std::size_t n_initial,
             std::size_t most_rounds, std::int64_t* labels, const Progress& progress) {
    std::vector<Centre> modes;
    for (std::size_t g = 0; g < n_initial; ++g) modes.push_back(space.of(static_cast<std::size_t>(initial[g])));
    std::vector<std::size_t> of(space.n, n_initial);
    std::vector<std::vector<std::size_t>> members;
    for (std::size_t round = 0; round < most_rounds; ++round) {
        bool moved = false;
        members.assign(n_initial, {});
        for (std::size_t t = 0; t < space.n; ++t) {
            const std::size_t g = nearest(space, t, modes);
            moved |= g != of[t];
            of[t] = g;
            members[g].push_back(t);
        }
        progress(static_cast<double>(round + 1) / static_cast<double>(most_rounds));
        if (!moved) break;
        Cluster cluster(space);
        for (std::size_t g = 0; g < n_initial; ++g) {
            if (members[g].empty()) continue;
            cluster.clear();
            for (const std::size_t t : members[g]) cluster.add(t, space.counts[t]);
            modes[g] = cluster.centroid();
        }
    }

    std::vector<std::int64_t> sizes(n_initial, 0);
    for (std::size_t t = 0; t < space.n; ++t) sizes[of[t]] += space.counts[t];
    for (std::size_t g = 0; g < n_initial; ++g)
        if (members[g].empty()) modes[g].clear();
    for (;;) {
        std::size_t smallest = n_initial;
        for (std::size_t g = 0; g < n_initial; ++g)
            if (!modes[g].empty() && sizes[g] < k && (smallest == n_initial || sizes[g] < sizes[smallest]))
                smallest = g;
        if (smallest == n_initial) break;
        modes[smallest].clear();
        const std::vector<std::size_t> homeless = std::move(members[smallest]);
        for (const std::size_t t : homeless) {
            of[t] = nearest(space, t, modes);
            members[of[t]].push_back(t);
            sizes[of[t]] += space.counts[t];
        }
    }
    std::vector<std::int64_t> number(n_initial, -1);
    std::int64_t next = 0;
    for (std::size_t t = 0; t < space.n; ++t) {
        if (number[of[t]] < 0) number[of[t]] = next++;
        labels[t] = number[of[t]];
    }
}

}  // namespace microagg
