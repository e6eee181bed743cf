// Chains (after Lin and Kernighan's for tours; those of pairs of records are the alternating paths of a matching).
//
//   rounds:  the next records of the queue, each on any thread, look for a chain that pays; nothing changes meanwhile
//            chains are made, one after the other, if no group of theirs has changed in this round (otherwise their
//            first record waits for the next one); the members of groups that changed join the queue, and those near
//            who moved
//
//   x of A looks:     gain = what A loses less without x;  extend(x, gain)
//   extend(x, gain):  of all y of the groups B near x that are not on the chain:
//                       x takes the place of y:  gain' = gain - (error of B with x for y - error of B),
//                       if gain exceeds what x costs in B without y
//                     the kWays y with the most gain', best first:
//                       if y in the place that is left in A costs less than gain', the chain pays
//                       otherwise extend(y, gain'), unless the chain is long enough
//
// With c the centroid of B and s its size, x for y costs |x - c|^2 - |y - c|^2 - |x - y|^2 / s, and without y the error
// of B is less by s / (s - 1) |y - c|^2. With g = |x - c| and w the least of (s - 1) g and the farthest |y - c|, no y
// lets x cost less than ((s - 1) g^2 + w^2 / (s - 1) - 2 g w) / s in B without y.
#include "kernels/search/chains.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/fetch.h"
#include "kernels/base/members.h"
#include "kernels/base/multiversion.h"
#include "kernels/base/pool.h"
#include "kernels/neighbours/cells.h"

namespace microagg {
namespace {

constexpr std::size_t kWays = 2;
constexpr std::size_t kMostGroups = 64;    // near a record
constexpr std::size_t kAtOnce = 64;        // one record in so many looks in a round: few want the same groups
constexpr std::size_t kLeastAtOnce = 128;  // records
constexpr std::size_t kPiece = 16;         // records that a thread takes at a time
constexpr std::size_t kNearby = 32;        // records that lie together in memory, whatever their order
constexpr double kTolerance = 1e-12;       // of the mean scale of a record: what counts as a gain

}  // namespace

// What one thread needs to look for chains.
class Chains::Look {
  public:
    Look(const Grouping& groups, std::size_t longest, double tolerance)
        : groups_(groups),
          block_(groups.block()),
          longest_(longest),
          tolerance_(tolerance),
          is_on_chain_(groups.n_slots(), false),
          rest_(groups.block().stride) {}

    // A chain that begins with the record and pays; otherwise an empty one.
    const Chain& from(std::uint32_t record) {
        home_ = groups_.group_of(record);
        chain_.clear();
        const double size = static_cast<double>(groups_.size(home_));
        if (size < 2.0) return chain_;
        const double* centroid = groups_.centroid(home_);
        for (std::size_t c = 0; c < block_.stride; ++c)
            rest_[c] = centroid[c] + (centroid[c] - block_[record][c]) / (size - 1.0);
        share_ = (size - 1.0) / size;
        is_on_chain_[home_] = true;
        extend(record, groups_.known_gap(record) / share_);
        is_on_chain_[home_] = false;
        for (const Step& step : chain_) is_on_chain_[step.group] = false;
        return chain_;
    }

  private:
    struct Near {
        std::uint32_t group;
        double gap;
    };
    struct Way {
        std::uint32_t leaving, group;
        double gain;
    };

