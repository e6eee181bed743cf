// Pricing: the groups that cost less than what their members would pay, by branch and bound around every record.
//
// A group S of s records costs c(S) = 1/s * sum over pairs of d^2 (its sum of squared errors); its reduced cost is
// r(S) = c(S) - sum of prices. Split every pair's d^2 between its two records in proportion to their prices (any
// fixed split will do; prices that are not positive count as tiny). Then r(S) is the sum over its members i of
// e_i = share_i(S) - price_i. Let the SEED be the member of the least e: it has e <= r(S) / s, and no other member has
// less. Hence
//
//   for every record i (where T <= 0: with a positive price), s = k..2k-1:   T: the least reduced cost found
//   so far
//       candidates = records that can be with i in a group where i's share is at most price_i + T / s
//       grow {i} by candidates, depth first; with P chosen and q to go,
//           floor = i's share of the pairs in P and of its q least ones - price_i        e_i, at least
//           own_t = t's share of its pairs with P - price_t
//           e_t  >= max(floor, own_t + its shares of q-1 more pairs, the least)
//           h_t   = P's share of the pairs with t + that                                 what t adds, at least
//           r(S) >= r(P) + the q least h_t;   cut where that is not below T
//
// The floor is what makes large k possible. A far record has a high price; alone, the nearest neighbours of each, which
// need not be near each other, pay for too little of it. But around a seed of a low price, nobody is below its floor.
//
// Penalties of cuts only add to r(S), so all of this holds with them, and they count as soon as P incurs them.
// Decisions only leave groups out: a record that must be with one that was chosen is the only child.
// Children are taken in the order of h and only followed by later ones, so the first that is cut ends the loop.
// Where the nodes run out, the bounds of what was not visited go into `least`, which therefore always holds.
#include "kernels/bounds/price_groups.h"

#include <algorithm>
#include <limits>

#include "kernels/base/constants.h"
#include "kernels/base/pool.h"

namespace microagg {
namespace {

struct Group {
    double reduced_cost;
    std::vector<std::size_t> members;
    bool operator<(const Group& other) const { return reduced_cost < other.reduced_cost; }
};

// Branch and bound around one seed after the other; its buffers are kept from seed to seed.
class SeedSearch {
  public:
    SeedSearch(Records records, std::size_t least_size, const double* price_of, const double* weight_of,
               const std::vector<double>& nearest_of, const Cuts& cut_by, const Decisions& decided,
               const PricingLimits& given)
        : X(records),
          k(least_size),
          prices(price_of),
          weights(weight_of),
          nearest(nearest_of),
          cuts(cut_by),
          decisions(decided),
          limits(given),
          levels(2 * k),
          held(cut_by.penalties.size(), 0) {}

    // Gives the least reduced cost that a group with this seed can have, and the best groups found.
    double search(std::size_t seed, std::vector<Group>& best) {
        target = -limits.tolerance;
        open = target;
        visited = 0;
        overflowed = false;
        found = &best;
        if ((prices[seed] <= 0.0 && target <= 0.0) || !gather(seed)) return target;
        for (size = k; size < 2 * k && size <= X.n; ++size) search_size(seed);
        return std::min(target, open);
    }

    bool exhausted() const { return visited > limits.nodes || overflowed; }

  private:
    struct Candidate {
        double h, g, own;  // g: r(P with it) - r(P), without penalties
        std::size_t at;
        bool operator<(const Candidate& other) const { return h < other.h; }
    };

    double share(std::size_t i, std::size_t j, double squared) const {
        return squared * (weights[i] / (weights[i] + weights[j]));
    }

