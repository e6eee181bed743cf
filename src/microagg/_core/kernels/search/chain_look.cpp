// A look for a chain:
//
//   x of A looks:     gain = what A loses less without x;  extend(x, gain)
//   extend(x, gain):  of all y of the groups B near x that are not on the chain:
//                       x takes the place of y:  gain' = gain - (error of B with x for y - error of B),
//                       if gain exceeds what x costs in B without y
//                     the kWays y with the most gain', best first:
//                       if y in the place that is left in A costs less than gain', the chain pays
//   of all chains of one length that do not pay, the kAbreast with the most gain' that end with different records are
//   extended, unless they are long enough
//
// So the time grows with the length; to follow two ways from every record, however deep, takes several times as long
// for the same loss.
//
// With c the centroid of B and s its size, x for y costs |x - c|^2 - |y - c|^2 - |x - y|^2 / s, and without y the error
// of B is less by s / (s - 1) |y - c|^2. With g = |x - c| and w = |y - c|, x costs in B without y
//   ((s - 1) g^2 + w^2 / (s - 1) - 2 g w cosine) / s
// if the cosine is that of the angle between c - x and y - c. It is one at most, and in many columns far below that for
// nearly all y: groups of less than kMany that would need more than kStraight over the number of columns are passed
// over. That saves half of the time in 13 columns, and finds more in the same time.
//
// Nearly all of the time would be spent waiting for memory: neighbours of x, their groups, the centroids of these, and
// their members lie anywhere. So each step ends where the next one would read, fetches that, and other looks go on.
#include "kernels/search/chain_look.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace microagg {
namespace {

constexpr double kStraight = 4.0;
constexpr std::size_t kMany = 8;

// Of what the first record's group loses less without it: what single precision may round off.
template <class Real>
constexpr Real kRounded = std::is_same_v<Real, float> ? Real(1e-6) : Real(0);

}  // namespace

template <class Real>
ChainLook<Real>::ChainLook(const Seats<Real>& seats, const Block& block, std::size_t longest, Real tolerance)
    : seats_(seats),
      block_(block),
      longest_(longest),
      least_gain_(tolerance),
      straight_(static_cast<Real>(std::min(1.0, kStraight / static_cast<double>(block.m)))),
      rest_(seats.width(), 0) {}

template <class Real>
void ChainLook<Real>::begin(std::uint32_t record) {
    record_ = record;
    chain_.clear();
    ways_.clear();
    next_ = Next::kHome;
    seats_.fetch_group_of(record);
    fetch(block_.neighbours_of(record));
}

template <class Real>
MICROAGG_INLINE bool ChainLook<Real>::step() {
    switch (next_) {
        case Next::kHome:
            home_ = seats_.group_of(record_);
            seats_.fetch_group(home_);
            next_ = Next::kSeats;
            return true;
        case Next::kSeats:
            if (seats_.size(home_) < 2) return false;
            seats_.fetch_members(home_);
            next_ = Next::kLeave;
            return true;
        case Next::kLeave:
            leave_home();
            return true;
        case Next::kGroups:
            for (std::size_t t = 0; t < block_.n_neighbours; ++t)
                seats_.fetch_group_of(block_.neighbours_of(nodes_[node_].leaving)[t]);
            next_ = Next::kCentroids;
            return true;
        case Next::kCentroids:
            find_groups();
            next_ = Next::kMembers;
            return true;
        case Next::kMembers:
            weigh_groups();
            next_ = Next::kWays;
            return true;
        default:
            weigh_members();
            if (!chain_.empty()) return false;
            if (++node_ == last_ && !go_further()) return false;
            look_from(node_);
            return true;
    }
}

template <class Real>
MICROAGG_INLINE void ChainLook<Real>::leave_home() {
    std::size_t seat = seats_.first(home_);
    while (seats_.record(seat) != record_) ++seat;
    const Real size = static_cast<Real>(seats_.size(home_));
    const Real *centroid = seats_.centroid(home_), *x = seats_.row(seat);
    for (std::size_t c = 0; c < seats_.width(); ++c) rest_[c] = centroid[c] + (centroid[c] - x[c]) / (size - 1);
    share_ = (size - 1) / size;
    const Real gain = seats_.own_gap(seat) / share_;
    tolerance_ = std::max(least_gain_, kRounded<Real> * gain);
    nodes_.assign(1, {record_, home_, seat, gain, 0});
    length_ = last_ = 1;
    look_from(0);
}

template <class Real>
void ChainLook<Real>::look_from(std::size_t node) {
    node_ = node;
    const std::uint32_t* neighbours = block_.neighbours_of(nodes_[node].leaving);
    for (std::size_t t = 0; t < block_.n_neighbours; t += kCacheLine / sizeof(std::uint32_t)) fetch(neighbours + t);
    next_ = Next::kGroups;
}

