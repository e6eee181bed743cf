// Rounds of exchanges.
//
//   groups lie in the order of median cuts of their centroids, the rows of each one after the other
//   rounds:  every group, on any thread:  x = a random record of it;  B = the group of a near neighbour of x
//                limit = temperature * scale of x * an exponential deviate
//                wish for the cheapest swap of x with a record of B, or that x joins B, if its cost is below the limit
//            wishes claim both groups; one that has both is granted, on any thread
//
// How wishes come true is in wishes.h. Nothing changes while they are made, so what a wish reads can be fetched from
// memory while others are weighed. Few wishes are below their limit (some in a hundred), so few stand in each other's
// way.
//
// Rows are kept in single precision, unless what that rounds off counts beside the squared errors.
//
// In many columns near records say little of which large groups are near. There each record has a list of groups, by
// comparing it with all centroids, anew after each part of the rounds; B is one of these.
#include "kernels/search/exchange.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "kernels/base/constants.h"
#include "kernels/base/fetch.h"
#include "kernels/base/large.h"
#include "kernels/base/members.h"
#include "kernels/base/pool.h"
#include "kernels/neighbours/cells.h"
#include "kernels/neighbours/near_list.h"
#include "kernels/search/exchange_costs.h"
#include "kernels/search/improve_blocks.h"
#include "kernels/search/wishes.h"

namespace microagg {
namespace {

constexpr std::size_t kPiece = 512;  // groups that a thread takes at a time
constexpr std::size_t kAtOnce = 64;  // wishes that are made side by side, so that they wait for memory together
constexpr std::size_t kNearby = 8;   // groups that lie together in memory, whatever their order
constexpr double kCold = 0.03;       // of the rounds, at the end: only downhill
constexpr double kMove = 0.5;        // how often x may join B, where sizes allow it, and no swap is looked for
// Of the square of the cosine of the angle between v and the best member: in many columns none lies straight along v.
constexpr double kStraight = 5.0;  // over the number of columns
constexpr double kRounded = 1e-6;  // of the squared errors: what single precision may round off
// In many columns:
constexpr std::size_t kLargeGroups = 16;  // from so many records on, lists of groups
constexpr std::size_t kListed = 16;       // groups in a list
constexpr std::size_t kLists = 4;         // how often they are made
constexpr double kMostCompared = 1.5e12;  // records, times groups, times columns: of more, lists would cost too much
constexpr std::size_t kTile = 512;        // centroids that some records are compared with at a time

template <class Real>
class Rounds {
  public:
    Rounds(Records X, const ExchangePlan& plan, const Graph& graph, const std::vector<double>& centre, double unit,
           const std::vector<std::uint32_t>& labels, std::size_t n_groups)
        : limits_(plan.limits),
          most_(most_in_exchange(plan.limits)),
          stride_((X.m + 3) / 4 * 4),
          straight_(static_cast<Real>(std::min(1.0, kStraight / static_cast<double>(X.m)))),
          threads_(plan.threads) {
        order(X, labels, n_groups);
        lay_out(X, centre, unit);
        const double n_compared = static_cast<double>(rows_of_.size()) * static_cast<double>(groups_.size() * X.m);
        in_lists_ = X.m > kFewColumns && limits_.least >= kLargeGroups && n_compared < kMostCompared;
        n_near_ = in_lists_ ? std::min(kListed, std::max<std::size_t>(groups_.size(), 1) - 1) : graph.count;
        near_.resize(rows_of_.size() * n_near_);
        look_around(X, graph, unit);
    }

    void run(const ExchangePlan& plan, Watch& watch, const std::function<void(double)>& reached) {
        const std::size_t n_groups = groups_.size();
        if (n_near_ == 0) return;
        if (in_lists_) list_groups(watch, [&] { reached(0.0); });
        std::vector<std::optional<Judge>> judges(plan.threads);
        if (limits_.promises != nullptr)
            for (auto& judge : judges) judge.emplace(*limits_.promises, rows_of_.data());
        grant_wishes(
            {n_groups, rows_of_.size(), plan.sweeps, plan.heat, kCold, kPiece, plan.seed, plan.turn, plan.threads},
            [&](std::size_t first, std::size_t last, double temperature, Random& random, std::vector<Wish>& wishes,
                std::size_t) { make_wishes(first, last, static_cast<Real>(temperature), random, wishes); },
            [&](const Wish& wish, std::size_t thread) { grant(wish, judges[thread]); },
            [&] { return !watch.stopped(); },
            [&](std::size_t done, std::size_t rounds) {
                const auto tell = [&] { reached(static_cast<double>(done) / static_cast<double>(rounds)); };
                if (done % 16 == 0) tell();
                const bool is_part_over = done * kLists / rounds > (done - 1) * kLists / rounds;
                if (in_lists_ && is_part_over && done < rounds) list_groups(watch, tell);
            });
    }

