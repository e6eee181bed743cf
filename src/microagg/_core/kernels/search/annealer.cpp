// Annealing of all records. Nothing changes but the flag that ends it: threads do not wait for each other.
//
//   anneal:  their groups (anneal.h)
//   kick:    small places (kicks.h)
//   then chains (chains.h) from the records of groups that have changed, and from those near them
#include "kernels/search/annealer.h"

#include <algorithm>
#include <numeric>

#include "kernels/base/constants.h"
#include "kernels/base/members.h"
#include "kernels/base/pool.h"
#include "kernels/base/watch.h"
#include "kernels/neighbours/cells.h"
#include "kernels/search/anneal.h"
#include "kernels/search/chains.h"
#include "kernels/search/combine.h"
#include "kernels/search/improve_blocks.h"

namespace microagg {
namespace {

constexpr std::size_t kCompareAll = 20000;  // records up to which all pairs are compared to find neighbours
constexpr std::size_t kNearby = 32;         // records that lie together in memory, whatever their order

// Wide enough to look beyond a cluster of some more than k records that lie together, far from all others.
std::size_t neighbours_of_all(std::size_t k) { return std::clamp<std::size_t>(2 * k + 10, 16, 64); }

Block block_of(Records X, const Limits& limits, const std::vector<std::uint32_t>& labels, std::size_t threads) {
    if (X.n <= kCompareAll) {
        std::vector<std::uint32_t> rows(X.n);
        std::iota(rows.begin(), rows.end(), 0U);
        return {X, rows.data(), X.n, neighbours_of_all(limits.least)};
    }
    std::vector<std::size_t> sizes(*std::max_element(labels.begin(), labels.end()) + std::size_t{1}, 0);
    for (const std::uint32_t label : labels) ++sizes[label];
    Pool pool(threads);
    std::vector<std::uint32_t> rows, place(X.n, kNobody);
    for (const std::uint32_t row : cut_cells(X, kNearby, 0, 0, pool).order)
        if (sizes[labels[row]] <= limits.most) {
            place[row] = static_cast<std::uint32_t>(rows.size());
            rows.push_back(row);
        }
    Watch watch([](double) {}, kInfinity);
    const Graph graph = near_neighbours(X, neighbours_for(limits.least), 0, threads, watch, [](double) {});
    return {X, rows.data(), rows.size(), graph, [&](std::uint32_t row) { return place[row]; }};
}

// Members of groups that are not what they were, and who lies near them.
void touch_changed(const Grouping& groups, const std::vector<std::uint32_t>& before, Chains& chains) {
    const Block& block = groups.block();
    std::vector<std::uint32_t> sizes(*std::max_element(before.begin(), before.end()) + std::size_t{1}, 0);
    for (const std::uint32_t label : before) ++sizes[label];
    std::vector<char> is_new(groups.n_slots(), false);
    for (std::uint32_t g = 0; g < groups.n_slots(); ++g) {
        if (groups.size(g) == 0) continue;
        const std::uint32_t *begin = groups.members(g), *end = begin + groups.size(g);
        const std::uint32_t label = before[*begin];
        is_new[g] = sizes[label] != groups.size(g) ||
                    std::any_of(begin, end, [&](std::uint32_t record) { return before[record] != label; });
    }
    for (std::uint32_t i = 0; i < block.n; ++i) {
        const std::uint32_t *begin = block.neighbours_of(i), *end = begin + block.n_neighbours;
        const auto is_of_new = [&](std::uint32_t record) { return is_new[groups.group_of(record)] != 0; };
        if (is_of_new(i) || std::any_of(begin, end, is_of_new)) chains.touch(i);
    }
}

std::vector<std::uint32_t> labels_in(const Block& block, const std::vector<std::uint32_t>& labels) {
    std::vector<std::uint32_t> part(block.n);
    for (std::size_t i = 0; i < block.n; ++i) part[i] = labels[block.rows[i]];
    renumber(part);
    return part;
}

// Groups that take no part keep their numbers, the others come after these.
void put(const Block& block, const std::vector<std::uint32_t>& part, std::vector<std::uint32_t>& labels) {
    const std::uint32_t first = *std::max_element(labels.begin(), labels.end()) + 1;
    for (std::size_t i = 0; i < block.n; ++i) labels[block.rows[i]] = first + part[i];
    renumber(labels);
}

}  // namespace

Annealer::Annealer(Records X, std::size_t k, const Promises* promises, const std::vector<std::uint32_t>& labels,
                   std::size_t threads)
    : n_records_(X.n),
      limits_(limits_for(k, promises, labels, X.n <= kCompareAll ? X.n : most_in_block(k))),
      block_(block_of(X, limits_, labels, threads)),
      threads_(threads) {}

bool Annealer::work_on(std::vector<std::uint32_t>& labels, std::size_t longest, WorkDone& work,
                       const std::function<std::size_t(Grouping&)>& change) const {
    work = {};
    if (block_.n < 2 * limits_.least) return !stop_;
    const std::vector<std::uint32_t> before = labels_in(block_, labels);
    Grouping groups(block_, limits_, before.data());
    work.n_compared = change(groups);
    if (longest > 0 && !stop_) {
        Chains chains(groups, longest, threads_);
        touch_changed(groups, before, chains);
        chains.run(stop_, [](double) {});
        work.n_steps = chains.n_steps();
    }
    if (stop_) return false;
    put(block_, groups.labels(), labels);
    return true;
}

bool Annealer::anneal(std::vector<std::uint32_t>& labels, const Warming& warming, WorkDone& work) const {
    return work_on(labels, warming.longest, work, [&](Grouping& groups) {
        const double moves = warming.sweeps * static_cast<double>(groups.n_records());
        Random random(warming.seed);
        return microagg::anneal(
            groups, random, warming.heat, [&](std::size_t made) { return static_cast<double>(made) / moves; }, stop_);
    });
}

bool Annealer::kick(std::vector<std::uint32_t>& labels, const Kicks& kicks, std::size_t longest, std::uint64_t seed,
                    WorkDone& work) const {
    return work_on(labels, longest, work,
                   [&](Grouping& groups) { return microagg::kick(groups, kicks, seed, threads_, stop_); });
}

double Annealer::combine(std::vector<std::uint32_t>& best, const std::vector<std::uint32_t>& other) const {
    if (block_.n == 0) return 0.0;
    std::vector<std::uint32_t> part = labels_in(block_, best);
    const double decrease = microagg::combine(block_, part, labels_in(block_, other));
    put(block_, part, best);
    return decrease;
}

}  // namespace microagg