template <class Real>
bool ChainLook<Real>::is_on_chain(std::uint32_t group) const {
    for (std::size_t node = node_; node != 0; node = nodes_[node].before)
        if (nodes_[node].group == group) return true;
    return group == home_;
}

template <class Real>
void ChainLook<Real>::find_groups() {
    const std::uint32_t* neighbours = block_.neighbours_of(nodes_[node_].leaving);
    n_near_ = 0;
    for (std::size_t t = 0; t < block_.n_neighbours && n_near_ < kMostGroups; ++t) {
        const std::uint32_t group = seats_.group_of(neighbours[t]);
        const auto is_it = [group](const Near& one) { return one.group == group; };
        if (is_on_chain(group) || std::any_of(near_, near_ + n_near_, is_it)) continue;
        near_[n_near_++].group = group;
        seats_.fetch_group(group);
    }
}

template <class Real>
MICROAGG_INLINE void ChainLook<Real>::weigh_groups() {
    const Node& node = nodes_[node_];
    const Real* x = seats_.row(node.seat);
    std::size_t n_within = 0;
    for (std::size_t t = 0; t < n_near_; ++t) {
        const std::uint32_t group = near_[t].group;
        const Real s = static_cast<Real>(seats_.size(group));
        const Real gap = seats_.gap(x, seats_.centroid(group)), reach = std::sqrt(gap);
        const Real straight = seats_.size(group) < kMany ? straight_ : 1;
        const Real width = std::min(std::sqrt(seats_.widest(group)), straight * (s - 1) * reach);
        const Real least = ((s - 1) * gap + width * width / (s - 1) - 2 * straight * reach * width) / s;
        if (node.gain - least <= tolerance_) continue;
        near_[n_within++] = {group, gap};
        seats_.fetch_members(group);
    }
    n_near_ = n_within;
}

template <class Real>
MICROAGG_INLINE void ChainLook<Real>::weigh_members() {
    const Node& node = nodes_[node_];
    const Real* x = seats_.row(node.seat);
    Node ways[kWays];
    std::size_t n_ways = 0;
    for (std::size_t t = 0; t < n_near_; ++t) {
        const std::uint32_t group = near_[t].group;
        const Real s = static_cast<Real>(seats_.size(group)), share = 1 / s, spared = s / (s - 1);
        const std::size_t first = seats_.first(group), last = first + seats_.size(group);
        for (std::size_t seat = first; seat < last; ++seat) {
            const Real own = seats_.own_gap(seat);
            const Real left = node.gain - near_[t].gap + own + seats_.gap(x, seats_.row(seat)) * share;
            if (left - spared * own <= tolerance_) continue;
            if (n_ways == kWays && left <= ways[kWays - 1].gain) continue;
            std::size_t at = n_ways < kWays ? n_ways++ : kWays - 1;
            for (; at > 0 && ways[at - 1].gain < left; --at) ways[at] = ways[at - 1];
            ways[at] = {seats_.record(seat), group, seat, left, node_};
        }
    }
    for (std::size_t w = 0; w < n_ways; ++w) {
        if (closes(ways[w])) return write_chain(ways[w]);
        ways_.push_back(ways[w]);
    }
}

template <class Real>
MICROAGG_INLINE bool ChainLook<Real>::closes(const Node& way) const {
    return way.gain - share_ * seats_.gap(seats_.row(way.seat), rest_.data()) > tolerance_;
}

template <class Real>
void ChainLook<Real>::write_chain(const Node& last) {
    chain_.push_back({last.leaving, home_});
    for (const Node* node = &last; node->group != home_; node = &nodes_[node->before])
        chain_.push_back({nodes_[node->before].leaving, node->group});
    std::reverse(chain_.begin(), chain_.end());
}

// Goes on with the best ways, one for each record that leaves; gives whether there is one.
template <class Real>
bool ChainLook<Real>::go_further() {
    std::sort(ways_.begin(), ways_.end(), [](const Node& a, const Node& b) {
        return a.gain > b.gain || (a.gain == b.gain && a.leaving < b.leaving);
    });
    const std::size_t first = nodes_.size();
    if (length_++ == longest_) ways_.clear();
    for (const Node& way : ways_) {
        if (nodes_.size() == first + kAbreast) break;
        const auto is_it = [&way](const Node& node) { return node.leaving == way.leaving; };
        const auto begin = nodes_.begin() + static_cast<std::ptrdiff_t>(first);
        if (std::none_of(begin, nodes_.end(), is_it)) nodes_.push_back(way);
    }
    ways_.clear();
    last_ = nodes_.size();
    return node_ < last_;
}

MICROAGG_MULTIVERSION
bool go_on(ChainLook<float>& look) { return look.step(); }
MICROAGG_MULTIVERSION
bool go_on(ChainLook<double>& look) { return look.step(); }

template <class Real>
bool ChainLook<Real>::go_on() {
    return microagg::go_on(*this);
}

template class ChainLook<float>;
template class ChainLook<double>;

}  // namespace microagg