    // All records that may share a group with the seed, their distances, and their least shares in more pairs.
    bool gather(std::size_t seed) {
        scan.clear();
        for (std::size_t row = 0; row < X.n; ++row) {
            if (row == seed) continue;
            const double squared = squared_distance(X[seed], X[row], X.m);
            scan.push_back({share(seed, row, squared), squared, 0.0, row});
        }
        const std::size_t most = std::min(2 * k - 2, scan.size());
        std::nth_element(scan.begin(), scan.begin() + static_cast<std::ptrdiff_t>(most - 1), scan.end());
        std::sort(scan.begin(), scan.begin() + static_cast<std::ptrdiff_t>(most));
        seed_least.assign(1, 0.0);
        for (std::size_t q = 0; q < most; ++q) seed_least.push_back(seed_least.back() + scan[q].h);
        double radius = -1.0;
        for (std::size_t s = k; s <= most + 1; ++s)
            radius = std::max(radius, static_cast<double>(s) * prices[seed] + target - seed_least[s - 2]);
        rows.clear();
        seed_distance.clear();
        seed_share.clear();
        std::size_t kept = 0;
        for (const Candidate& other : scan)
            if (other.h < radius) scan[kept++] = other;
        scan.resize(kept);
        sift(seed);
        if (scan.size() + 1 < k) return false;
        std::sort(scan.begin(), scan.end(), [](const Candidate& a, const Candidate& b) { return a.at < b.at; });
        for (const Candidate& other : scan) {
            rows.push_back(other.at);
            seed_distance.push_back(other.g);
            seed_share.push_back(other.h);
        }
        return true;
    }

    // Drops records that are too dear next to the seed for every size, whoever else comes.
    void sift(std::size_t seed) {
        reachable.assign(scan.size(), 0);
        for (std::size_t s = k; s < 2 * k && s <= scan.size() + 1; ++s) {
            const double part = 1.0 / static_cast<double>(s), floor = seed_least[s - 1] * part - prices[seed];
            values.clear();
            for (const Candidate& other : scan) {
                const double own = (other.g - other.h) * part - prices[other.at];
                values.push_back(other.h * part +
                                 std::max(floor, own + nearest[other.at * (2 * k - 2) + s - 2] * part));
            }
            least_values = values;
            const auto last = least_values.begin() + static_cast<std::ptrdiff_t>(s - 2);
            std::nth_element(least_values.begin(), last, least_values.end());
            double others = -prices[seed];  // what a group has without its dearest candidate, at least
            for (auto value = least_values.begin(); value != last; ++value) others += *value;
            if (others + *last >= target) continue;
            for (std::size_t a = 0; a < scan.size(); ++a)
                if (values[a] <= *last || others + values[a] < target) reachable[a] = 1;
        }
        std::size_t kept = 0;
        for (std::size_t a = 0; a < scan.size(); ++a)
            if (reachable[a]) scan[kept++] = scan[a];
        scan.resize(kept);
    }

    void measure() {
        const std::size_t count = rows.size(), most = std::min(2 * k - 3, count - 1);
        distances.resize(count * count);
        splits.resize(count * count);
        later.assign(count * (2 * k - 2), 0.0);
        for (std::size_t a = 0; a < count; ++a) {
            distances[a * count + a] = 0.0;
            for (std::size_t b = 0; b < a; ++b)
                distances[a * count + b] = distances[b * count + a] = squared_distance(X[rows[a]], X[rows[b]], X.m);
        }
        for (std::size_t a = 0; a < count; ++a) {
            shares.clear();
            for (std::size_t b = 0; b < count; ++b)
                if (b != a) shares.push_back(splits[a * count + b] = share(rows[a], rows[b], distances[a * count + b]));
            std::partial_sort(shares.begin(), shares.begin() + static_cast<std::ptrdiff_t>(most), shares.end());
            double* sums = &later[a * (2 * k - 2)];
            for (std::size_t q = 0; q < most; ++q) sums[q + 1] = sums[q] + shares[q];
            for (std::size_t q = most + 1; q < 2 * k - 2; ++q) sums[q] = kInfinity;
        }
    }

