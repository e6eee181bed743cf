// The cheapest halves of neighbours (halves.h) go round in cycles: nearly all of two records, which are pairs. A longer
// cycle of an even number falls into pairs in two ways; one of an odd number into a triple and pairs. Who has nobody
// joins where it costs least. Then triples go where pairs can be made of them (join_triples.h).
#include "kernels/pairs/pair_up.h"

#include <utility>

#include "kernels/pairs/halves.h"
#include "kernels/pairs/join_triples.h"
#include "kernels/pairs/packs.h"

namespace microagg {
namespace {

constexpr std::size_t kNeighbours = 16, kRounds = 30;
constexpr double kHalvesShare = 0.8;  // of the progress that is shown

using Cycle = std::vector<std::uint32_t>;

// Pairs of neighbours in a cycle, from one place on.
void add_pairs(const Cycle& cycle, std::size_t from, std::size_t count, Packs& packs) {
    for (std::size_t p = 0; p < count; ++p)
        packs.add(cycle[(from + 2 * p) % cycle.size()], cycle[(from + 2 * p + 1) % cycle.size()]);
}

void cut_cycle(const Cycle& cycle, Packs& packs) {
    const std::size_t n = cycle.size();
    const auto pair_at = [&](std::size_t i) { return packs.error(cycle[i % n], cycle[(i + 1) % n]); };
    if (n % 2 == 0) {
        double even = 0.0, odd = 0.0;
        for (std::size_t i = 0; i < n; i += 2) even += pair_at(i), odd += pair_at(i + 1);
        add_pairs(cycle, odd < even ? 1 : 0, n / 2, packs);
        return;
    }
    // Two places further on, the pairs are the same but for one.
    double pairs = 0.0, best = kInfinity;
    std::size_t at = 0;
    for (std::size_t i = 3; i < n; i += 2) pairs += pair_at(i);
    for (std::size_t i = 0, turn = 0; turn < n; ++turn, i = (i + 2) % n) {
        const double cost = pairs + packs.error(cycle[i], cycle[(i + 1) % n], cycle[(i + 2) % n]);
        if (cost < best) best = cost, at = i;
        if (n > 3) pairs += pair_at(i) - pair_at(i + 3);
    }
    packs.add(cycle[at], cycle[(at + 1) % n], cycle[(at + 2) % n]);
    add_pairs(cycle, at + 3, (n - 3) / 2, packs);
}

// Cycles first, then what begins with somebody whom nobody has; gives who is left.
std::vector<std::uint32_t> cut_all(const std::vector<std::uint32_t>& next, Packs& packs) {
    const std::size_t n = next.size();
    std::vector<char> is_had(n, 0), is_done(n, 0);
    for (const std::uint32_t other : next)
        if (other != kNobody) is_had[other] = 1;
    std::vector<std::uint32_t> alone;
    Cycle cycle;
    const auto follow = [&](std::uint32_t record) {
        cycle.clear();
        for (; record != kNobody && is_done[record] == 0; record = next[record]) {
            is_done[record] = 1;
            cycle.push_back(record);
        }
    };
    for (std::uint32_t i = 0; i < n; ++i) {
        if (is_had[i] != 0) continue;
        follow(i);
        add_pairs(cycle, 0, cycle.size() / 2, packs);
        if (cycle.size() % 2 == 1) alone.push_back(cycle.back());
    }
    for (std::uint32_t i = 0; i < n; ++i) {
        if (is_done[i] != 0) continue;
        follow(i);
        if (cycle.size() == 1)
            alone.push_back(i);
        else
            cut_cycle(cycle, packs);
    }
    return alone;
}

// Where it costs least among the packs of neighbours; with a neighbour who is alone too, if nobody near has a pack.
void join_nearest(std::uint32_t record, const Graph& graph, Packs& packs) {
    double least = kInfinity;
    std::uint32_t where = kNobody, other_alone = kNobody;
    for (std::size_t t = 0; t < graph.count; ++t) {
        const std::uint32_t other = graph.of(record)[t], pack = packs.of(other);
        const double cost = pack == kNobody ? packs.error(record, other) : packs.cost_to_join(record, pack);
        if (cost >= least) continue;
        least = cost;
        where = pack;
        other_alone = pack == kNobody ? other : kNobody;
    }
    if (other_alone != kNobody)
        packs.add(record, other_alone);
    else
        packs.join(record, where);
}

}  // namespace

Graph neighbours_to_pair(Records X, std::uint64_t seed, std::size_t threads, Watch& watch, const Progress& reached) {
    return near_neighbours(X, kNeighbours, seed, threads, watch, reached, kRounds);
}

Paired pair_up(Records X, const Graph& graph, const Watch& watch, const Progress& reached) {
    const Edges edges = edges_of(X, graph);
    Halves halves = share_halves(edges, watch, part_of(reached, 0.0, kHalvesShare));
    Packs packs(X);
    for (const std::uint32_t record : cut_all(halves.next, packs))
        if (packs.of(record) == kNobody) join_nearest(record, graph, packs);
    join_triples(edges, halves.prices, watch, part_of(reached, kHalvesShare, 1.0), packs);
    Paired paired{std::vector<std::uint32_t>(X.n), std::move(halves.prices)};
    for (std::uint32_t i = 0; i < X.n; ++i) paired.labels[i] = packs.of(i);
    return paired;
}

}  // namespace microagg
