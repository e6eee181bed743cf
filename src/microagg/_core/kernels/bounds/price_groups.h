// Groups that cost less than what their members would pay: the columns of a linear program (price_groups.cpp).
#pragma once

#include <vector>

#include "kernels/base/records.h"

namespace microagg {

struct PricingLimits {
    double tolerance;      // groups must be cheaper than their prices by more than this
    std::size_t per_seed;  // how many groups to give back for each seed
    std::size_t nodes;     // how many nodes to visit for each seed, at most
    bool every;            // give every such group of a seed, not only those cheaper than all before
    std::size_t threads;
};

// Sets of `size` records, each with a multiple, and a divisor: a group pays the penalty as many times as the divisor
// goes into the sum of the multiples of its members.
struct Cuts {
    struct Part {
        std::size_t cut;
        unsigned multiple;
    };
    struct Given {
        const std::int64_t *records, *multiples;  // count x size
        const std::int64_t* divisors;
        const double* penalties;
        std::size_t count, size;
    };
    Cuts(std::size_t n_records, const Given& given);

    std::vector<std::vector<Part>> of_record;  // the cuts that a record is in
    std::vector<double> penalties;             // above 0
    std::vector<unsigned> divisors;
};

// Pairs of records of which a group holds both or none, and pairs of which it holds one at most. The first kind must be
// given with all that follow from it: where a goes with b and b with c, also a with c.
struct Decisions {
    Decisions(std::size_t n_records, const std::int64_t* together, std::size_t n_together, const std::int64_t* apart,
              std::size_t n_apart);

    std::vector<std::vector<std::size_t>> with, without;  // of each record
};

struct PricedGroups {
    std::vector<std::int64_t> members;    // rows of all groups, ascending in each, one group after the other
    std::vector<std::int64_t> starts;     // where each group starts, and one more for the end
    std::vector<double> costs;            // the sum of squared errors of each group
    std::vector<double> reduced_costs;    // cost minus prices plus penalties
    std::vector<double> least;            // of each seed: no group that has it as seed has a reduced cost below this
    std::vector<std::int64_t> cut_short;  // seeds whose nodes ran out
};

// Groups of k..2k-1 records that cost, with penalties, less than the sum of their members' prices.
PricedGroups price_groups(Records X, std::size_t k, const double* prices, const Cuts& cuts, const Decisions& decisions,
                          const PricingLimits& limits, const Progress& progress);

}  // namespace microagg
