// Local search over the groups around a record.
//
//   while the queue holds a record x, of group A:
//     of all groups B that hold a neighbour of x, or lie in its reach, take the change that lowers the sum most:
//       x moves from A to B, if A can spare one and B has room          (sizes stay k..2k-1)
//       x changes places with a member of B
//     none:  dissolve A, if it has k members and each finds a cheaper place
//            found a new group of x and others near it that their groups can spare
//     all members of the groups that changed enter the queue
//   No change breaks a promise on confidential values, where there are any (Grouping::keeps): it is asked for last,
//   of the few changes that are cheap enough.
//   then, where recuts are wanted:  merge a group with one or two beside it and cut them anew (recut.h); on with the
//   queue
//
// A change must be worth more than rounding can feign. Ties go to the group that comes first.
#include "kernels/search/descent.h"

#include <algorithm>

#include "kernels/base/constants.h"
#include "kernels/base/multiversion.h"

namespace microagg {
namespace {

// A record looks for a partner only in groups that lie about as near as its own: where a swap is good because of the
// partner, the partner finds it.
constexpr double kWorthSwapping = 1.05;

// Members of a group that dissolves look so far for a place, in units of their mean squared distance to its centroid.
constexpr double kHostReach = 2.0;

}  // namespace

Descent::Descent(Grouping& groups, NearGroups* near, Recuts recuts)
    : groups_(groups),
      near_(near),
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
    const std::size_t at = head_ + queued_++;
    queue_[at < queue_.size() ? at : at - queue_.size()] = static_cast<std::uint32_t>(record);
}

void Descent::touch_all() {
    for (std::size_t i = 0; i < groups_.n_records(); ++i) touch(i);
}

void Descent::changed(std::uint32_t group) {
    recut_tried_[group] = false;
    if (near_ != nullptr) near_->follow(group);
    for (std::size_t t = 0; t < groups_.size(group); ++t) touch(groups_.members(group)[t]);
}