    // The groups that took part, numbered from `first` on.
    void write(std::vector<std::uint32_t>& labels, std::uint32_t first) const {
        for (std::size_t i = 0; i < rows_of_.size(); ++i) labels[rows_of_[i]] = first + group_of_[i];
    }

  private:
    struct Group {
        std::uint32_t size;
        Real widest;
    };

    // Numbers groups and records so that what lies together in space does so in memory.
    void order(Records X, const std::vector<std::uint32_t>& labels, std::size_t n_groups) {
        const Members members = members_of(labels, n_groups);
        std::vector<double> centroids;
        std::vector<std::uint32_t> taking_part;
        for (std::size_t g = 0; g < n_groups; ++g) {
            const std::size_t size = members.starts[g + 1] - members.starts[g];
            if (size > most_) continue;
            taking_part.push_back(static_cast<std::uint32_t>(g));
            centroids.resize(centroids.size() + X.m, 0.0);
            double* centroid = &centroids[centroids.size() - X.m];
            for (std::size_t t = members.starts[g]; t < members.starts[g + 1]; ++t)
                for (std::size_t c = 0; c < X.m; ++c) centroid[c] += X[members.rows[t]][c] / static_cast<double>(size);
        }
        if (taking_part.empty()) return;
        Pool pool(threads_);
        const Cells cells = cut_cells({centroids.data(), taking_part.size(), X.m}, kNearby, 0, 0, pool);
        for (const std::uint32_t place : cells.order) {
            const std::uint32_t g = taking_part[place];
            const auto group = static_cast<std::uint32_t>(groups_.size());
            groups_.push_back({static_cast<std::uint32_t>(members.starts[g + 1] - members.starts[g]), 0});
            for (std::size_t t = members.starts[g]; t < members.starts[g + 1]; ++t) {
                rows_of_.push_back(members.rows[t]);
                group_of_.push_back(group);
            }
        }
    }

    void lay_out(Records X, const std::vector<double>& centre, double unit) {
        members_.resize(groups_.size() * most_);
        points_.assign(groups_.size() * most_ * stride_, 0);
        centroids_.assign(groups_.size() * stride_, 0);
        std::uint32_t record = 0;
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            for (std::size_t t = 0; t < groups_[g].size; ++t, ++record) {
                members_[g * most_ + t] = record;
                Real* point = &points_[(g * most_ + t) * stride_];
                for (std::size_t c = 0; c < X.m; ++c)
                    point[c] = static_cast<Real>((X[rows_of_[record]][c] - centre[c]) / unit);
            }
            measure(static_cast<std::uint32_t>(g));
        }
    }

    // The neighbours of each record that take part, and its scale: how far away they are, squared, on average.
    void look_around(Records X, const Graph& graph, double unit) {
        std::vector<std::uint32_t> place(X.n, kNobody);
        for (std::size_t i = 0; i < rows_of_.size(); ++i) place[rows_of_[i]] = static_cast<std::uint32_t>(i);
        scales_.resize(rows_of_.size());
        in_parallel(
            rows_of_.size(), 4096, threads_, [](double) {},
            [&](std::size_t i, std::size_t) {
                double sum = 0.0;
                for (std::size_t t = 0; t < graph.count; ++t) {
                    const std::uint32_t row = graph.of(rows_of_[i])[t];
                    if (!in_lists_) near_[i * n_near_ + t] = place[row];
                    sum += squared_distance(X[rows_of_[i]], X[row], X.m) / unit / unit;
                }
                scales_[i] = static_cast<Real>(sum / static_cast<double>(graph.count));
            });
    }

