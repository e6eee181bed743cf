// Annealing of all groups at once: records change places and groups, round by round, without blocks and their borders.
#pragma once

#include <functional>
#include <vector>

#include "kernels/base/watch.h"
#include "kernels/neighbours/near_neighbours.h"
#include "kernels/search/grouping.h"

namespace microagg {

struct ExchangePlan {
    Limits limits;  // of groups; larger ones than `most_in_exchange` stay as they are
    double sweeps;  // how often each record looks for another place, on average
    double heat;    // to begin with, in units of a record's own scale
    std::size_t threads;
    std::uint64_t seed;
    std::size_t turn = 0;  // another one, other random numbers
};

// How many records a group may have to take part: memory is set aside for it.
std::size_t most_in_exchange(const Limits& limits);

// Anneals the groups, which keep the limits, along the neighbours of `graph`; their number stays. Gives the decrease of
// the sum of squared errors, by a recount; where there is none, the labels are as before (unless the plan says
// `always`). `reached` is told how much is done, on the calling thread. The same on any number of threads.
double exchange(Records X, const ExchangePlan& plan, const Graph& graph, Watch& watch,
                std::vector<std::uint32_t>& labels, const std::function<void(double)>& reached);

}  // namespace microagg