    void search_size(std::size_t seed) {
        const double s = static_cast<double>(size);
        if (rows.size() + 1 < size) return;
        if (size == k) measure();
        scale = 1.0 / s;
        seed_limit = s * prices[seed] + target;
        if (seed_least[size - 1] >= seed_limit) return;
        chosen.assign(1, seed);
        const double floor = seed_least[size - 1] * scale - prices[seed];
        std::vector<Candidate>& first = levels[0];
        first.clear();
        for (std::size_t t = 0; t < rows.size(); ++t) {
            if (seed_share[t] + seed_least[size - 2] >= seed_limit || parted(seed, rows[t])) continue;
            const double g = seed_distance[t] * scale - prices[rows[t]];
            first.push_back(candidate(t, g, g - seed_share[t] * scale, floor, size - 2));
        }
        const double base = penalty(seed) - prices[seed];
        prepare(first, base, size - 1);
        enter(seed);
        grow(0, base, size - 1, 0.0);
        leave(seed);
    }

    Candidate candidate(std::size_t at, double g, double own, double floor, std::size_t more) const {
        return {g - own + std::max(floor, own + later[at * (2 * k - 2) + more] * scale), g, own, at};
    }

    // What a record would add in penalties to those chosen.
    double penalty(std::size_t row) const {
        double sum = 0.0;
        for (const auto [cut, multiple] : cuts.of_record[row]) {
            const unsigned divisor = cuts.divisors[cut], more = (held[cut] + multiple) / divisor - held[cut] / divisor;
            if (more > 0) sum += more * cuts.penalties[cut];
        }
        return sum;
    }
    void enter(std::size_t row) {
        for (const auto [cut, multiple] : cuts.of_record[row]) held[cut] += multiple;
    }
    void leave(std::size_t row) {
        for (const auto [cut, multiple] : cuts.of_record[row]) held[cut] -= multiple;
    }

    bool parted(std::size_t first, std::size_t second) const {
        const std::vector<std::size_t>& others = decisions.without[first];
        return std::find(others.begin(), others.end(), second) != others.end();
    }

    // A record that must come in because of one that was chosen; X.n where there is none.
    std::size_t wanted() const {
        for (const std::size_t row : chosen)
            for (const std::size_t other : decisions.with[row])
                if (std::find(chosen.begin(), chosen.end(), other) == chosen.end()) return other;
        return X.n;
    }

    // Drops candidates that cannot be in a group below the target, and sorts the others.
    void prepare(std::vector<Candidate>& candidates, double base, std::size_t missing) const {
        double least = kInfinity;
        for (const Candidate& c : candidates) least = std::min(least, c.h);
        const double most = target - base - static_cast<double>(missing - 1) * least;
        candidates.erase(
            std::remove_if(candidates.begin(), candidates.end(), [most](const Candidate& c) { return c.h >= most; }),
            candidates.end());
        std::sort(candidates.begin(), candidates.end());
    }

