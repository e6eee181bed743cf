// Semantic adaptive MDAV (Martinez, Sanchez and Valls 2012) and MDAV-generic (Domingo-Ferrer and Torra 2005).
//
//   while at least k records remain:
//       x = the centroid of the remaining; r = the tuple farthest from x;  grow a cluster from r
//       if at least k remain: s = the tuple farthest from r;               grow a cluster from s
//   each remaining tuple joins the cluster with the nearest centroid
//
//   grow: until the cluster has k records, take the tuple nearest to its centroid, and compute the centroid anew
//         (static: the centroid stays where the cluster began)
//
// With whole tuples a tuple comes with all its records, and its distance is multiplied by their number: when the
// farthest one is sought, and if weighted, when the nearest one is. Ties go to the lower tuple, and to the cluster made
// earlier.
#include "kernels/semantic/semantic_mdav.h"

#include <algorithm>
#include <numeric>

namespace microagg {
namespace {

// Labels of records, tuple by tuple: who takes `count` records of a tuple gets the next ones.
class Slots {
  public:
    Slots(const Space& space, std::int64_t* out) : labels(out), next(space.n) {
        for (std::size_t t = 1; t < space.n; ++t) next[t] = next[t - 1] + space.counts[t - 1];
    }
    void give(std::size_t tuple, std::int64_t count, std::int64_t group) {
        std::fill_n(labels + next[tuple], count, group);
        next[tuple] += count;
    }

  private:
    std::int64_t* labels;
    std::vector<std::int64_t> next;
};

class Growing {
  public:
    Growing(const Space& of, std::int64_t least_size, bool whole_tuples, bool recompute_centroid, bool weigh_joining,
            std::int64_t* out)
        : space(of),
          k(least_size),
          whole(whole_tuples),
          recompute(recompute_centroid),
          weighted(weigh_joining),
          labels(out),
          slots(of, out),
          rest(of),
          cluster(of) {}

    std::int64_t left() const { return rest.size(); }

    // The tuple farthest from a centre.
    std::size_t farthest(const Centre& centre) {
        const auto& tuples = measured(centre, whole);
        return tuples[most(far)];
    }
    std::size_t farthest_from_centroid() { return farthest(rest.centroid()); }

    void grow(std::size_t seed) {
        cluster.clear();
        Centre centre = space.of(seed);
        take(seed);
        while (cluster.size() < k) {
            const auto& tuples = measured(centre, whole && weighted);
            take(tuples[least(far)]);
            if (recompute) centre = cluster.centroid();
        }
        centres.push_back(cluster.centroid());
    }

    void spread_rest() {
        std::vector<std::int64_t> reach(centres.size());
        for (const std::size_t tuple : rest.tuples()) {
            for (std::size_t g = 0; g < centres.size(); ++g) reach[g] = space.distance(tuple, centres[g]);
            label(tuple, rest.left(tuple), static_cast<std::int64_t>(least(reach)));
        }
    }

  private:
    const std::vector<std::size_t>& measured(const Centre& centre, bool by_records) {
        const auto& tuples = rest.tuples();
        space.distances(tuples, centre, far);
        if (by_records)
            for (std::size_t i = 0; i < far.size(); ++i) far[i] *= space.counts[tuples[i]];
        return tuples;
    }
    void take(std::size_t tuple) {
        const std::int64_t count = whole ? rest.left(tuple) : 1;
        cluster.add(tuple, count);
        rest.remove(tuple, count);
        label(tuple, count, static_cast<std::int64_t>(centres.size()));
    }
    void label(std::size_t tuple, std::int64_t count, std::int64_t group) {
        if (whole)
            labels[tuple] = group;
        else
            slots.give(tuple, count, group);
    }

    const Space& space;
    std::int64_t k;
    bool whole, recompute, weighted;
    std::int64_t* labels;
    Slots slots;
    Remainder rest;
    Cluster cluster;
    std::vector<Centre> centres;
    std::vector<std::int64_t> far;
};

}  // namespace

void semantic_mdav(const Space& space, std::int64_t k, bool whole_tuples, bool recompute, bool weighted,
                   std::int64_t* labels, const Progress& progress) {
    Growing groups(space, k, whole_tuples, recompute, weighted, labels);
    const auto n = static_cast<double>(groups.left());
    while (groups.left() >= k) {
        const std::size_t r = groups.farthest_from_centroid();
        groups.grow(r);
        if (groups.left() >= k) groups.grow(groups.farthest(space.of(r)));
        progress(1.0 - static_cast<double>(groups.left()) / n);
    }
    groups.spread_rest();
}

void mdav_generic(const Space& space, std::int64_t k, std::int64_t* labels, const Progress& progress) {
    Slots slots(space, labels);
    Remainder rest(space);
    const auto n = static_cast<double>(rest.size());
    std::int64_t group = 0;
    std::vector<std::int64_t> far;
    const auto farthest = [&](const Centre& centre) {
        space.distances(rest.tuples(), centre, far);
        return rest.tuples()[most(far)];
    };
    // The seed and its nearest records, by distance and tuple.
    const auto make = [&](std::size_t seed) {
        const std::vector<std::size_t> tuples = rest.tuples();
        space.distances(tuples, space.of(seed), far);
        std::vector<std::size_t> order(tuples.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        // Every tuple has a record at least, so k tuples are enough.
        const auto wanted = static_cast<std::ptrdiff_t>(std::min(order.size(), static_cast<std::size_t>(k)));
        std::partial_sort(order.begin(), order.begin() + wanted, order.end(), [&](std::size_t a, std::size_t b) {
            return std::make_pair(far[a], a) < std::make_pair(far[b], b);
        });
        std::int64_t needed = k;
        for (std::size_t i = 0; needed > 0; ++i) {
            const std::size_t tuple = tuples[order[i]];
            const std::int64_t count = std::min(needed, rest.left(tuple));
            slots.give(tuple, count, group);
            rest.remove(tuple, count);
            needed -= count;
        }
        ++group;
    };
    while (rest.size() >= 3 * k) {
        const std::size_t r = farthest(rest.centroid());
        make(r);
        make(farthest(space.of(r)));
        progress(1.0 - static_cast<double>(rest.size()) / n);
    }
    if (rest.size() >= 2 * k) make(farthest(rest.centroid()));
    for (const std::size_t tuple : rest.tuples()) slots.give(tuple, rest.left(tuple), group);
}

}  // namespace microagg
