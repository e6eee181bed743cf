// Rounds of exchanges, whatever the columns hold: kernels/search/exchange.h for categories and numbers alike.
//
//   records move and groups are founded and closed where that lowers the loss (mixed_regroup.h)
//   rounds:  every group, on any thread:  x = a random record of it;  B = the group of a record of a near tuple
//                limit = temperature * scale of x * an exponential deviate
//                wish for the cheapest swap of x with a record of B, or that x joins B, if its cost is below the limit
//            wishes claim both groups; one that has both is granted, on any thread
//   the first step again
//
// Exchanges change few sizes, and no number of groups: a group that lies between two clusters has to be closed.
// How wishes come true is in wishes.h. The scale of a record is how far away its near tuples are, squared, on average.
#include "kernels/semantic/mixed_exchange.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "kernels/base/constants.h"
#include "kernels/base/members.h"
#include "kernels/base/pool.h"
#include "kernels/base/random.h"
#include "kernels/search/wishes.h"
#include "kernels/semantic/mixed_costs.h"
#include "kernels/semantic/mixed_loss.h"
#include "kernels/semantic/mixed_regroup.h"
#include "kernels/semantic/near_tuples.h"
#include "kernels/semantic/tuple_rows.h"

namespace microagg {
namespace {

constexpr std::size_t kPiece = 256;  // groups that a thread takes at a time
constexpr std::size_t kAhead = 2;    // looks whose other group is fetched from memory early
constexpr double kCold = 0.05;       // of the rounds, at the end: only downhill
constexpr double kMove = 0.5;        // how often x may join B, where sizes allow it, and no swap is looked for
constexpr double kNearShare = 0.1, kFirstShare = 0.3, kExchangeShare = 0.8;  // of the progress that is shown
constexpr std::size_t kNearby = 64;  // tuples that lie together in memory, whatever their order
constexpr std::size_t kWide = 4;     // times k: groups that are larger do not take part, whatever is promised

class MixedExchange {
  public:
    MixedExchange(const Space& space, const MixedRounds& plan, const MixedColumns& columns,
                  const std::vector<double>& scale, const std::vector<std::vector<std::size_t>>& near,
                  const std::vector<std::uint32_t>& rows, std::vector<std::uint32_t> labels)
        : plan_(plan), columns_(columns), labels_(std::move(labels)) {
        lay_out(space);
        look_around(space, scale, near);
        for (const std::uint32_t source : source_of_) promise_rows_.push_back(rows[source]);
    }

    void run(const Progress& progress) {
        const std::size_t n_groups = number_.size();
        if (n_groups < 2) return;
        std::vector<MixedCosts> costs(plan_.threads, MixedCosts(columns_, groups_->room()));
        std::vector<std::optional<Judge>> judges(plan_.threads);
        if (plan_.promises != nullptr)
            for (auto& judge : judges) judge.emplace(*plan_.promises, promise_rows_.data());
        grant_wishes(
            {n_groups, slot_of_.size(), plan_.sweeps, plan_.heat, kCold, kPiece, plan_.seed, 0, plan_.threads},
            [&](std::size_t first, std::size_t last, double temperature, Random& random, std::vector<Wish>& wishes,
                std::size_t thread) {
                make_wishes(first, last, static_cast<float>(temperature), random, costs[thread], wishes);
            },
            [&](const Wish& wish, std::size_t thread) { grant(wish, costs[thread], judges[thread]); },
            [] { return true; },
            [&](std::size_t done, std::size_t rounds) {
                progress(static_cast<double>(done) / static_cast<double>(rounds));
            });
    }

    std::vector<std::uint32_t> labels() const {
        std::vector<std::uint32_t> changed = labels_;
        for (std::size_t i = 0; i < slot_of_.size(); ++i) changed[slot_of_[i]] = number_[group_of_[i]];
        return changed;
    }

