// Seen groups. Two different groups with the same key are taken for one: with 64 bits that does not happen, and if it
// did, one group less could be chosen.
#include "kernels/search/seen_groups.h"

#include <algorithm>

#include "kernels/base/members.h"
#include "kernels/base/random.h"

namespace microagg {

SeenGroups::SeenGroups(Records X, std::size_t most)
    : n_(X.n), m_(X.m), most_(most), values_(X.data, X.data + X.n * X.m), keys_(X.n) {
    Random random(0);
    for (std::uint64_t& key : keys_) key = random.next();
}

void SeenGroups::note(const std::vector<std::uint32_t>& labels) {
    const Members members = members_of(labels, n_);
    for (std::size_t g = 0; g < n_; ++g) {
        const std::size_t size = members.starts[g + 1] - members.starts[g];
        if (size > 0) add(&members.rows[members.starts[g]], size);
    }
}

void SeenGroups::add(const std::uint32_t* rows, std::size_t size) {
    std::uint64_t key = 0;
    for (std::size_t t = 0; t < size; ++t) key += keys_[rows[t]];
    if (!known_.insert(key).second) return;
    group_keys_.push_back(key);
    rows_.insert(rows_.end(), rows, rows + size);
    starts_.push_back(rows_.size());
    costs_.push_back(cost(rows, size));
    if (costs_.size() > most_) forget_half();
}

double SeenGroups::cost(const std::uint32_t* rows, std::size_t size) const {
    std::vector<double> mean(m_, 0.0);
    for (std::size_t t = 0; t < size; ++t)
        for (std::size_t c = 0; c < m_; ++c) mean[c] += values_[rows[t] * m_ + c];
    for (double& value : mean) value /= static_cast<double>(size);
    double sum = 0.0;
    for (std::size_t t = 0; t < size; ++t) sum += squared_distance(&values_[rows[t] * m_], mean.data(), m_);
    return sum;
}

void SeenGroups::forget_half() {
    const std::size_t old = size() / 2, old_rows = starts_[old];
    for (std::size_t g = 0; g < old; ++g) known_.erase(group_keys_[g]);
    const auto drop = [](auto& values, std::size_t count) {
        values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
    };
    drop(group_keys_, old);
    drop(costs_, old);
    drop(rows_, old_rows);
    drop(starts_, old);
    for (std::size_t& start : starts_) start -= old_rows;
}

SeenGroups::Some SeenGroups::within(const std::int64_t* rows, std::size_t n_rows) const {
    std::vector<char> inside(n_, false);
    for (std::size_t t = 0; t < n_rows; ++t) inside[static_cast<std::size_t>(rows[t])] = true;
    Some some;
    some.starts.push_back(0);
    for (std::size_t g = 0; g < size(); ++g) {
        const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(starts_[g]);
        const auto end = rows_.begin() + static_cast<std::ptrdiff_t>(starts_[g + 1]);
        if (!std::all_of(begin, end, [&](std::uint32_t row) { return inside[row]; })) continue;
        some.rows.insert(some.rows.end(), begin, end);
        some.starts.push_back(static_cast<std::int64_t>(some.rows.size()));
        some.costs.push_back(costs_[g]);
    }
    return some;
}

}  // namespace microagg
