// Kicks.
//
//   repeat:  x = a random record;  its group, and one to three groups of its neighbours
//            one or two members of each, at random, change places among these groups, at random
//            local search (descent.h) from the members of these groups, those who moved last: who did not adapts
//            first, and it ends less often where it began
//            unless that costs less than  temperature * scale of x * an exponential deviate:
//              everybody who moved goes back
//
// The scale of x is the mean squared distance to its neighbours, and the temperature falls with the square of the time
// that is left, as in annealing (anneal.h); without heat, and in the last fifth, only what is better is kept. What a
// kick costs depends on the groups around it alone, not on the number of records.
//
// Many threads: each has the groups to itself, all alike. Some kicks begin with the same groups, on any thread, and are
// taken back there to the last digit. Then, in their order, those that pay are made by all threads, unless one before
// them has changed a group that they change; what the others around have become meanwhile does not change what a kick
// costs. How many begin together grows while none is lost, and is halved otherwise. So what comes out does not depend
// on the number of threads.
#include "kernels/search/kicks.h"

#include <algorithm>
#include <memory>

#include "kernels/base/pool.h"
#include "kernels/base/random.h"
#include "kernels/search/descent.h"

namespace microagg {
namespace {

constexpr std::size_t kMostGroups = 4, kMostMembers = 2;
constexpr double kWarm = 0.8;                                     // of a cooling, until it is cold
constexpr std::size_t kTries = 40;                                // to come by another group near a record
constexpr double kTolerance = 1e-12;                              // of the scale of a record: what counts as a gain
constexpr std::size_t kGroupsForKick = 16, kMostTogether = 1024;  // how many kicks may begin together
constexpr std::size_t kMostPast = 1 << 20;                        // moves that a thread may have to make up for

// Moves that every thread makes, one kick after the other.
struct Moves {
    std::vector<std::uint32_t> rows, to;
    std::vector<std::size_t> ends;
};

// What came of a kick: who moves, if it pays.
struct Kicked {
    std::vector<std::uint32_t> rows, from, to;
};

// The groups of one thread.
class Kicker {
  public:
    Kicker(Grouping& groups, double heat) : groups_(groups), descent_(groups), heat_(heat) {}

    // Makes the moves that have come since the last time.
    void follow(const Moves& moves) {
        for (; made_ < moves.ends.size(); ++made_) {
            const std::size_t end = moves.ends[made_];
            rows_.assign(moves.rows.begin() + static_cast<std::ptrdiff_t>(at_),
                         moves.rows.begin() + static_cast<std::ptrdiff_t>(end));
            targets_.assign(moves.to.begin() + static_cast<std::ptrdiff_t>(at_),
                            moves.to.begin() + static_cast<std::ptrdiff_t>(end));
            groups_.move_all(rows_, targets_);
            at_ = end;
        }
    }
    void begin_anew() { made_ = at_ = 0; }

    // A kick, and back again.
    void kick(Random random, double left, const std::atomic<bool>& stop, Kicked& kicked) {
        kicked.rows.clear();
        const std::size_t x = random.below(groups_.n_records());
        if (!choose_groups(x, random)) return;
        groups_.begin_trial();
        double change = -errors();
        change_places(random);
        bool is_kept =
            std::all_of(near_.begin(), near_.end(), [&](std::uint32_t group) { return groups_.keeps(group); });
        if (is_kept) {
            change += errors();
            touch_members();
            change += descent_.run(stop);
            const double warmth = heat_ * left * left * random.exponential();
            is_kept = change < (warmth - kTolerance) * groups_.block().scale[x] && !stop;
        }
        if (is_kept) groups_.moves_of_trial(kicked.rows, kicked.from, kicked.to);
        groups_.take_trial_back();
    }

    std::size_t n_compared() const { return descent_.n_compared(); }

  private:
    bool choose_groups(std::size_t x, Random& random) {
        const Block& block = groups_.block();
        const std::size_t wanted = 2 + random.below(kMostGroups - 1);
        near_.assign(1, groups_.group_of(x));
        for (std::size_t t = 0; t < kTries && near_.size() < wanted; ++t) {
            const std::uint32_t group = groups_.group_of(block.neighbours_of(x)[random.below(block.n_neighbours)]);
            if (std::find(near_.begin(), near_.end(), group) == near_.end()) near_.push_back(group);
        }
        return near_.size() > 1;
    }

