// Rounds of exchanges, whatever the columns hold: kernels/search/exchange.h for categories and numbers alike.
//
//   records move and groups are founded and closed where that lowers the loss (mixed_search.h, without swaps)
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
#include "kernels/semantic/mixed_search.h"
#include "kernels/semantic/near_tuples.h"
#include "kernels/semantic/tuple_rows.h"

namespace microagg {
namespace {

constexpr std::size_t kPiece = 256;  // groups that a thread takes at a time
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
        const std::size_t n_groups = groups_.size();
        if (n_groups < 2) return;
        std::vector<MixedCosts> costs(plan_.threads, MixedCosts(columns_));
        std::vector<std::optional<Judge>> judges(plan_.threads);
        if (plan_.promises != nullptr)
            for (auto& judge : judges) judge.emplace(*plan_.promises, promise_rows_.data());
        grant_wishes(
            {n_groups, slot_of_.size(), plan_.sweeps, plan_.heat, kCold, kPiece, plan_.seed, 0, plan_.threads},
            [&](std::size_t first, std::size_t last, double temperature, Random& random, std::vector<Wish>& wishes,
                std::size_t thread) {
                for (std::size_t group = first; group < last; ++group)
                    make_wish(static_cast<std::uint32_t>(group), static_cast<float>(temperature), random, costs[thread],
                              wishes);
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
    struct Group {
        std::uint32_t size;
    };

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
            const auto group = static_cast<std::uint32_t>(groups_.size());
            groups_.push_back({static_cast<std::uint32_t>(size)});
            number_.push_back(g);
            for (std::size_t t = members.starts[g]; t < members.starts[g + 1]; ++t) {
                slot_of_.push_back(members.rows[t]);
                source_of_.push_back(tuple_of_slot[members.rows[t]]);
                group_of_.push_back(group);
            }
        }
        most_ = std::max(most_, 2 * plan_.k - 1);
        const std::size_t n_numbers = columns_.n_numbers(), n_codes = columns_.n_codes();
        members_.resize(groups_.size() * most_);
        numbers_.resize(groups_.size() * most_ * n_numbers);
        codes_.resize(groups_.size() * most_ * n_codes);
        centres_.resize(groups_.size() * n_numbers);
        losses_.resize(groups_.size() * (n_codes + 1));
        MixedCosts costs(columns_);
        std::uint32_t record = 0;
        for (std::uint32_t g = 0; g < groups_.size(); ++g) {
            for (std::size_t t = 0; t < groups_[g].size; ++t, ++record) {
                const std::size_t at = g * most_ + t;
                members_[at] = record;
                columns_.row_of(source_of_[record], numbers_.data() + at * n_numbers, codes_.data() + at * n_codes);
            }
            measure(g, costs);
        }
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

    void measure(std::uint32_t g, MixedCosts& costs) {
        costs.measure(numbers_.data() + g * most_ * columns_.n_numbers(),
                      codes_.data() + g * most_ * columns_.n_codes(), groups_[g].size,
                      centres_.data() + g * columns_.n_numbers(), losses_.data() + g * (columns_.n_codes() + 1));
    }

    MixedGroup view(std::uint32_t g) const {
        return {numbers_.data() + g * most_ * columns_.n_numbers(), codes_.data() + g * most_ * columns_.n_codes(),
                groups_[g].size, centres_.data() + g * columns_.n_numbers(),
                losses_.data() + g * (columns_.n_codes() + 1)};
    }

    void make_wish(std::uint32_t home, float warmth, Random& random, MixedCosts& costs,
                   std::vector<Wish>& wishes) const {
        if (n_near_ == 0) return;
        const std::uint64_t chance = random.next();
        const auto x = static_cast<std::uint32_t>(((chance >> 32) * groups_[home].size) >> 32);
        const std::uint32_t tuple = tuple_of_[members_[home * most_ + x]];
        const std::uint64_t reach = chance & 0xFFFF;  // squared: nearer ones more often
        const std::uint32_t near = near_[tuple * n_near_ + (((reach * reach >> 16) * n_near_) >> 16)];
        if (near == kNobody) return;
        const std::size_t first = records_of_.starts[near], n_records = records_of_.starts[near + 1] - first;
        const std::uint32_t other = group_of_[records_of_.rows[first + (n_records > 1 ? random.below(n_records) : 0)]];
        if (other == home) return;
        const auto exponential = static_cast<float>(random.exponential());
        float limit = warmth * scales_[tuple] * exponential;
        const MixedGroup A = view(home), B = view(other);
        if (A.size > plan_.k && B.size < most_ && random.uniform() < kMove) {
            if (costs.move_cost(A, x, B) < static_cast<double>(limit) - kRounded * loss_of(A, B))
                wishes.push_back({home, other, x, kNobody});
            return;
        }
        limit -= static_cast<float>(kRounded * loss_of(A, B));
        const std::size_t partner = costs.cheapest_member(A, x, B, limit);
        if (partner < B.size) wishes.push_back({home, other, x, static_cast<std::uint32_t>(partner)});
    }

    // What single precision may round off must not look like a gain.
    static constexpr double kRounded = 1e-6;
    double loss_of(const MixedGroup& A, const MixedGroup& B) const {
        float sum = 0.0F;
        for (std::size_t j = 0; j <= columns_.n_codes(); ++j) sum += A.losses[j] + B.losses[j];
        return static_cast<double>(sum);
    }

    // Makes a wish come true, unless a promise would be broken. Touches nothing but its two groups and their records.
    void grant(const Wish& wish, MixedCosts& costs, std::optional<Judge>& judge) {
        Group &home = groups_[wish.home], &other = groups_[wish.other];
        std::uint32_t *own_members = &members_[wish.home * most_], *members = &members_[wish.other * most_];
        const std::uint32_t x = own_members[wish.x], y = wish.y == kNobody ? kNobody : members[wish.y];
        if (judge && !(judge->keeps(own_members, home.size, x, y) && judge->keeps(members, other.size, y, x))) return;
        group_of_[x] = wish.other;
        if (y == kNobody) {
            copy_row(wish.home * most_ + wish.x, wish.other * most_ + other.size);
            members[other.size++] = x;
            --home.size;
            copy_row(wish.home * most_ + home.size, wish.home * most_ + wish.x);
            own_members[wish.x] = own_members[home.size];
        } else {
            group_of_[y] = wish.home;
            swap_rows(wish.home * most_ + wish.x, wish.other * most_ + wish.y);
            std::swap(own_members[wish.x], members[wish.y]);
        }
        measure(wish.home, costs);
        measure(wish.other, costs);
    }

    void copy_row(std::size_t from, std::size_t to) {
        const std::size_t m = columns_.n_numbers(), n_codes = columns_.n_codes();
        std::copy_n(numbers_.data() + from * m, m, numbers_.data() + to * m);
        std::copy_n(codes_.data() + from * n_codes, n_codes, codes_.data() + to * n_codes);
    }
    void swap_rows(std::size_t a, std::size_t b) {
        const std::size_t m = columns_.n_numbers(), n_codes = columns_.n_codes();
        std::swap_ranges(numbers_.data() + a * m, numbers_.data() + (a + 1) * m, numbers_.data() + b * m);
        std::swap_ranges(codes_.data() + a * n_codes, codes_.data() + (a + 1) * n_codes, codes_.data() + b * n_codes);
    }

    const MixedRounds& plan_;
    const MixedColumns& columns_;
    std::vector<std::uint32_t> labels_;  // of slots: the records, those of tuple 0 first
    std::size_t most_ = 0, n_near_ = 0;
    std::vector<Group> groups_;
    std::vector<std::uint32_t> number_;               // the label of each group
    std::vector<std::uint32_t> slot_of_, source_of_;  // of each record that takes part, and its tuple in the space
    std::vector<std::uint32_t> promise_rows_;         // the row of promises that each record is
    std::vector<std::uint32_t> group_of_, members_;
    std::vector<float> numbers_, centres_, losses_;
    std::vector<std::int32_t> codes_;
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

double loss_of_all(const Space& space, const MixedLoss& loss, const std::vector<std::uint32_t>& labels) {
    std::vector<std::size_t> tuple_of;
    for (std::size_t t = 0; t < space.n; ++t)
        tuple_of.insert(tuple_of.end(), static_cast<std::size_t>(space.counts[t]), t);
    const std::size_t n_groups = *std::max_element(labels.begin(), labels.end()) + std::size_t{1};
    const Members members = members_of(labels, n_groups);
    Pieces pieces;
    double sum = 0.0;
    for (std::size_t g = 0; g < n_groups; ++g) {
        pieces.clear();
        for (std::size_t t = members.starts[g]; t < members.starts[g + 1]; ++t) {
            const std::size_t tuple = tuple_of[members.rows[t]];
            if (pieces.empty() || pieces.back().tuple != tuple) pieces.push_back({tuple, 0});
            ++pieces.back().count;
        }
        sum += loss(pieces);
    }
    return sum;
}

}  // namespace

void mixed_exchange(const Space& given, const MixedRounds& plan, const double* weights, const bool* means,
                    std::int64_t* labels, const Progress& progress) {
    const NearbyOrder nearby(given, MixedLoss(given, weights, means, false).scales());
    const Space& space = nearby.space;
    const MixedLoss loss(space, weights, means, false);
    const auto near = near_tuples(space, loss.scales(), false, plan.neighbours, plan.exhaustive, plan.threads);
    progress(kNearShare);
    std::vector<std::int64_t> moved;
    for (const std::size_t slot : nearby.slots) moved.push_back(labels[slot]);
    const MixedOptions whole_groups{static_cast<std::int64_t>(plan.k),
                                    plan.neighbours,
                                    plan.exhaustive,
                                    plan.rounds,
                                    false,
                                    plan.threads,
                                    plan.promises,
                                    nearby.rows.data(),
                                    false};
    mixed_search(space, whole_groups, loss, near, moved.data(), part_of(progress, kNearShare, kFirstShare));
    const std::vector<std::uint32_t> start(moved.begin(), moved.end());
    const MixedColumns columns(space, loss.scales(), means);
    {
        MixedExchange exchange(space, plan, columns, loss.scales(), near, nearby.rows, start);
        exchange.run(part_of(progress, kFirstShare, kExchangeShare));
        const std::vector<std::uint32_t> changed = exchange.labels();
        if (loss_of_all(space, loss, changed) < loss_of_all(space, loss, start))
            std::copy(changed.begin(), changed.end(), moved.begin());
    }
    mixed_search(space, whole_groups, loss, near, moved.data(), part_of(progress, kExchangeShare, 1.0));
    for (std::size_t i = 0; i < moved.size(); ++i) labels[nearby.slots[i]] = moved[i];
}

}  // namespace microagg
