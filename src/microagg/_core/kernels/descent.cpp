// Local search over the groups of a record's nearest neighbours.
//
//   while the queue holds a record x, of group A:
//     of all groups B that hold a neighbour of x, take the change that lowers the sum most:
//       x moves from A to B, if A can spare one and B has room          (sizes stay k..2k-1)
//       x changes places with a member of B
//     none:  dissolve A, if it has k members and each finds a cheaper place
//            found a new group of x and neighbours that their groups can spare
//     all members of the groups that changed enter the queue
//   then, where recuts are wanted:  merge a group with one beside it and cut both anew (recut.h); on with the queue
//
// A change must be worth more than rounding can feign. Ties go to the neighbour that is nearer.
#include "kernels/descent.h"

#include <cmath>
#include <limits>

namespace microagg {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A record looks for a partner only in groups that lie about as near as its own: where a swap is good because of the
// partner, the partner finds it.
constexpr double kWorthSwapping = 1.2;

constexpr std::size_t kRecuts = 4;  // groups with which one is merged and cut anew, at most

}  // namespace

Descent::Descent(Grouping& groups, bool recuts)
    : groups_(groups),
      recut_(groups.block(), groups.least()),
      recuts_(recuts),
      queue_(groups.n_records()),
      in_queue_(groups.n_records(), false),
      stamp_(groups.n_slots(), 0),
      spared_(groups.n_slots(), 0),
      recut_tried_(groups.n_slots(), false) {
    double largest = 0.0;
    for (double value : groups.block().values) largest = std::max(largest, value * value);
    tolerance_ = 1e-12 * largest;
}

void Descent::touch(std::size_t record) {
    if (in_queue_[record]) return;
    in_queue_[record] = true;
    queue_[(head_ + queued_++) % queue_.size()] = static_cast<std::uint32_t>(record);
}

void Descent::touch_all() {
    for (std::size_t i = 0; i < groups_.n_records(); ++i) touch(i);
}

void Descent::touch_members(std::uint32_t group) {
    recut_tried_[group] = false;
    for (std::size_t t = 0; t < groups_.size(group); ++t) touch(groups_.members(group)[t]);
}

double Descent::run(const std::atomic<bool>& stop) {
    double change = 0.0;
    std::size_t untried = recuts_ ? groups_.n_slots() : 0, next = 0;  // groups since the last good recut
    while (!stop.load(std::memory_order_relaxed)) {
        if (queued_ > 0) {
            const std::size_t record = queue_[head_];
            head_ = (head_ + 1) % queue_.size();
            --queued_;
            in_queue_[record] = false;
            change += improve(record);
        } else if (untried > 0) {
            const double recut_change = recut(static_cast<std::uint32_t>(next));
            untried = recut_change < 0.0 ? groups_.n_slots() : untried - 1;
            change += recut_change;
            next = (next + 1) % groups_.n_slots();
        } else {
            break;
        }
    }
    return change;
}

const std::vector<std::uint32_t>& Descent::adjacent(std::size_t record) {
    adjacent_.clear();
    ++now_;
    stamp_[groups_.group_of(record)] = now_;
    const std::uint32_t* neighbours = groups_.block().neighbours_of(record);
    for (std::size_t t = 0; t < groups_.block().n_neighbours; ++t) {
        const std::uint32_t group = groups_.group_of(neighbours[t]);
        if (stamp_[group] == now_) continue;
        stamp_[group] = now_;
        adjacent_.push_back(group);
    }
    return adjacent_;
}

double Descent::improve(std::size_t record) {
    const std::uint32_t home = groups_.group_of(record);
    const bool can_leave = groups_.size(home) > groups_.least();
    const double gain = groups_.leave_gain(record);
    double best = -tolerance_;
    std::uint32_t best_group = home;
    std::size_t best_partner = record;
    for (const std::uint32_t group : adjacent(record)) {
        const double join = groups_.join_cost(record, group);
        if (can_leave && groups_.size(group) < groups_.most() && join - gain < best) {
            best = join - gain, best_group = group, best_partner = record;
        }
        if (join > kWorthSwapping * gain) continue;
        const std::size_t partner = groups_.cheapest_partner(record, group, record, &best);
        if (partner != record) best_group = group, best_partner = partner;
    }
    if (best_group != home) {
        if (best_partner == record) {
            groups_.move(record, best_group);
        } else {
            groups_.swap(record, best_partner);
        }
        touch_members(home);
        touch_members(best_group);
        return best;
    }
    double change = kInfinity;
    if (can_leave) {
        change = found(record, -tolerance_);
    } else if (groups_.members(home)[0] == record) {  // once for the group, not once for each member
        change = dissolve(home, -tolerance_);
    }
    if (change == kInfinity) return 0.0;
    for (const auto& [moved, origin] : trial_) {
        if (groups_.size(origin) > 0) touch_members(origin);
        touch_members(groups_.group_of(moved));
    }
    return change;
}

