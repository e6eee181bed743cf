// Annealing of all groups at once, and in large blocks.
//
//   groups to start with: MDAV in cells
//   near neighbours of every record, found once
//   a pass over blocks, to found and dissolve groups
//   rounds of exchanges between all groups (exchange.h)
//     groups of two, where nothing but k is promised: pairs of neighbours instead of all that (pair_up.h)
//   chains of records that take each other's places (chains.h): most of the way where groups are small
//   more passes over blocks, and chains where these have changed groups
//
// In many columns exchanges come before the first pass: the last groups of MDAV are so wide there that it would
// dissolve many which are worth keeping once all are annealed.
//
//   pass over blocks:  cut the groups into blocks, other ones each time; anneal each for a short while, on any thread,
//                      along the neighbours that lie in it; keep the parts that became better (combine.h)
//
// What ends a group at the border of a block costs: large blocks have less border, and a graph that is there already
// makes them cheap. How large does not depend on the number of threads, so that the labels do not.
#include "kernels/search/partition_fast.h"

#include <algorithm>

#include "kernels/base/constants.h"
#include "kernels/base/members.h"
#include "kernels/neighbours/near_neighbours.h"
#include "kernels/pairs/pair_up.h"
#include "kernels/search/anneal.h"
#include "kernels/search/chains.h"
#include "kernels/search/combine.h"
#include "kernels/search/exchange.h"
#include "kernels/search/improve_blocks.h"
#include "kernels/search/start_groups.h"

namespace microagg {
namespace {

constexpr std::size_t kLeastBlock = 5000, kMostBlock = 40000;
constexpr std::size_t kBlocks = 3;                     // at least, so that several threads have work
constexpr double kSweeps = 12.0;                       // moves for each record in a pass
constexpr double kLeastHeat = 0.14, kMostHeat = 0.26;  // in units of a record's own scale

constexpr double kGraphShare = 0.1, kExchangeShare = 0.2, kPassesShare = 0.2;  // of the progress that is shown
constexpr double kExchangeHeat = 0.22,
                 kLittleHeat = 0.1;  // the latter in pairs, with few ways to part, and many columns

}  // namespace

void partition_fast(Records X, std::size_t k, const Promises* promises, const FastPlan& plan, const Progress& progress,
                    std::int64_t* labels) {
    Watch watch(progress, kInfinity);
    const bool in_pairs = k == 2 && promises == nullptr && X.n >= kLeastToPair;
    if (promises == nullptr && !in_pairs) start_groups(X, k, plan.threads, labels);
    std::vector<std::uint32_t> best(X.n, 0);
    if (!in_pairs) best.assign(labels, labels + X.n);
    if (promises != nullptr) split_large(X, k, promises, best);
    const Limits limits = limits_for(k, promises, best, most_in_block(k));
    const Progress report = [&](double done) { watch.report(done); };
    const Progress found = part_of(report, 0.0, kGraphShare);
    const Graph graph = in_pairs ? neighbours_to_pair(X, plan.seed, plan.threads, watch, found)
                                 : near_neighbours(X, neighbours_for(k), plan.seed, plan.threads, watch, found);
    const std::size_t most = std::clamp(X.n / kBlocks, kLeastBlock, kMostBlock);
    const BlockPlan blocks{limits, std::max(most, 32 * k), graph.count, plan.threads, plan.seed, &graph};
    double shown = kGraphShare;
    const auto next_part = [&](double share) {
        const double from = shown;
        shown = std::min(1.0, shown + share);
        return part_of(report, from, shown);
    };
    const auto pass_over_blocks = [&](std::size_t pass) {
        improve_blocks(
            X, blocks, pass, best, watch,
            [&](const Block& block, std::vector<std::uint32_t>& part, Random& random, bool) {
                const double heat = kLeastHeat + (kMostHeat - kLeastHeat) * random.uniform();
                const double moves = kSweeps * static_cast<double>(block.n);
                Grouping groups(block, limits, part.data());
                anneal(
                    groups, random, heat, [&](std::size_t made) { return static_cast<double>(made) / moves; },
                    watch.stop());
                return combine(block, part, groups.labels());
            },
            next_part(kPassesShare / static_cast<double>(plan.passes + 1)));
    };
    const double rest = 1.0 - kGraphShare - kExchangeShare - kPassesShare;
    if (in_pairs) {
        const Progress paired = next_part(kExchangeShare);
        if (!watch.stopped()) best = pair_up(X, graph, watch, paired).labels;
    } else {
        const bool in_many_columns = X.m > kFewColumns;
        if (!in_many_columns) pass_over_blocks(0);
        const double heat = in_many_columns || k == 2 ? kLittleHeat : kExchangeHeat;
        const ExchangePlan rounds{limits, static_cast<double>(plan.sweeps), heat, plan.threads, plan.seed};
        exchange(X, rounds, graph, watch, best, next_part(kExchangeShare));
        if (in_many_columns) pass_over_blocks(0);
    }
    Chained chained(X, {limits, plan.longest, plan.threads, plan.seed}, graph, best);
    chained.improve(best, watch, next_part(0.5 * rest));
    for (std::size_t pass = 1; pass <= plan.passes && !watch.stopped(); ++pass) {
        pass_over_blocks(pass);
        chained.improve(best, watch, next_part(0.5 * rest / static_cast<double>(plan.passes)));
    }
    renumber(best);
    std::copy(best.begin(), best.end(), labels);
    watch.rethrow();
}

}  // namespace microagg