    void grow(std::size_t depth, double base, std::size_t missing, double seed_sum) {
        const std::vector<Candidate>& candidates = levels[depth];
        if (candidates.size() < missing) return;
        const std::size_t forced = wanted();
        double least = 0.0;  // of `missing` candidates from `a` on
        for (std::size_t a = 0; a < missing; ++a) least += candidates[a].h;
        for (std::size_t a = 0; a + (forced == X.n ? missing : 1) <= candidates.size(); ++a) {
            if (forced == X.n) {
                if (a > 0) least += candidates[a + missing - 1].h - candidates[a - 1].h;
                if (base + least >= target) return;
            } else if (rows[candidates[a].at] != forced) {
                continue;
            }
            const Candidate next = candidates[a];
            const double with_next = base + next.g + penalty(rows[next.at]);
            if (missing == 1) {
                chosen.push_back(rows[next.at]);
                if (with_next < target && wanted() == X.n) keep(with_next);
                chosen.pop_back();
                continue;
            }
            if (++visited > limits.nodes) {
                open = std::min(open, base + least);
                return;
            }
            const double with_seed = seed_sum + seed_share[next.at];
            if (with_seed + seed_least[missing - 1] >= seed_limit) continue;
            std::vector<Candidate>& following = levels[depth + 1];
            following.clear();
            const double floor = (with_seed + seed_least[missing - 1]) * scale - prices[chosen[0]];
            const double *gaps = &distances[next.at * rows.size()], *parts = &splits[next.at * rows.size()];
            for (std::size_t b = forced == X.n ? a + 1 : 0; b < candidates.size(); ++b) {
                const std::size_t at = candidates[b].at;
                if (b == a || with_seed + seed_share[at] + seed_least[missing - 2] >= seed_limit) continue;
                if (parted(rows[next.at], rows[at])) continue;
                const double own = candidates[b].own + (gaps[at] - parts[at]) * scale;
                following.push_back(candidate(at, candidates[b].g + gaps[at] * scale, own, floor, missing - 2));
            }
            if (following.size() + 1 < missing) continue;
            chosen.push_back(rows[next.at]);
            enter(rows[next.at]);
            prepare(following, with_next, missing - 1);
            grow(depth + 1, with_next, missing - 1, with_seed);
            leave(rows[next.at]);
            chosen.pop_back();
        }
    }

    void keep(double reduced_cost) {
        if (found->size() == limits.per_seed) {
            overflowed = limits.every;
            std::pop_heap(found->begin(), found->end());
            found->pop_back();
        }
        found->push_back(Group{reduced_cost, chosen});
        std::push_heap(found->begin(), found->end());
        if (limits.every) return;
        target = std::min(target, reduced_cost);
        seed_limit = static_cast<double>(size) * prices[chosen[0]] + target;
    }

    Records X;
    std::size_t k;
    const double* prices;
    const double* weights;
    const std::vector<double>& nearest;  // of each record: its shares in 0..2k-3 pairs with any records, at least
    const Cuts& cuts;
    const Decisions& decisions;
    PricingLimits limits;

