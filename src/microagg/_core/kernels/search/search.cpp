// Search of many records, where a walk from record to record waits for memory: all groups are annealed at once
// (exchange.h):
//
//   again and again:  cool from the start, each time three times as slowly, with passes over blocks that found and
//   dissolve
//                     groups; the best one keeps the better parts of all
//
// Some thousand records are annealed as one problem (annealer.h) in an order that Python decides.
#include "kernels/search/search.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "kernels/base/members.h"
#include "kernels/base/pool.h"
#include "kernels/mdav/mdav.h"
#include "kernels/neighbours/cells.h"
#include "kernels/search/anneal.h"
#include "kernels/search/combine.h"
#include "kernels/search/exchange.h"
#include "kernels/search/improve_blocks.h"

namespace microagg {
namespace {

constexpr std::size_t kStartCell = 30000;
constexpr double kLeastHeat = 0.1, kMostHeat = 0.2;  // of passes over blocks
constexpr double kMeanSweeps = 75.0;                 // moves for each record that make an iteration

constexpr std::size_t kTogether = 1000;                   // groups from which on all threads work on one chain
constexpr double kFirstSweeps = 50.0;                     // of the first cooling
constexpr double kSlower = 3.0;                           // how many times as slow the next one is
constexpr double kCoolingHeat = 0.22;                     // from which it cools
constexpr double kLeastPasses = 3.0, kMostPasses = 16.0;  // over blocks: one before, the others after
constexpr double kSweepsPerPass = 200.0;                  // of a cooling
constexpr std::size_t kPassBlock = 20000;                 // records in such a block
constexpr double kPassSweeps = 12.0;                      // moves for each record in it

using Labels = std::vector<std::uint32_t>;

// Warms `current` up, anneals it for `sweeps` moves per record, and takes what is better into `best`; gives the
// decrease of its sum of squared errors. `tick` is called now and then.
double anneal_and_combine(const Block& block, const Limits& limits, double heat, double sweeps, Random& random,
                          Labels& current, Labels& best, const std::atomic<bool>& stop,
                          const std::function<void()>& tick) {
    const double moves = sweeps * static_cast<double>(block.n);
    Grouping groups(block, limits, current.data());
    anneal(
        groups, random, heat,
        [&](std::size_t made) {
            tick();
            return static_cast<double>(made) / moves;
        },
        stop);
    current = groups.labels();
    return combine(block, best, current);
}

double later_heat(Random& random) { return kLeastHeat + (kMostHeat - kLeastHeat) * random.uniform(); }

// Told each decrease of the sum of squared errors of `best`, and now and then that there is none, on the calling
// thread.
using Gained = std::function<void(double)>;

// Nothing here depends on the time there is, but for the end: what is under way then is dropped, so that
// a longer search goes on from where a shorter one has ended.
void search_coolings(Records X, const SearchPlan& plan, Watch& watch, Labels& best, const Gained& gained) {
    const bool by_time = plan.iterations == 0;
    const double enough = kMeanSweeps * static_cast<double>(plan.iterations);
    const Limits limits = limits_for(plan.k, plan.promises, best, most_in_block(plan.k));
    const Graph graph = near_neighbours(X, neighbours_for(plan.k), plan.seed, plan.threads, watch, [](double) {});
    std::vector<std::uint32_t> rows(X.n);
    std::iota(rows.begin(), rows.end(), 0U);
    const Block block(X, rows.data(), X.n, 0);        // to compare partitions
    const bool together = X.n / plan.k >= kTogether;  // all threads at one chain, or each at its own
    const std::size_t chains = together ? 1 : 2, threads = together ? plan.threads : 1;
    const Labels start(best);
    double spent = 0.0, sweeps = kFirstSweeps;
    for (std::size_t round = 0; !watch.stopped() && (by_time || round == 0 || spent + sweeps <= enough); ++round) {
        std::vector<Labels> currents(chains, start);
        const auto passes = static_cast<std::size_t>(std::clamp(sweeps / kSweepsPerPass, kLeastPasses, kMostPasses));
        Pool(plan.threads).run(chains, [&](std::size_t chain, std::size_t thread) {
            const bool is_caller = thread == 0;
            const auto tick = [&](double part) {
                if (!is_caller) return;
                watch.report(
                    std::min(1.0, by_time ? watch.elapsed() / plan.time_limit : (spent + part * sweeps) / enough));
                gained(0.0);
            };
            const std::uint64_t seed = Random::stream(plan.seed, chain, round).next();
            const BlockPlan blocks{limits, std::max(kPassBlock, 32 * plan.k), graph.count, threads, seed, &graph};
            for (std::size_t pass = 0; pass < passes && !watch.stopped(); ++pass) {
                improve_blocks(
                    X, blocks, pass, currents[chain], watch,
                    [&](const Block& of_block, Labels& part, Random& random, bool) {
                        Labels current(part);
                        return anneal_and_combine(of_block, limits, later_heat(random), kPassSweeps, random, current,
                                                  part, watch.stop(), [] {});
                    },
                    [&](double) { tick(pass == 0 ? 0.0 : 1.0); });
                if (pass == 0)
                    exchange(X, {limits, sweeps, kCoolingHeat, threads, seed, round}, graph, watch, currents[chain],
                             tick);
            }
        });
        if (watch.stopped()) return;
        double decrease = 0.0;
        for (const Labels& current : currents) decrease += combine(block, best, current);
        gained(decrease);
        spent += sweeps;
        sweeps *= kSlower;
    }
}

}  // namespace

void start_groups(Records X, std::size_t k, std::size_t threads, std::int64_t* labels) {
    const Cells cells = cut_cells(X, std::max(kStartCell, 8 * k), Random(0));
    Pool(threads).run(cells.count(), [&](std::size_t cell, std::size_t) {
        const std::uint32_t* rows = &cells.order[cells.starts[cell]];
        const std::size_t size = cells.starts[cell + 1] - cells.starts[cell];
        std::vector<double> values(size * X.m);
        for (std::size_t i = 0; i < size; ++i) std::copy_n(X[rows[i]], X.m, &values[i * X.m]);
        std::vector<std::int64_t> part(size);
        mdav({values.data(), size, X.m}, k, cells.count() == 1 ? threads : 1, part.data(), [](double) {});
        // No two cells share a number: a cell has fewer groups than records.
        for (std::size_t i = 0; i < size; ++i)
            labels[rows[i]] = static_cast<std::int64_t>(cells.starts[cell]) + part[i];
    });
    Labels numbered(labels, labels + X.n);
    renumber(numbered);
    std::copy(numbered.begin(), numbered.end(), labels);
}

double search(Records X, const SearchPlan& plan, const Listeners& listeners, std::int64_t* labels) {
    Watch watch(listeners.fraction, plan.time_limit);
    Labels best(labels, labels + X.n);
    split_large(X, plan.k, plan.promises, best);
    const double total = sum_of_squares(X, Labels(X.n, 0));
    double errors = sum_of_squares(X, best);
    const auto gained = [&](double decrease) {
        errors -= decrease;
        watch.tell(listeners.loss, total > 0.0 ? 100.0 * errors / total : 0.0);
    };
    if (X.n >= 2 * plan.k) search_coolings(X, plan, watch, best, gained);
    renumber(best);
    std::copy(best.begin(), best.end(), labels);
    watch.rethrow();
    return errors;
}

}  // namespace microagg