    // Writes the groups whose centroids are nearest to each record, but its own. The calling thread tells now and then,
    // so that it can be interrupted.
    template <class Tell>
    void list_groups(const Watch& watch, const Tell& tell) {
        const std::size_t n_groups = groups_.size();
        const std::vector<float> centroids(centroids_.begin(), centroids_.end());
        const Points points{centroids.data(), n_groups, stride_, stride_};
        std::vector<std::uint32_t> numbers(n_groups);
        std::iota(numbers.begin(), numbers.end(), 0U);
        std::vector<NearTile> tiles;
        for (std::size_t from = 0; from < n_groups; from += kTile)
            tiles.emplace_back(points, &numbers[from], std::min(kTile, n_groups - from));
        Pool(threads_).run((n_groups + kAtOnce - 1) / kAtOnce, [&](std::size_t piece, std::size_t thread) {
            if (thread == 0) tell();
            if (watch.stopped()) return;
            const std::size_t first = piece * kAtOnce, last = std::min(n_groups, first + kAtOnce);
            Large<float> gaps((last - first) * most_ * n_near_, kFloatInfinity);
            std::vector<float> x(stride_);
            for (NearTile tile : tiles)  // a copy: it works out gaps
                for (std::size_t g = first; g < last; ++g)
                    for (std::size_t t = 0; t < groups_[g].size; ++t) {
                        const auto group = static_cast<std::uint32_t>(g);
                        std::copy_n(point(group, t), stride_, x.begin());
                        tile.offer_to(x.data(), group,
                                      {&near_[members_[g * most_ + t] * n_near_],
                                       &gaps[((g - first) * most_ + t) * n_near_], n_near_});
                    }
        });
    }

    void measure(std::uint32_t group) {
        groups_[group].widest =
            centre_of(&points_[group * most_ * stride_], groups_[group].size, stride_, &centroids_[group * stride_]);
    }

    const Real* point(std::uint32_t group, std::size_t member) const {
        return &points_[(group * most_ + member) * stride_];
    }

    // One wish of each group at most. Those of kAtOnce groups go from step to step together: each step fetches what the
    // next one reads.
    void make_wishes(std::size_t first, std::size_t last, Real warmth, Random& random,
                     std::vector<Wish>& wishes) const {
        struct Thought {
            std::uint32_t home, member, record, near, other;
            std::uint64_t chance;
            Real limit, share, base;
        };
        Thought thoughts[kAtOnce];
        std::vector<Real> along(kAtOnce * stride_);
        for (std::size_t start = first; start < last; start += kAtOnce) {
            const std::size_t count = std::min(kAtOnce, last - start);
            for (std::size_t t = 0; t < count; ++t) {
                Thought& it = thoughts[t];
                it.home = static_cast<std::uint32_t>(start + t);
                it.chance = random.next();
                it.member = static_cast<std::uint32_t>(((it.chance >> 32) * groups_[it.home].size) >> 32);
                it.record = members_[it.home * most_ + it.member];
                const std::uint64_t reach = it.chance & 0xFFFF;  // squared: nearer neighbours more often
                it.near = static_cast<std::uint32_t>(((reach * reach >> 16) * n_near_) >> 16);
                fetch(&near_[it.record * n_near_ + it.near]);
                fetch(&scales_[it.record]);
                fetch(point(it.home, it.member));
            }
            for (std::size_t t = 0; t < count; ++t) {
                Thought& it = thoughts[t];
                it.near = near_[it.record * n_near_ + it.near];
                if (it.near != kNobody && !in_lists_) fetch(&group_of_[it.near]);
            }
            std::size_t n_left = 0;
            for (std::size_t t = 0; t < count; ++t) {
                Thought it = thoughts[t];
                if (it.near == kNobody) continue;
                it.other = in_lists_ ? it.near : group_of_[it.near];
                if (it.other == it.home) continue;
                fetch(&centroids_[it.other * stride_]);
                fetch(&groups_[it.other]);
                thoughts[n_left++] = it;
            }
            std::size_t n_swaps = 0;
            for (std::size_t t = 0; t < n_left; ++t) {
                Thought it = thoughts[t];
                const Group &home = groups_[it.home], &other = groups_[it.other];
                const Real a = static_cast<Real>(home.size), b = static_cast<Real>(other.size);
                it.share = 1 / a + 1 / b;
                const Exchange<Real> seen =
                    look_at(point(it.home, it.member), &centroids_[it.home * stride_], &centroids_[it.other * stride_],
                            stride_, it.share, &along[n_swaps * stride_]);
                it.limit = warmth * scales_[it.record] * static_cast<Real>(random.exponential());
                if (home.size > limits_.least && other.size < most_ && random.uniform() < kMove) {
                    if (b / (b + 1) * seen.gap - a / (a - 1) * seen.own < it.limit)
                        wishes.push_back({it.home, it.other, it.member, kNobody});
                    continue;
                }
                // Whether the widest member could be cheap enough, were it about straight along v.
                const Real rest = seen.base - it.share * other.widest - it.limit;
                if (rest > 0 && rest * rest >= 4 * straight_ * other.widest * seen.reach) continue;
                for (std::size_t c = 0; c < other.size * stride_; c += 64 / sizeof(Real)) fetch(point(it.other, 0) + c);
                it.base = seen.base;
                thoughts[n_swaps++] = it;
            }
            for (std::size_t t = 0; t < n_swaps; ++t) {
                const Thought& it = thoughts[t];
                const std::size_t size = groups_[it.other].size;
                Real limit = it.limit;
                const std::size_t partner =
                    cheapest_member(&along[t * stride_], &centroids_[it.other * stride_], point(it.other, 0), size,
                                    stride_, it.base, it.share, limit);
                if (partner < size)
                    wishes.push_back({it.home, it.other, it.member, static_cast<std::uint32_t>(partner)});
            }
        }
    }