double Descent::run(const std::atomic<bool>& stop) {
    double change = 0.0;
    std::size_t untried = recuts_.merged > 1 ? groups_.n_slots() : 0, next = 0;  // groups since the last good recut
    while (!stop.load(std::memory_order_relaxed)) {
        if (queued_ > 0) {
            const std::size_t record = queue_[head_];
            head_ = head_ + 1 == queue_.size() ? 0 : head_ + 1;
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
    const std::uint32_t home = groups_.group_of(record);
    if (near_ != nullptr) {
        for (const std::uint32_t group : near_->known(record))
            if (group != home && groups_.size(group) > 0) adjacent_.push_back(group);
        return adjacent_;
    }
    ++now_;
    stamp_[home] = now_;
    const std::uint32_t* neighbours = groups_.block().neighbours_of(record);
    for (std::size_t t = 0; t < groups_.block().n_neighbours; ++t) {
        const std::uint32_t group = groups_.group_of(neighbours[t]);
        if (stamp_[group] == now_) continue;
        stamp_[group] = now_;
        adjacent_.push_back(group);
    }
    return adjacent_;
}

// The squared distance within which a group is worth a look.
double Descent::reach(std::size_t record) {
    return kWorthSwapping * (1.0 + 1.0 / static_cast<double>(groups_.least())) * groups_.leave_gain(record);
}

MICROAGG_MULTIVERSION
double Descent::improve(std::size_t record) {
    const std::uint32_t home = groups_.group_of(record);
    const bool can_leave = groups_.size(home) > groups_.least();
    const double gain = groups_.leave_gain(record);
    if (near_ != nullptr) near_->within(record, reach(record));
    double best = -tolerance_;
    std::uint32_t best_group = home;
    std::size_t best_partner = record;
    Leave leave = groups_.has_promises() ? Leave::kUnknown : Leave::kYes;
    for (const std::uint32_t group : adjacent(record)) {
        ++n_compared_;
        const double gap = groups_.gap_to(record, group), join = groups_.join_cost_at(gap, group);
        if (can_leave && groups_.size(group) < groups_.most() && join - gain < best && may_leave(record, &leave) &&
            groups_.keeps(group, kNobody, record)) {
            best = join - gain, best_group = group, best_partner = record;
        }
        if (join > kWorthSwapping * gain) continue;
        n_compared_ += groups_.size(group);
        const std::size_t partner = groups_.cheapest_partner(record, group, gap, record, &best);
        if (partner != record) best_group = group, best_partner = partner;
    }
    if (best_group != home) {
        if (best_partner == record) {
            groups_.move(record, best_group);
        } else {
            groups_.swap(record, best_partner);
        }
        changed(home);
        changed(best_group);
        return best;
    }
    double change = kInfinity;
    if (can_leave) change = found(record, -tolerance_);
    // Once for the group, not once for each member. Where promises hold groups together, large ones dissolve too.
    const bool may_go = !can_leave || (change == kInfinity && groups_.has_promises());
    if (may_go && groups_.members(home)[0] == record) change = dissolve(home, -tolerance_);
    if (change == kInfinity) return 0.0;
    for (const auto& [moved, origin] : trial_) {
        changed(origin);
        changed(groups_.group_of(moved));
    }
    return change;
}

// Whether the promises let a record go, found out once.
bool Descent::may_leave(std::size_t record, Leave* leave) {
    if (*leave == Leave::kUnknown) *leave = groups_.keeps(groups_.group_of(record), record) ? Leave::kYes : Leave::kNo;
    return *leave == Leave::kYes;
}

// Merges a group with one beside it or with two, and cuts them anew, the first time that helps. Groups are tried
// together once, by the one that comes last, until one of them changes.
double Descent::recut(std::uint32_t home) {
    if (groups_.size(home) == 0 || recut_tried_[home]) return 0.0;
    recut_tried_[home] = true;
    beside_.clear();
    for (const std::uint32_t group : near_->beside(home, recuts_.beside))
        if (recut_tried_[group]) beside_.push_back(group);
    for (const std::uint32_t group : beside_) {
        together_.assign({home, group});
        const double change = recut_together();
        if (change != 0.0) return change;
    }
    for (std::size_t s = 1; recuts_.merged > 2 && s < beside_.size(); ++s)
        for (std::size_t t = 0; t < s; ++t) {
            together_.assign({home, beside_[t], beside_[s]});
            const double change = recut_together();
            if (change != 0.0) return change;
        }
    return 0.0;
}

// Gives the change, zero where the groups stay as they are.
double Descent::recut_together() {
    rows_.clear();
    for (const std::uint32_t group : together_)
        rows_.insert(rows_.end(), groups_.members(group), groups_.members(group) + groups_.size(group));
    if (rows_.size() > together_.size() * (2 * groups_.least() - 1)) return 0.0;  // promises may need larger groups
    const double value = recut_.cut(rows_.data(), rows_.size(), together_.size());
    if (!(value - groups_.gap_between(together_) > tolerance_)) return 0.0;
    for (std::size_t part = 0; groups_.has_promises() && part < together_.size(); ++part) {
        targets_.clear();
        for (std::size_t t = 0; t < rows_.size(); ++t)
            if (recut_.part(t) == part) targets_.push_back(rows_[t]);
        if (!groups_.keeps_rows(targets_)) return 0.0;
    }
    double change = 0.0;
    for (const std::uint32_t group : together_) change -= groups_.error(group);
    targets_.resize(rows_.size());
    for (std::size_t t = 0; t < rows_.size(); ++t) targets_[t] = together_[recut_.part(t)];
    groups_.move_all(rows_, targets_);
    for (const std::uint32_t group : together_) {
        changed(group);
        change += groups_.error(group);
    }
    return change;
}

MICROAGG_MULTIVERSION
std::uint32_t Descent::cheapest_host(std::size_t record, double* cost) {
    const std::uint32_t home = groups_.group_of(record);
    std::uint32_t host = home;
    *cost = kInfinity;
    for (const std::uint32_t group : adjacent(record)) {
        if (groups_.size(group) >= groups_.most()) continue;
        const double join = groups_.join_cost(record, group);
        if (join < *cost && groups_.keeps(group, kNobody, record)) *cost = join, host = group;
    }
    return host;
}

void Descent::put(std::size_t record, std::uint32_t to, double* cost) {
    *cost += groups_.join_cost(record, to) - groups_.leave_gain(record);
    trial_.emplace_back(static_cast<std::uint32_t>(record), groups_.group_of(record));
    groups_.move(record, to);
}

// Keeps the trial if it is cheap enough and breaks no promise, else takes it back.
double Descent::settle(double cost, double limit) {
    if (cost < limit && trial_keeps()) return cost;
    for (std::size_t t = trial_.size(); t-- > 0;) groups_.move(trial_[t].first, trial_[t].second);
    return kInfinity;
}

bool Descent::trial_keeps() {
    if (!groups_.has_promises()) return true;
    for (const auto& [moved, origin] : trial_) {
        if (groups_.size(origin) > 0 && !groups_.keeps(origin)) return false;
        if (!groups_.keeps(groups_.group_of(moved))) return false;
    }
    return true;
}

// Whether the nearest other groups lie near enough, were there room in them; if so, members look farther for a place.
bool Descent::may_dissolve(std::uint32_t group, double limit) {
    const double k = static_cast<double>(groups_.least());
    const std::uint32_t* members = groups_.members(group);
    double least = -groups_.error(group);
    for (std::size_t t = 0; t < groups_.size(group); ++t) {
        near_->within(members[t], reach(members[t]));
        least += k / (k + 1.0) * near_->nearest(members[t]);
        if (!(least < limit)) return false;
    }
    const double mean = groups_.error(group) / static_cast<double>(groups_.size(group));
    for (std::size_t t = 0; t < groups_.size(group); ++t) near_->within(members[t], kHostReach * mean);
    return true;
}

double Descent::dissolve(std::uint32_t group, double limit) {
    if (near_ != nullptr && !may_dissolve(group, limit)) return kInfinity;
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

// Others that may found a group with a record, nearest first: its neighbours, or the members of groups near it that can
// spare one.
const std::vector<std::uint32_t>& Descent::companions(std::size_t record) {
    const Block& block = groups_.block();
    if (near_ == nullptr) {
        companions_.assign(block.neighbours_of(record), block.neighbours_of(record) + block.n_neighbours);
        return companions_;
    }
    companions_.clear();
    const std::uint32_t home = groups_.group_of(record);
    const std::size_t k = groups_.least();
    adjacent(record);
    adjacent_.push_back(home);
    std::size_t spare = 0;
    for (const std::uint32_t group : adjacent_) spare += groups_.size(group) - k;
    if (spare < k) return companions_;
    ranked_.clear();
    for (const std::uint32_t group : adjacent_) {
        if (groups_.size(group) <= k + (group == home ? 1 : 0)) continue;
        for (std::size_t t = 0; t < groups_.size(group); ++t) {
            const std::uint32_t other = groups_.members(group)[t];
            if (other != record) ranked_.emplace_back(squared_gap(block[record], block[other], block.stride), other);
        }
    }
    std::sort(ranked_.begin(), ranked_.end());
    for (const auto& [gap, other] : ranked_) companions_.push_back(other);
    return companions_;
}

double Descent::found(std::size_t record, double limit) {
    const Block& block = groups_.block();
    const std::size_t k = groups_.least();
    // The founders, and about what they would cost if no two came from the same group: squares around the mean are
    // half of those around a member, on average. A filter that spares most trials.
    founders_.assign(1, static_cast<std::uint32_t>(record));
    double estimate = -groups_.leave_gain(record);
    const std::vector<std::uint32_t>& others = companions(record);
    ++now_;
    std::size_t enough = k;  // founders to look at the next time
    const auto is_enough = [&] {
        if (founders_.size() < enough) return false;
        enough += 1 + enough / 8;
        return groups_.keeps_rows(founders_);
    };
    bool founded = is_enough();
    for (std::size_t t = 0; t < others.size() && founders_.size() < groups_.most() && !founded; ++t) {
        const std::uint32_t from = groups_.group_of(others[t]);
        if (stamp_[from] != now_) stamp_[from] = now_, spared_[from] = from == groups_.group_of(record) ? 1 : 0;
        if (groups_.size(from) <= k + spared_[from]) continue;
        ++spared_[from];
        founders_.push_back(others[t]);
        estimate += 0.5 * squared_gap(block[record], block[others[t]], block.stride);
        estimate -= groups_.leave_gain(others[t]);
        founded = is_enough();
    }
    if (!founded || !(estimate < limit)) return kInfinity;
    trial_.clear();
    double cost = 0.0;
    const std::uint32_t fresh = groups_.vacant();
    for (const std::uint32_t founder : founders_) put(founder, fresh, &cost);
    return settle(cost, limit);
}

}  // namespace microagg