    double target = 0.0, open = 0.0, scale = 0.0, seed_limit = 0.0;
    std::size_t size = 0, visited = 0;
    bool overflowed = false;  // more groups than may be given back
    std::vector<Group>* found = nullptr;
    std::vector<std::size_t> rows, chosen;
    std::vector<double> seed_distance, seed_share, seed_least;
    std::vector<double> distances;  // between candidates
    std::vector<double> splits;     // the share of the first in each pair of candidates
    std::vector<double> later;      // of each candidate: its shares in 0..2k-3 pairs with candidates, at least
    std::vector<double> shares, values, least_values;
    std::vector<unsigned char> reachable;
    std::vector<Candidate> scan;
    std::vector<std::vector<Candidate>> levels;
    std::vector<unsigned> held;  // the sum of the multiples of those chosen, in each cut
};

double sum_of_squared_errors(Records X, const std::vector<std::size_t>& members) {
    double sum = 0.0;
    for (std::size_t a = 0; a < members.size(); ++a)
        for (std::size_t b = 0; b < a; ++b) sum += squared_distance(X[members[a]], X[members[b]], X.m);
    return sum / static_cast<double>(members.size());
}

// The sums of the 0..2k-3 least shares of each record.
std::vector<double> nearest_shares(Records X, std::size_t k, const std::vector<double>& weights, std::size_t threads) {
    std::vector<double> nearest(X.n * (2 * k - 2), 0.0);
    const std::size_t most = std::min(2 * k - 3, X.n - 1);
    std::vector<std::vector<double>> buffers(threads, std::vector<double>(X.n));
    in_parallel(
        X.n, 16, threads, [](double) {},
        [&](std::size_t row, std::size_t thread) {
            std::vector<double>& shares = buffers[thread];
            for (std::size_t other = 0; other < X.n; ++other)
                shares[other] =
                    squared_distance(X[row], X[other], X.m) * (weights[row] / (weights[row] + weights[other]));
            std::swap(shares[row], shares.back());
            const auto last = shares.begin() + static_cast<std::ptrdiff_t>(most);
            std::nth_element(shares.begin(), last, shares.end() - 1);
            std::sort(shares.begin(), last);
            double* sums = &nearest[row * (2 * k - 2)];
            for (std::size_t q = 0; q < most; ++q) sums[q + 1] = sums[q] + shares[q];
        });
    return nearest;
}

}  // namespace

Cuts::Cuts(std::size_t n_records, const Given& given) : of_record(n_records) {
    for (std::size_t c = 0; c < given.count; ++c) {
        if (!(given.penalties[c] > 0.0)) continue;
        for (std::size_t i = c * given.size; i < (c + 1) * given.size; ++i)
            if (given.multiples[i] > 0)
                of_record[static_cast<std::size_t>(given.records[i])].push_back(
                    {penalties.size(), static_cast<unsigned>(given.multiples[i])});
        penalties.push_back(given.penalties[c]);
        divisors.push_back(static_cast<unsigned>(given.divisors[c]));
    }
}

Decisions::Decisions(std::size_t n_records, const std::int64_t* together, std::size_t n_together,
                     const std::int64_t* apart, std::size_t n_apart)
    : with(n_records), without(n_records) {
    const auto note = [](std::vector<std::vector<std::size_t>>& lists, const std::int64_t* pairs, std::size_t count) {
        for (std::size_t pair = 0; pair < count; ++pair) {
            const std::size_t first = static_cast<std::size_t>(pairs[2 * pair]);
            const std::size_t second = static_cast<std::size_t>(pairs[2 * pair + 1]);
            lists[first].push_back(second);
            lists[second].push_back(first);
        }
    };
    note(with, together, n_together);
    note(without, apart, n_apart);
}

PricedGroups price_groups(Records X, std::size_t k, const double* prices, const Cuts& cuts, const Decisions& decisions,
                          const PricingLimits& limits, const Progress& progress) {
    double total = 0.0;
    for (std::size_t i = 0; i < X.n; ++i) total += std::max(prices[i], 0.0);
    const double tiny = std::max(1e-9 * total / static_cast<double>(X.n), std::numeric_limits<double>::min());
    std::vector<double> weights(X.n);
    for (std::size_t i = 0; i < X.n; ++i) weights[i] = std::max(prices[i], tiny);

    PricedGroups result;
    result.least.resize(X.n);
    std::vector<std::vector<Group>> found(X.n);
    std::vector<unsigned char> exhausted(X.n);
    const std::vector<double> nearest = nearest_shares(X, k, weights, limits.threads);
    std::vector<SeedSearch> searches(limits.threads,
                                     SeedSearch(X, k, prices, weights.data(), nearest, cuts, decisions, limits));
    in_parallel(X.n, 1, limits.threads, progress, [&](std::size_t seed, std::size_t thread) {
        result.least[seed] = searches[thread].search(seed, found[seed]);
        exhausted[seed] = searches[thread].exhausted();
    });

    for (std::size_t seed = 0; seed < X.n; ++seed)
        if (exhausted[seed]) result.cut_short.push_back(static_cast<std::int64_t>(seed));
    result.starts.push_back(0);
    for (std::vector<Group>& groups : found) {
        std::sort_heap(groups.begin(), groups.end());
        for (Group& group : groups) {
            std::sort(group.members.begin(), group.members.end());
            for (const std::size_t row : group.members) result.members.push_back(static_cast<std::int64_t>(row));
            result.starts.push_back(static_cast<std::int64_t>(result.members.size()));
            result.costs.push_back(sum_of_squared_errors(X, group.members));
            result.reduced_costs.push_back(group.reduced_cost);
        }
    }
    return result;
}

}  // namespace microagg