  private:
    // Groups in the order of their first records, records in that of their groups, and tuples in that of their records:
    // what lies together does so in memory, as tuples come in an order in which near ones follow each other.
    void lay_out(const Space& space) {
        const std::size_t n_groups = *std::max_element(labels_.begin(), labels_.end()) + std::size_t{1};
        const Members members = members_of(labels_, n_groups);
        std::vector<std::uint32_t> tuple_of_slot;
        for (std::uint32_t t = 0; t < space.n; ++t)
            tuple_of_slot.insert(tuple_of_slot.end(), static_cast<std::size_t>(space.counts[t]), t);
        const std::size_t allowed = std::max(2 * plan_.k - 1, plan_.promises ? kWide * plan_.k : 0);
        std::vector<std::uint64_t> in_order;
        for (std::uint32_t g = 0; g < n_groups; ++g) {
            if (members.starts[g] == members.starts[g + 1]) continue;
            const std::uint64_t first = members.rows[members.starts[g]];
            in_order.push_back(first << 32 | g);
        }
        std::sort(in_order.begin(), in_order.end());
        for (const std::uint64_t key : in_order) {
            const auto g = static_cast<std::uint32_t>(key);
            const std::size_t size = members.starts[g + 1] - members.starts[g];
            if (size > allowed) continue;
            most_ = std::max(most_, size);
            const auto group = static_cast<std::uint32_t>(number_.size());
            number_.push_back(g);
            for (std::size_t t = members.starts[g]; t < members.starts[g + 1]; ++t) {
                slot_of_.push_back(members.rows[t]);
                source_of_.push_back(tuple_of_slot[members.rows[t]]);
                group_of_.push_back(group);
            }
        }
        most_ = std::max(most_, 2 * plan_.k - 1);
        members_.resize(number_.size() * most_);
        groups_.emplace(columns_, number_.size(), most_);
        for (std::uint32_t record = 0; record < group_of_.size(); ++record) {
            const std::uint32_t group = group_of_[record];
            members_[group * most_ + groups_->size(group)] = record;
            groups_->add(group, source_of_[record]);
        }
        std::vector<MixedCosts> costs(plan_.threads, MixedCosts(columns_, groups_->room()));
        in_parallel(
            number_.size(), kPiece, plan_.threads, [](double) {},
            [&](std::size_t group, std::size_t thread) { costs[thread].measure(*groups_, group); });
        std::vector<std::uint32_t> number(space.n, kNobody);
        for (const std::uint32_t source : source_of_) {
            if (number[source] == kNobody) {
                number[source] = static_cast<std::uint32_t>(sources_.size());
                sources_.push_back(source);
            }
            tuple_of_.push_back(number[source]);
        }
        number_of_tuple_ = std::move(number);
        records_of_ = members_of(tuple_of_, sources_.size());
    }

    void look_around(const Space& space, const std::vector<double>& scale,
                     const std::vector<std::vector<std::size_t>>& lists) {
        n_near_ = std::min(plan_.neighbours, space.n - 1);
        near_.assign(sources_.size() * n_near_, kNobody);
        scales_.assign(sources_.size(), 0.0F);
        in_parallel(
            sources_.size(), 4096, plan_.threads, [](double) {},
            [&](std::size_t t, std::size_t) {
                double sum = 0.0;
                const std::vector<std::size_t>& list = lists[sources_[t]];  // itself first
                for (std::size_t i = 1; i < list.size(); ++i) {
                    near_[t * n_near_ + i - 1] = number_of_tuple_[list[i]];
                    for (std::size_t j = 0; j < scale.size(); ++j) {
                        const Column& column = space.columns[j];
                        const auto gap =
                            static_cast<double>(column.distance(column.codes[sources_[t]], column.codes[list[i]]));
                        sum += scale[j] * gap * gap;
                    }
                }
                if (list.size() > 1) scales_[t] = static_cast<float>(sum / static_cast<double>(list.size() - 1));
            });
    }

    // What a group may wish for: some x of it and another group.
    struct Look {
        std::uint32_t home, x, tuple, near, other;
        float scale;
    };

