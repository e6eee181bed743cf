// Groups near a record, by comparing it with all centroids (in single precision: they only propose):
//
//   gaps to all centroids, and the least of each of kLanes lanes of them
//   limit = reach, or the kNear-th lowest of these if that is less: so many lie no farther
//   the groups within the limit
//
// A block holds some hundred groups, or a thousand, where this beats a tree. The list of a record is kept until it
// reaches farther than it did: groups change little by little.
#include "kernels/search/near_groups.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/base/constants.h"
#include "kernels/base/multiversion.h"
#include "kernels/neighbours/gaps.h"

namespace microagg {
namespace {

constexpr std::size_t kLanes = kGapLanes;
constexpr std::int32_t kNear = 8;  // groups that are enough
constexpr double kSlack = 1.3;     // how much farther than asked for a list reaches
constexpr float kFar = std::numeric_limits<float>::max();

// The limit, or something less that at least `count` of the lanes do not exceed.
MICROAGG_MULTIVERSION
float nearer(const float* least, float limit, std::int32_t count) {
    std::int32_t within = 0;
    for (std::size_t t = 0; t < kLanes; ++t) within += least[t] <= limit ? 1 : 0;
    if (within <= count) return limit;
    std::int32_t below[kLanes] = {};
    for (std::size_t s = 0; s < kLanes; ++s)
        for (std::size_t t = 0; t < kLanes; ++t) below[t] += least[s] < least[t] ? 1 : 0;
    for (std::size_t t = 0; t < kLanes; ++t)
        if (below[t] + 1 >= count && least[t] < limit) limit = least[t];
    return limit;
}

}  // namespace

// An odd number of lanes' lengths, lest all columns fall on the same few lines of the cache.
NearGroups::NearGroups(const Grouping& groups)
    : groups_(groups),
      n_padded_(((groups.n_slots() + kLanes - 1) / kLanes | 1) * kLanes),
      columns_(n_padded_ * groups.block().m, kFloatInfinity),
      point_(groups.block().m),
      gaps_(n_padded_),
      least_(kLanes),
      reach_(groups.n_records(), -1.0),
      nearest_(groups.n_records(), 0.0),
      lists_(groups.n_records() * kMost),
      counts_(groups.n_records(), 0) {
    double largest = 0.0;
    for (const double value : groups.block().values) largest = std::max(largest, std::abs(value));
    unit_ = largest > 0.0 ? 1.0 / largest : 1.0;
    for (std::uint32_t g = 0; g < groups.n_slots(); ++g) follow(g);
}

void NearGroups::follow(std::uint32_t group) {
    const double* centroid = groups_.centroid(group);
    const bool vacant = groups_.size(group) == 0;
    for (std::size_t c = 0; c < point_.size(); ++c)
        columns_[c * n_padded_ + group] = vacant ? kFloatInfinity : static_cast<float>(centroid[c] * unit_);
}

void NearGroups::measure(const double* x) {
    for (std::size_t c = 0; c < point_.size(); ++c) point_[c] = static_cast<float>(x[c] * unit_);
    gaps_to_all(columns_.data(), n_padded_, n_padded_, point_.size(), point_.data(), gaps_.data(), least_.data());
}

// The groups within the limit, at most so many.
std::size_t NearGroups::collect(float limit, std::uint32_t other_than, std::size_t most, std::uint32_t* list) const {
    std::size_t count = 0;
    for (std::size_t t = 0; t < kLanes; ++t) {
        if (least_[t] > limit) continue;
        for (std::size_t g = t; g < groups_.n_slots() && count < most; g += kLanes)
            if (gaps_[g] <= limit && g != other_than) list[count++] = static_cast<std::uint32_t>(g);
    }
    return count;
}

NearGroups::List NearGroups::within(std::size_t record, double reach) {
    if (reach <= reach_[record]) return known(record);
    reach_[record] = kSlack * reach;
    measure(groups_.block()[record]);
    const float limit = nearer(least_.data(), static_cast<float>(reach_[record] * unit_ * unit_), kNear);
    std::uint32_t* list = &lists_[record * kMost];
    const std::size_t count = collect(limit, groups_.group_of(record), kMost, list);
    float nearest = limit;
    for (std::size_t t = 0; t < count; ++t) nearest = std::min(nearest, gaps_[list[t]]);
    counts_[record] = static_cast<std::uint32_t>(count);
    nearest_[record] = static_cast<double>(nearest) / (unit_ * unit_);
    return known(record);
}

NearGroups::List NearGroups::beside(std::uint32_t group, std::size_t count) {
    measure(groups_.centroid(group));
    // One more, since the group itself is the nearest. Vacant groups are infinitely far.
    const float limit = nearer(least_.data(), kFar, static_cast<std::int32_t>(count + 1));
    beside_.resize(groups_.n_slots());
    beside_.resize(collect(limit, group, beside_.size(), beside_.data()));
    std::sort(beside_.begin(), beside_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return gaps_[a] < gaps_[b] || (gaps_[a] == gaps_[b] && a < b); });
    return {beside_.data(), std::min(count, beside_.size())};
}

}  // namespace microagg