// Merges a group with one beside it and cuts both anew, the first time that helps. A pair is tried once, by the group
// that comes later, until one of the two changes.
double Descent::recut(std::uint32_t home) {
    if (groups_.size(home) == 0 || recut_tried_[home]) return 0.0;
    recut_tried_[home] = true;
    std::size_t tried = 0;
    for (const std::uint32_t group : adjacent(groups_.members(home)[0])) {
        if (!recut_tried_[group]) continue;
        if (tried++ == kRecuts) break;
        merged_.assign(groups_.members(home), groups_.members(home) + groups_.size(home));
        merged_.insert(merged_.end(), groups_.members(group), groups_.members(group) + groups_.size(group));
        if (!(recut_.cut(merged_.data(), merged_.size()) - groups_.centroid_gap(home, group) > tolerance_)) continue;
        const double before = groups_.error(home) + groups_.error(group);
        reassign(home, group);
        touch_members(home);
        touch_members(group);
        return groups_.error(home) + groups_.error(group) - before;
    }
    return 0.0;
}

// Gives the merged records to two groups as the cut says, by swaps as long as there are two to swap: no group is ever
// larger than it may be.
void Descent::reassign(std::uint32_t a, std::uint32_t b) {
    std::size_t agree = 0;
    for (std::size_t t = 0; t < merged_.size(); ++t) agree += recut_.side(t) == (groups_.group_of(merged_[t]) == a);
    const bool a_side = 2 * agree >= merged_.size();
    leaving_[0].clear(), leaving_[1].clear();
    for (std::size_t t = 0; t < merged_.size(); ++t) {
        const bool in_a = groups_.group_of(merged_[t]) == a, to_a = recut_.side(t) == a_side;
        if (in_a != to_a) leaving_[in_a ? 0 : 1].push_back(merged_[t]);
    }
    const std::size_t swaps = std::min(leaving_[0].size(), leaving_[1].size());
    for (std::size_t t = 0; t < swaps; ++t) groups_.swap(leaving_[0][t], leaving_[1][t]);
    for (std::size_t t = swaps; t < leaving_[0].size(); ++t) groups_.move(leaving_[0][t], b);
    for (std::size_t t = swaps; t < leaving_[1].size(); ++t) groups_.move(leaving_[1][t], a);
}

std::uint32_t Descent::cheapest_host(std::size_t record, double* cost) {
    const std::uint32_t home = groups_.group_of(record);
    std::uint32_t host = home;
    *cost = kInfinity;
    for (const std::uint32_t group : adjacent(record)) {
        if (groups_.size(group) >= groups_.most()) continue;
        const double join = groups_.join_cost(record, group);
        if (join < *cost) *cost = join, host = group;
    }
    return host;
}

void Descent::put(std::size_t record, std::uint32_t to, double* cost) {
    *cost += groups_.join_cost(record, to) - groups_.leave_gain(record);
    trial_.emplace_back(static_cast<std::uint32_t>(record), groups_.group_of(record));
    groups_.move(record, to);
}

// Keeps the trial if it is cheap enough, else takes it back.
double Descent::settle(double cost, double limit) {
    if (cost < limit) return cost;
    for (std::size_t t = trial_.size(); t-- > 0;) groups_.move(trial_[t].first, trial_[t].second);
    return kInfinity;
}

double Descent::dissolve(std::uint32_t group, double limit) {
    // What it would cost if members did not meet again: a filter that spares most trials.
    double estimate = -groups_.error(group);
    for (std::size_t t = 0; t < groups_.size(group); ++t) {
        const std::size_t record = groups_.members(group)[t];
        double cost;
        if (cheapest_host(record, &cost) == group) return kInfinity;
        estimate += cost;
        if (!(estimate < limit)) return kInfinity;
    }
    trial_.clear();
    double cost = 0.0;
    while (groups_.size(group) > 0) {
        const std::size_t record = groups_.members(group)[groups_.size(group) - 1];
        double join;
        const std::uint32_t host = cheapest_host(record, &join);
        if (host == group) return settle(kInfinity, limit);
        put(record, host, &cost);
    }
    return settle(cost, limit);
}

double Descent::found(std::size_t record, double limit) {
    const Block& block = groups_.block();
    const std::uint32_t* neighbours = block.neighbours_of(record);
    const std::size_t k = groups_.least();
    // The founders, and about what they would cost if no two came from the same group: squares around the mean are
    // half of those around a member, on average. A filter that spares most trials.
    founders_.assign(1, static_cast<std::uint32_t>(record));
    double estimate = -groups_.leave_gain(record);
    ++now_;
    for (std::size_t t = 0; t < block.n_neighbours && founders_.size() < k; ++t) {
        const std::uint32_t from = groups_.group_of(neighbours[t]);
        if (stamp_[from] != now_) stamp_[from] = now_, spared_[from] = from == groups_.group_of(record) ? 1 : 0;
        if (groups_.size(from) <= k + spared_[from]) continue;
        ++spared_[from];
        founders_.push_back(neighbours[t]);
        estimate += 0.5 * squared_gap(block[record], block[neighbours[t]], block.stride);
        estimate -= groups_.leave_gain(neighbours[t]);
    }
    if (founders_.size() < k || !(estimate < limit)) return kInfinity;
    trial_.clear();
    double cost = 0.0;
    const std::uint32_t fresh = groups_.vacant();
    for (const std::uint32_t founder : founders_) put(founder, fresh, &cost);
    return settle(cost, limit);
}

}  // namespace microagg