    // Looks of all groups come before their wishes, one step of each look after the other: memory that all wait for is
    // then fetched at once.
    void make_wishes(std::size_t first, std::size_t last, float warmth, Random& random, MixedCosts& costs,
                     std::vector<Wish>& wishes) const {
        if (n_near_ == 0) return;
        Look looks[kPiece];
        std::uint64_t chances[kPiece];
        const std::size_t n_looks = last - first;
        for (std::size_t i = 0; i < n_looks; ++i) {
            const std::size_t home = first + i;
            chances[i] = random.next();
            looks[i].home = static_cast<std::uint32_t>(home);
            looks[i].x = static_cast<std::uint32_t>(((chances[i] >> 32) * groups_->size(home)) >> 32);
            looks[i].tuple = members_[home * most_ + looks[i].x];
        }
        for (std::size_t i = 0; i < n_looks; ++i) looks[i].tuple = tuple_of_[looks[i].tuple];
        for (std::size_t i = 0; i < n_looks; ++i) {
            const std::uint64_t reach = chances[i] & 0xFFFF;  // squared: nearer ones more often
            looks[i].near = near_[looks[i].tuple * n_near_ + (((reach * reach >> 16) * n_near_) >> 16)];
            looks[i].scale = scales_[looks[i].tuple];
        }
        std::size_t n_left = 0;
        for (std::size_t i = 0; i < n_looks; ++i) {
            if (looks[i].near == kNobody) continue;
            const std::size_t from = records_of_.starts[looks[i].near];
            const std::size_t n_records = records_of_.starts[looks[i].near + 1] - from;
            looks[n_left] = looks[i];
            looks[n_left++].other = records_of_.rows[from + (n_records > 1 ? random.below(n_records) : 0)];
        }
        std::size_t n_others = 0;
        for (std::size_t i = 0; i < n_left; ++i) {
            looks[n_others] = looks[i];
            looks[n_others].other = group_of_[looks[i].other];
            n_others += looks[n_others].other != looks[n_others].home;
        }
        for (std::size_t i = 0; i < n_others; ++i) {
            if (i + kAhead < n_others) groups_->fetch(looks[i + kAhead].other);
            make_wish(looks[i], warmth, random, costs, wishes);
        }
    }

    void make_wish(const Look& look, float warmth, Random& random, MixedCosts& costs, std::vector<Wish>& wishes) const {
        const auto exponential = static_cast<float>(random.exponential());
        const MixedGroup A = (*groups_)[look.home], B = (*groups_)[look.other];
        float limit = warmth * look.scale * exponential - static_cast<float>(kRounded * loss_of(A, B));
        if (A.size > plan_.k && B.size < most_ && random.uniform() < kMove) {
            if (costs.move_cost(A, look.x, B) < static_cast<double>(limit))
                wishes.push_back({look.home, look.other, look.x, kNobody});
            return;
        }
        const std::size_t partner = costs.cheapest_member(A, look.x, B, limit);
        if (partner < B.size) wishes.push_back({look.home, look.other, look.x, static_cast<std::uint32_t>(partner)});
    }

    // What single precision may round off must not look like a gain.
    static constexpr double kRounded = 1e-6;
    static double loss_of(const MixedGroup& A, const MixedGroup& B) {
        return static_cast<double>(A.losses[0] + B.losses[0]);
    }

    // Makes a wish come true, unless a promise would be broken. Touches nothing but its two groups and their records.
    void grant(const Wish& wish, MixedCosts& costs, std::optional<Judge>& judge) {
        std::uint32_t *own_members = &members_[wish.home * most_], *members = &members_[wish.other * most_];
        const std::size_t own_size = groups_->size(wish.home), size = groups_->size(wish.other);
        const std::uint32_t x = own_members[wish.x], y = wish.y == kNobody ? kNobody : members[wish.y];
        if (judge && !(judge->keeps(own_members, own_size, x, y) && judge->keeps(members, size, y, x))) return;
        group_of_[x] = wish.other;
        if (y == kNobody) {
            groups_->move(wish.home, wish.x, wish.other);
            members[size] = x;
            own_members[wish.x] = own_members[own_size - 1];
        } else {
            group_of_[y] = wish.home;
            groups_->swap(wish.home, wish.x, wish.other, wish.y);
            std::swap(own_members[wish.x], members[wish.y]);
        }
        for (const std::uint32_t group : {wish.home, wish.other}) costs.measure(*groups_, group);
    }