    MICROAGG_MULTIVERSION
    bool extend(std::uint32_t leaving, double gain) {
        Way ways[kWays];
        std::size_t n_ways = 0, n_near = 0, n_within = 0;
        Near near[kMostGroups];
        // Each step fetches what the next one reads.
        const std::uint32_t* neighbours = block_.neighbours_of(leaving);
        for (std::size_t t = 0; t < block_.n_neighbours && n_near < kMostGroups; ++t) {
            const std::uint32_t group = groups_.group_of(neighbours[t]);
            const auto is_it = [group](const Near& one) { return one.group == group; };
            if (is_on_chain_[group] || std::any_of(near, near + n_near, is_it)) continue;
            near[n_near++].group = group;
            for (std::size_t c = 0; c < block_.stride; c += 8) fetch(groups_.centroid(group) + c);
            fetch(groups_.members(group));
        }
        for (std::size_t t = 0; t < n_near; ++t) {
            const std::uint32_t group = near[t].group;
            const double s = static_cast<double>(groups_.size(group));
            const double gap = groups_.gap_to(leaving, group), reach = std::sqrt(gap);
            const double width = std::min(std::sqrt(groups_.known_widest(group)), (s - 1.0) * reach);
            const double least = ((s - 1.0) * gap + width * width / (s - 1.0) - 2.0 * reach * width) / s;
            if (gain - least <= tolerance_) continue;
            near[n_within++] = {group, gap};
            for (std::size_t j = 0; j < groups_.size(group); ++j)
                for (std::size_t c = 0; c < block_.stride; c += 8) fetch(block_[groups_.members(group)[j]] + c);
        }
        for (std::size_t t = 0; t < n_within; ++t) {
            const std::uint32_t group = near[t].group;
            const double s = static_cast<double>(groups_.size(group));
            for (std::size_t j = 0; j < groups_.size(group); ++j) {
                const std::uint32_t y = groups_.members(group)[j];
                const double own = groups_.known_gap(y);
                const double apart = squared_gap(block_[leaving], block_[y], block_.stride);
                const double left = gain - near[t].gap + own + apart / s;
                if (left - s / (s - 1.0) * own <= tolerance_) continue;
                if (n_ways == kWays && left <= ways[kWays - 1].gain) continue;
                std::size_t at = n_ways < kWays ? n_ways++ : kWays - 1;
                for (; at > 0 && ways[at - 1].gain < left; --at) ways[at] = ways[at - 1];
                ways[at] = {y, group, left};
            }
        }
        for (std::size_t w = 0; w < n_ways; ++w) {
            chain_.push_back({leaving, ways[w].group});
            const double closing = share_ * squared_gap(block_[ways[w].leaving], rest_.data(), block_.stride);
            if (ways[w].gain - closing > tolerance_) {
                chain_.push_back({ways[w].leaving, home_});
                return true;
            }
            is_on_chain_[ways[w].group] = true;
            if (chain_.size() < longest_ && extend(ways[w].leaving, ways[w].gain)) return true;
            is_on_chain_[ways[w].group] = false;
            chain_.pop_back();
        }
        return false;
    }