    // Makes a wish come true, unless a promise would be broken. Touches nothing but its two groups and their records.
    void grant(const Wish& wish, std::optional<Judge>& judge) {
        Group &home = groups_[wish.home], &other = groups_[wish.other];
        std::uint32_t* own_members = &members_[wish.home * most_];
        std::uint32_t* members = &members_[wish.other * most_];
        std::uint32_t& x = own_members[wish.x];
        const std::uint32_t y = wish.y == kNobody ? kNobody : members[wish.y];
        if (judge && !(judge->keeps(own_members, home.size, x, y) && judge->keeps(members, other.size, y, x))) return;
        Real* own_point = &points_[(wish.home * most_ + wish.x) * stride_];
        group_of_[x] = wish.other;
        if (wish.y == kNobody) {
            std::copy_n(own_point, stride_, &points_[(wish.other * most_ + other.size) * stride_]);
            members[other.size++] = x;
            --home.size;
            std::copy_n(point(wish.home, home.size), stride_, own_point);
            x = own_members[home.size];
        } else {
            std::swap_ranges(own_point, own_point + stride_, &points_[(wish.other * most_ + wish.y) * stride_]);
            group_of_[y] = wish.home;
            std::swap(x, members[wish.y]);
        }
        measure(wish.home);
        measure(wish.other);
    }

    Limits limits_;
    std::size_t most_, stride_;
    Real straight_;
    std::size_t threads_, n_near_ = 0;
    bool in_lists_ = false;
    Large<Group> groups_;
    Large<std::uint32_t> rows_of_, group_of_;  // of a record: its row in X, its group
    Large<std::uint32_t> members_;             // records of each group, room for most_
    Large<Real> points_, centroids_;           // rows of the members, group by group; rows of the groups
    Large<std::uint32_t> near_;                // neighbours of each record that take part, or nobody; or near groups
    Large<Real> scales_;
};

template <class Real>
void anneal_rounds(Records X, const ExchangePlan& plan, const Graph& graph, const std::vector<double>& centre,
                   double unit, Watch& watch, std::vector<std::uint32_t>& labels, std::size_t n_groups,
                   const std::function<void(double)>& reached) {
    Rounds<Real> groups(X, plan, graph, centre, unit, labels, n_groups);
    groups.run(plan, watch, reached);
    groups.write(labels, static_cast<std::uint32_t>(n_groups));  // beside those that took no part
}

}  // namespace

std::size_t most_in_exchange(const Limits& limits) { return std::min(limits.most, 3 * limits.least); }

double exchange(Records X, const ExchangePlan& plan, const Graph& graph, Watch& watch,
                std::vector<std::uint32_t>& labels, const std::function<void(double)>& reached) {
    const std::size_t n_groups = renumber(labels);
    const double before = sum_of_squares(X, labels);
    if (n_groups < 2 || graph.count == 0 || !(before > 0.0)) return 0.0;
    std::vector<double> centre(X.m, 0.0);
    for (std::size_t i = 0; i < X.n; ++i)
        for (std::size_t c = 0; c < X.m; ++c) centre[c] += X[i][c] / static_cast<double>(X.n);
    double unit = 0.0, rounded = 0.0;
    for (std::size_t i = 0; i < X.n; ++i)
        for (std::size_t c = 0; c < X.m; ++c) unit = std::max(unit, std::abs(X[i][c] - centre[c]));
    for (std::size_t i = 0; i < X.n; ++i)
        for (std::size_t c = 0; c < X.m; ++c) {
            const double value = (X[i][c] - centre[c]) / unit;
            const double off = value - static_cast<double>(static_cast<float>(value));
            rounded += off * off;
        }
    std::vector<std::uint32_t> annealed(labels);
    const bool is_rough = rounded > kRounded * before / unit / unit;
    (is_rough ? anneal_rounds<double> : anneal_rounds<float>)(X, plan, graph, centre, unit, watch, annealed, n_groups,
                                                              reached);
    renumber(annealed);
    const double decrease = before - sum_of_squares(X, annealed);
    if (!(decrease > 0.0)) return 0.0;
    labels.swap(annealed);
    return decrease;
}

}  // namespace microagg
