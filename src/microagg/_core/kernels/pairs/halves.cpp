// An auction in rounds: prices stay from one round to the next, and a bid is higher than needed by less and less, down
// to what is nothing in the sum of all.
//
//   round:  nobody has anybody
//           who has nobody bids for the neighbour of the least cost and price: the price rises to where the second
//           would be as good, and a step more; who had that neighbour has nobody again
//
// What records pay in the end is the dual of a linear program: half of what they bid, less half of what is bid for
// them.
//
// D. P. Bertsekas, The auction algorithm: a distributed relaxation method for the assignment problem, Annals of
// Operations Research 14 (1988).
#include "kernels/pairs/halves.h"

#include <algorithm>
#include <numeric>

#include "kernels/base/constants.h"

namespace microagg {
namespace {

constexpr std::size_t kRounds = 5;
constexpr double kSteps[kRounds] = {0.3, 0.06, 0.012, 0.0024, 0.0005};  // in costs of an edge: the nearest, or the mean
constexpr std::size_t kMostBids = 20;   // for each record in a round: who has nobody then stays without
constexpr std::size_t kLook = 1 << 16;  // bids between looks at the watch

struct Offer {
    double least = kInfinity, second = kInfinity;
    std::uint32_t of = kNobody;
};

Offer best_offer(const Edges& edges, const std::vector<double>& bids, std::size_t record) {
    Offer offer;
    for (std::size_t e = edges.starts[record]; e < edges.starts[record + 1]; ++e) {
        const double cost = edges.cost(e) + bids[edges.to[e]];
        if (cost < offer.least) {
            offer.second = offer.least;
            offer.least = cost;
            offer.of = edges.to[e];
        } else {
            offer.second = std::min(offer.second, cost);
        }
    }
    return offer;
}

// A round, with steps of a fraction of what an edge costs.
void bid(const Edges& edges, double fraction, double mean, const Watch& watch, const Progress& reached,
         std::vector<std::uint32_t>& next, std::vector<double>& bids) {
    const std::size_t n = next.size();
    std::vector<std::uint32_t> owner(n, kNobody), queue(n);
    std::fill(next.begin(), next.end(), kNobody);
    std::iota(queue.begin(), queue.end(), 0U);
    std::size_t head = 0, queued = n;
    for (std::size_t made = 0; queued > 0 && made < kMostBids * n; ++made) {
        if (made % kLook == 0) {
            reached(static_cast<double>(made) / static_cast<double>(kMostBids * n));
            if (watch.stopped()) return;
        }
        const std::uint32_t record = queue[head];
        head = head + 1 == n ? 0 : head + 1;
        --queued;
        const Offer offer = best_offer(edges, bids, record);
        const double step = fraction * std::max(mean, edges.cost(edges.starts[record]));
        bids[offer.of] += offer.second - offer.least + step;
        std::uint32_t& had = owner[offer.of];
        if (had != kNobody) {
            next[had] = kNobody;
            queue[(head + queued) % n] = had;
            ++queued;
        }
        had = record;
        next[record] = offer.of;
    }
}

}  // namespace

Edges edges_of(Records X, const Graph& graph) {
    const auto lists = [&](std::size_t record, std::size_t other) {
        const std::uint32_t* near = graph.of(record);
        return std::find(near, near + graph.count, other) != near + graph.count;
    };
    Edges edges;
    edges.starts.assign(X.n + 1, 0);
    for (std::size_t i = 0; i < X.n; ++i) {
        edges.starts[i + 1] += graph.count + 1;
        for (std::size_t t = 0; t < graph.count; ++t) {
            const std::uint32_t other = graph.of(i)[t];
            if (!lists(other, i)) ++edges.starts[other + std::size_t{1}];
        }
    }
    std::partial_sum(edges.starts.begin(), edges.starts.end(), edges.starts.begin());
    edges.to.resize(edges.starts.back());
    edges.parts.resize(edges.starts.back());
    std::vector<std::size_t> end(edges.starts.begin(), edges.starts.end() - 1);
    const auto pair_error = [&](std::size_t a, std::size_t b) { return 0.5 * squared_distance(X[a], X[b], X.m); };
    double highest = 0.0;
    for (std::size_t i = 0; i < X.n; ++i)  // neighbours are listed nearest first
        highest = std::max(highest, pair_error(i, graph.of(i)[graph.count - 1]));
    if (highest > 0.0) edges.unit = highest;
    const auto add = [&](std::size_t from, std::size_t to, double cost) {
        edges.to[end[from]] = static_cast<std::uint32_t>(to);
        edges.parts[end[from]++] = static_cast<float>(cost / edges.unit);
    };
    for (std::size_t i = 0; i < X.n; ++i)
        for (std::size_t t = 0; t < graph.count; ++t) {
            const std::uint32_t other = graph.of(i)[t];
            const double cost = pair_error(i, other);
            add(i, other, cost);
            if (!lists(other, i)) add(other, i, cost);
        }
    for (std::size_t i = 0; i < X.n; ++i) {
        const double nearest = edges.cost(edges.starts[i]), second = edges.cost(edges.starts[i] + 1);
        add(i, i, 4.0 / 3.0 * (nearest + second));
    }
    return edges;
}

Halves share_halves(const Edges& edges, const Watch& watch, const Progress& reached) {
    const std::size_t n = edges.starts.size() - 1;
    Halves halves{std::vector<std::uint32_t>(n, kNobody), std::vector<double>(n, 0.0)};
    // Whom nobody else wants is cheap from the start on: bids for all others would have to rise by so much.
    std::vector<double> bids(n);
    for (std::size_t i = 0; i < n; ++i) bids[i] = -edges.cost(edges.starts[i]);
    const double sum = edges.unit * std::accumulate(edges.parts.begin(), edges.parts.end(), 0.0);
    const double mean = sum / static_cast<double>(edges.parts.size());
    for (std::size_t round = 0; round < kRounds && sum > 0.0 && !watch.stopped(); ++round) {
        const double done = static_cast<double>(round) / kRounds, after = static_cast<double>(round + 1) / kRounds;
        bid(edges, kSteps[round], mean, watch, part_of(reached, done, after), halves.next, bids);
    }
    for (std::size_t i = 0; i < n; ++i) halves.prices[i] = 0.5 * (best_offer(edges, bids, i).least - bids[i]);
    return halves;
}

}  // namespace microagg