    double errors() {
        double sum = 0.0;
        for (const std::uint32_t group : near_) sum += groups_.error(group);
        return sum;
    }

    void change_places(Random& random) {
        rows_.clear(), targets_.clear();
        for (const std::uint32_t group : near_)
            for (std::size_t t = 1 + random.below(kMostMembers); t > 0; --t) {
                const std::uint32_t row = groups_.members(group)[random.below(groups_.size(group))];
                if (std::find(rows_.begin(), rows_.end(), row) != rows_.end()) continue;
                rows_.push_back(row), targets_.push_back(group);
            }
        for (std::size_t t = targets_.size(); t > 1; --t) std::swap(targets_[t - 1], targets_[random.below(t)]);
        groups_.move_all(rows_, targets_);
    }

    void touch_members() {
        for (const std::uint32_t group : near_)
            for (std::size_t t = 0; t < groups_.size(group); ++t) {
                const std::uint32_t member = groups_.members(group)[t];
                if (std::find(rows_.begin(), rows_.end(), member) == rows_.end()) descent_.touch(member);
            }
        for (const std::uint32_t row : rows_) descent_.touch(row);
    }

    Grouping& groups_;
    Descent descent_;
    double heat_;
    std::size_t made_ = 0, at_ = 0;  // of the moves
    std::vector<std::uint32_t> near_, rows_, targets_;
};

}  // namespace

std::size_t kick(Grouping& groups, const Kicks& kicks, std::uint64_t seed, std::size_t threads,
                 const std::atomic<bool>& stop) {
    if (groups.block().n_neighbours == 0) return 0;
    const std::size_t most = std::clamp<std::size_t>(groups.n_slots() / kGroupsForKick, 1, kMostTogether);
    Pool pool(std::min(threads, most));
    std::vector<Grouping> copies(pool.threads() - 1, groups);
    std::vector<std::unique_ptr<Kicker>> kickers;
    kickers.push_back(std::make_unique<Kicker>(groups, kicks.heat));
    for (Grouping& copy : copies) kickers.push_back(std::make_unique<Kicker>(copy, kicks.heat));
    Moves moves;
    std::vector<Kicked> kicked(most);
    std::vector<std::size_t> changed(groups.n_slots(), 0);  // of each group: the number after that of the first kick
    std::size_t together = std::max<std::size_t>(1, most / 8);
    for (std::size_t made = 0; made < kicks.count && !stop.load(std::memory_order_relaxed);) {
        const std::size_t count = std::min(together, kicks.count - made);
        pool.run(count, [&](std::size_t t, std::size_t thread) {
            const double part = static_cast<double>(made + t) / static_cast<double>(kicks.count);
            const double left = std::max(0.0, 1.0 - (kicks.begin + (kicks.end - kicks.begin) * part) / kWarm);
            kickers[thread]->follow(moves);
            kickers[thread]->kick(Random::stream(seed, made + t, 0), left, stop, kicked[t]);
        });
        made += count;
        bool is_one_lost = false;
        for (std::size_t t = 0; t < count; ++t) {
            const Kicked& one = kicked[t];
            const auto is_changed = [&](std::uint32_t group) { return changed[group] == made; };
            if (one.rows.empty()) continue;
            if (std::any_of(one.from.begin(), one.from.end(), is_changed) ||
                std::any_of(one.to.begin(), one.to.end(), is_changed)) {
                is_one_lost = true;
                continue;
            }
            for (const std::uint32_t group : one.from) changed[group] = made;
            for (const std::uint32_t group : one.to) changed[group] = made;
            moves.rows.insert(moves.rows.end(), one.rows.begin(), one.rows.end());
            moves.to.insert(moves.to.end(), one.to.begin(), one.to.end());
            moves.ends.push_back(moves.rows.size());
        }
        together = is_one_lost ? std::max<std::size_t>(1, together / 2) : std::min(most, together + 1 + together / 8);
        if (moves.rows.size() > kMostPast || made == kicks.count) {
            for (const auto& kicker : kickers) kicker->follow(moves), kicker->begin_anew();
            moves = {};
        }
    }
    std::size_t n_compared = 0;
    for (const auto& kicker : kickers) n_compared += kicker->n_compared();
    return n_compared;
}

}  // namespace microagg