    const MixedRounds& plan_;
    const MixedColumns& columns_;
    std::vector<std::uint32_t> labels_;  // of slots: the records, those of tuple 0 first
    std::size_t most_ = 0, n_near_ = 0;
    std::optional<MixedGroups> groups_;
    std::vector<std::uint32_t> number_;               // the label of each group
    std::vector<std::uint32_t> slot_of_, source_of_;  // of each record that takes part, and its tuple in the space
    std::vector<std::uint32_t> promise_rows_;         // the row of promises that each record is
    std::vector<std::uint32_t> group_of_, members_;
    std::vector<std::uint32_t> tuple_of_, sources_, number_of_tuple_;  // tuples numbered anew
    Members records_of_;                                               // of each tuple
    std::vector<std::uint32_t> near_;
    std::vector<float> scales_;
};

// Tuples in another order, near ones close together in memory, and their records.
struct NearbyOrder {
    NearbyOrder(const Space& of, const std::vector<double>& scale) : space(of) {
        const TupleTree tree(of, {scale, false}, kNearby, 0);
        rows.assign(tree.order.begin(), tree.order.end());
        for (Column& column : space.columns) {
            std::vector<std::int64_t> moved;
            moved.reserve(of.n);
            for (const std::uint32_t row : rows) moved.push_back(column.codes[row]);
            codes.push_back(std::move(moved));
            column.codes = codes.back().data();
        }
        for (const std::uint32_t row : rows) counts.push_back(of.counts[row]);
        space.counts = counts.data();
        std::vector<std::size_t> first(of.n);
        std::size_t at = 0;
        for (std::size_t t = 0; t < of.n; ++t) {
            first[t] = at;
            at += static_cast<std::size_t>(of.counts[t]);
        }
        for (std::size_t t = 0; t < of.n; ++t)
            for (std::size_t i = 0; i < static_cast<std::size_t>(counts[t]); ++i) slots.push_back(first[rows[t]] + i);
    }

    Space space;
    std::vector<std::uint32_t> rows;  // what each tuple was
    std::vector<std::size_t> slots;   // what each record was

  private:
    std::vector<std::vector<std::int64_t>> codes;
    std::vector<std::int64_t> counts;
};

double loss_of_all(const Space& space, const MixedRows& rows, const std::vector<std::uint32_t>& labels,
                   std::size_t threads) {
    std::vector<std::size_t> tuple_of;
    for (std::size_t t = 0; t < space.n; ++t)
        tuple_of.insert(tuple_of.end(), static_cast<std::size_t>(space.counts[t]), t);
    const std::size_t n_groups = *std::max_element(labels.begin(), labels.end()) + std::size_t{1};
    const Members members = members_of(labels, n_groups);
    std::vector<PieceLoss> losses(threads, PieceLoss(rows));
    std::vector<double> loss_of(n_groups);
    in_parallel(
        n_groups, kPiece, threads, [](double) {},
        [&](std::size_t g, std::size_t thread) {
            Pieces pieces;
            for (std::size_t t = members.starts[g]; t < members.starts[g + 1]; ++t) {
                const std::size_t tuple = tuple_of[members.rows[t]];
                if (pieces.empty() || pieces.back().tuple != tuple) pieces.push_back({tuple, 0});
                ++pieces.back().count;
            }
            loss_of[g] = losses[thread](pieces);
        });
    return std::accumulate(loss_of.begin(), loss_of.end(), 0.0);
}

}  // namespace

void mixed_exchange(const Space& given, const MixedRounds& plan, const double* weights, const bool* means,
                    std::int64_t* labels, const Progress& progress) {
    const std::vector<double> scale = MixedLoss(given, weights, means, false).scales();
    const NearbyOrder nearby(given, scale);
    const Space& space = nearby.space;
    const auto near = near_tuples(space, scale, false, plan.neighbours, plan.exhaustive, plan.threads);
    progress(kNearShare);
    std::vector<std::int64_t> moved;
    for (const std::size_t slot : nearby.slots) moved.push_back(labels[slot]);
    const Regrouping regrouping{static_cast<std::int64_t>(plan.k),
                                2 * plan.neighbours,
                                plan.rounds,
                                plan.threads,
                                plan.promises,
                                nearby.rows.data()};
    const MixedColumns columns(space, scale, means);
    const MixedRows rows(columns, space.n, plan.threads);
    mixed_regroup(space, regrouping, rows, near, moved.data(), part_of(progress, kNearShare, kFirstShare));
    const std::vector<std::uint32_t> start(moved.begin(), moved.end());
    {
        MixedExchange exchange(space, plan, columns, scale, near, nearby.rows, start);
        exchange.run(part_of(progress, kFirstShare, kExchangeShare));
        const std::vector<std::uint32_t> changed = exchange.labels();
        if (loss_of_all(space, rows, changed, plan.threads) < loss_of_all(space, rows, start, plan.threads))
            std::copy(changed.begin(), changed.end(), moved.begin());
    }
    mixed_regroup(space, regrouping, rows, near, moved.data(), part_of(progress, kExchangeShare, 1.0));
    for (std::size_t i = 0; i < moved.size(); ++i) labels[nearby.slots[i]] = moved[i];
}

}  // namespace microagg
