// The cheapest way to give every record half of one neighbour and half of another.
#pragma once

#include <vector>

#include "kernels/base/watch.h"
#include "kernels/neighbours/near_neighbours.h"

namespace microagg {

// Who may share a group with whom, both ways: the squared error of the pair. The last edge of each record leads to
// itself: what it costs, about, to be the third of a group.
struct Edges {
    std::vector<std::size_t> starts;
    std::vector<std::uint32_t> to;
    std::vector<float> parts;  // of the unit
    double unit = 1.0;  // the highest cost, so that single precision holds the others whatever the data's unit is
    double cost(std::size_t edge) const { return unit * parts[edge]; }
};

Edges edges_of(Records X, const Graph& graph);

struct Halves {
    std::vector<std::uint32_t> next;  // of each record: whom it has half of; no two have the same; kNobody if none
    std::vector<double> prices;       // two records that an edge joins pay no more than it costs
};

// By auction: every record bids for the neighbour that is cheapest, its price included, as much as that is cheaper than
// the second. Stops early where `watch` does; `reached` is told how much is done.
Halves share_halves(const Edges& edges, const Watch& watch, const Progress& reached);

}  // namespace microagg