    const Grouping& groups_;
    const Block& block_;
    std::size_t longest_;
    double tolerance_;
    Chain chain_;
    std::vector<char> is_on_chain_;  // of each group
    std::uint32_t home_ = 0;         // the group that the first record leaves
    double share_ = 0.0;             // (a - 1) / a of its size a
    std::vector<double> rest_;       // its centroid without that record
};

Chains::Chains(Grouping& groups, std::size_t longest, std::size_t threads)
    : groups_(groups),
      longest_(longest),
      threads_(threads),
      changed_(groups.n_slots(), 0),
      queue_(groups.n_records()),
      in_queue_(groups.n_records(), false) {
    double total = 0.0;
    for (const double scale : groups.block().scale) total += scale;
    tolerance_ = kTolerance * total / static_cast<double>(groups.n_records());
}

void Chains::touch(std::uint32_t record) {
    if (in_queue_[record]) return;
    in_queue_[record] = true;
    queue_[(head_ + queued_++) % queue_.size()] = record;
}

double Chains::run(const std::atomic<bool>& stop, const std::function<void(double)>& reached) {
    for (std::size_t i = 0; i < groups_.n_records(); ++i) groups_.own_gap(i);  // measures its group
    double change = 0.0, most = 0.0, taken = 0.0;
    Pool pool(threads_);
    std::vector<Look> looks(threads_, Look(groups_, longest_, tolerance_));
    std::vector<std::uint32_t> looking;
    std::vector<Chain> chains;
    while (queued_ > 0 && !stop.load(std::memory_order_relaxed)) {
        ++round_;
        looking.clear();
        for (std::size_t left = std::min(queued_, std::max(kLeastAtOnce, queue_.size() / kAtOnce)); left > 0; --left) {
            looking.push_back(queue_[head_]);
            in_queue_[queue_[head_]] = false;
            head_ = (head_ + 1) % queue_.size();
            --queued_;
        }
        chains.resize(std::max(chains.size(), looking.size()));
        pool.run((looking.size() + kPiece - 1) / kPiece, [&](std::size_t piece, std::size_t thread) {
            for (std::size_t t = piece * kPiece; t < std::min(looking.size(), (piece + 1) * kPiece); ++t)
                chains[t] = looks[thread].from(looking[t]);
        });
        for (std::size_t t = 0; t < looking.size(); ++t) {
            if (chains[t].empty()) continue;
            const bool is_stale = std::any_of(chains[t].begin(), chains[t].end(),
                                              [&](const Step& step) { return changed_[step.group] == round_; });
            if (is_stale)
                touch(looking[t]);
            else if (may_be_made(chains[t]))
                change += make(chains[t]);
        }
        taken += static_cast<double>(looking.size());
        reached(most = std::max(most, taken / (taken + static_cast<double>(queued_))));
    }
    return change;
}

// Whether all its groups keep their promises: each gets one record and gives the one that goes next.
bool Chains::may_be_made(const Chain& chain) {
    if (!groups_.has_promises()) return true;
    for (std::size_t t = 0; t < chain.size(); ++t)
        if (!groups_.keeps(chain[t].group, chain[(t + 1) % chain.size()].record, chain[t].record)) return false;
    return true;
}

double Chains::make(const Chain& chain) {
    double before = 0.0, after = 0.0;
    rows_.clear(), targets_.clear();
    for (const Step& step : chain) {
        rows_.push_back(step.record), targets_.push_back(step.group);
        before += groups_.error(step.group);
    }
    groups_.move_all(rows_, targets_);
    for (const Step& step : chain) {
        after += groups_.error(step.group);
        changed_[step.group] = round_;
        for (std::size_t t = 0; t < groups_.size(step.group); ++t) touch(groups_.members(step.group)[t]);
        for (std::size_t t = 0; t < groups_.block().n_neighbours; ++t)
            touch(groups_.block().neighbours_of(step.record)[t]);
    }
    return after - before;
}

Chained::Chained(Records X, const ChainPlan& plan, const Graph& graph, const std::vector<std::uint32_t>& labels)
    : plan_(plan) {
    std::vector<std::size_t> sizes(*std::max_element(labels.begin(), labels.end()) + std::size_t{1}, 0);
    for (const std::uint32_t label : labels) ++sizes[label];
    // What lies together in space does so in memory.
    Pool pool(plan.threads);
    std::vector<std::uint32_t> rows, place(X.n, kNobody);
    for (const std::uint32_t row : cut_cells(X, kNearby, plan.seed, 0, pool).order)
        if (sizes[labels[row]] <= plan.limits.most) {
            place[row] = static_cast<std::uint32_t>(rows.size());
            rows.push_back(row);
        }
    if (rows.size() >= 2 * plan.limits.least && graph.count > 0)
        block_.emplace(X, rows.data(), rows.size(), graph, [&](std::uint32_t row) { return place[row]; });
}

void Chained::improve(std::vector<std::uint32_t>& labels, Watch& watch, const std::function<void(double)>& reached) {
    if (!block_) return;
    std::vector<std::uint32_t> part(block_->n);
    for (std::size_t i = 0; i < part.size(); ++i) part[i] = labels[block_->rows[i]];
    const std::size_t n_groups = renumber(part);
    Grouping groups(*block_, plan_.limits, part.data());
    Chains chains(groups, plan_.longest, plan_.threads);
    // A group is as it was if its members had the same label, and nobody else had it. Who is or lies near a member of
    // another one looks.
    std::vector<std::size_t> sizes(part.size(), 0);
    std::vector<char> is_new(n_groups, false);
    for (const std::uint32_t label : last_) ++sizes[label];
    for (std::uint32_t g = 0; g < n_groups; ++g) {
        const std::uint32_t *begin = groups.members(g), *end = begin + groups.size(g);
        const auto was_beside = [&](std::uint32_t record) { return last_[record] == last_[*begin]; };
        if (!last_.empty() && sizes[last_[*begin]] == groups.size(g) && std::all_of(begin, end, was_beside)) continue;
        is_new[g] = true;
    }
    for (std::uint32_t i = 0; i < part.size(); ++i) {
        const std::uint32_t *begin = block_->neighbours_of(i), *end = begin + block_->n_neighbours;
        if (is_new[part[i]] || std::any_of(begin, end, [&](std::uint32_t near) { return is_new[part[near]]; }))
            chains.touch(i);
    }
    chains.run(watch.stop(), reached);
    last_ = groups.labels();
    // Groups that take no part keep their numbers, the others come after these.
    const std::uint32_t first = *std::max_element(labels.begin(), labels.end()) + 1;
    for (std::size_t i = 0; i < part.size(); ++i) labels[block_->rows[i]] = first + last_[i];
    renumber(labels);
}

}  // namespace microagg
