// Promises: what a group lacks.
//
//   distinct:   level - number of values
//   entropy:    log(level) - entropy;                    entropy = log s - sum(c log c) / s
//   recursive:  r1 - factor * (rl + ... + rm) + 1/2      (strictly less is what is promised)
//   equal:      sum of max(0, share here - share of all) - level
//   ordered:    sum over values of |cumulative share here - that of all| / (number of values - 1) - level;  the former
//               is constant from one value of the group to the next, and the latter grows: where it passes the former
//               is found by bisection, and prefix sums do the rest
#include "kernels/promises/promises.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace microagg {
namespace {

// What rounding may feign; the check of a release in Python allows ten times as much.
constexpr double kSlack = 1e-10;
constexpr std::size_t kMostSteps = std::size_t{1} << 20;

bool is_closeness(const Promise& promise) {
    return promise.kind == PromiseKind::kEqual || promise.kind == PromiseKind::kOrdered;
}

}  // namespace

Promises::Promises(const std::int64_t* codes, std::size_t n_records, std::size_t n_columns, const std::int64_t* counts,
                   const std::vector<std::size_t>& n_values, std::vector<Promise> promises)
    : n_records_(n_records),
      n_columns_(n_columns),
      codes_(codes, codes + n_records * n_columns),
      columns_(n_columns),
      promises_(std::move(promises)) {
    for (std::size_t c = 0; c < n_columns; ++c) {
        Column& column = columns_[c];
        double total = 0.0, so_far = 0.0;
        for (std::size_t v = 0; v < n_values[c]; ++v) total += static_cast<double>(counts[v]);
        column.prefix.push_back(0.0);
        for (std::size_t v = 0; v < n_values[c]; ++v) {
            so_far += static_cast<double>(counts[v]);
            column.shares.push_back(static_cast<double>(counts[v]) / total);
            column.cumulative.push_back(so_far / total);
            column.prefix.push_back(column.prefix.back() + column.cumulative.back());
        }
        const std::size_t n_steps = std::min<std::size_t>(4 * n_values[c], kMostSteps);
        std::uint32_t value = 0;
        for (std::size_t q = 0; q <= n_steps; ++q) {
            const double share = static_cast<double>(q) / static_cast<double>(n_steps);
            while (value + 1 < n_values[c] && column.cumulative[value] < share) ++value;
            column.jump.push_back(value);
        }
        counts += n_values[c];
    }
}

double Promises::distance_alone(const Promise& promise, std::uint32_t value) const {
    const Column& column = columns_[promise.column];
    if (promise.kind == PromiseKind::kEqual) return 1.0 - column.shares[value];
    const std::size_t n_values = column.shares.size();
    if (promise.kind != PromiseKind::kOrdered || n_values == 1) return 0.0;
    const double above = static_cast<double>(n_values - value) - (column.prefix[n_values] - column.prefix[value]);
    return (column.prefix[value] + above) / static_cast<double>(n_values - 1);
}

double Promises::reach(const Promise& promise, std::uint32_t one, std::uint32_t other) const {
    if (promise.kind != PromiseKind::kOrdered) return 1.0;
    const double steps = one < other ? other - one : one - other;
    return steps / static_cast<double>(std::max<std::size_t>(2, columns_[promise.column].shares.size()) - 1);
}

double Promises::distance(const Promise& promise, const std::vector<Count>& counts, double size) const {
    const Column& column = columns_[promise.column];
    double sum = 0.0;
    if (promise.kind == PromiseKind::kEqual) {
        for (const auto& [value, count] : counts)
            sum += std::max(0.0, static_cast<double>(count) / size - column.shares[value]);
        return sum;
    }
    const std::size_t n_values = column.shares.size();
    if (n_values == 1) return 0.0;
    const double* all = column.cumulative.data();
    sum = column.prefix[counts[0].first];
    double reached = 0.0;
    for (std::size_t t = 0; t < counts.size(); ++t) {
        const std::size_t value = counts[t].first, end = t + 1 < counts.size() ? counts[t + 1].first : n_values;
        reached += static_cast<double>(counts[t].second);
        const double share = reached / size;
        const std::size_t step = static_cast<std::size_t>(share * static_cast<double>(column.jump.size() - 1));
        std::size_t turn = std::min(end, std::max<std::size_t>(value, column.jump[step]));
        while (turn < end && all[turn] < share) ++turn;
        sum += static_cast<double>(turn - value) * share - (column.prefix[turn] - column.prefix[value]);
        sum += column.prefix[end] - column.prefix[turn] - static_cast<double>(end - turn) * share;
    }
    return sum / static_cast<double>(n_values - 1);
}

double Promises::lack(const Promise& promise, const std::vector<Count>& counts,
                      std::vector<std::uint32_t>& scratch) const {
    if (promise.kind == PromiseKind::kDistinct)
        return std::max(0.0, promise.level - static_cast<double>(counts.size()));
    double size = 0.0;
    for (const auto& [value, count] : counts) size += static_cast<double>(count);
    if (promise.kind == PromiseKind::kEntropy) {
        double sum = 0.0;
        for (const auto& [value, count] : counts)
            if (count > 1) sum += static_cast<double>(count) * std::log(static_cast<double>(count));
        const double lacking = std::log(promise.level) - (std::log(size) - sum / size);
        return lacking > kSlack ? lacking : 0.0;
    }
    if (promise.kind == PromiseKind::kRecursive) {
        scratch.clear();
        for (const auto& [value, count] : counts) scratch.push_back(count);
        std::sort(scratch.begin(), scratch.end(), std::greater<>());
        double tail = 0.0;
        for (std::size_t t = static_cast<std::size_t>(promise.level) - 1; t < scratch.size(); ++t)
            tail += static_cast<double>(scratch[t]);
        const double most = static_cast<double>(scratch[0]);
        return most < promise.factor * tail ? 0.0 : most - promise.factor * tail + 0.5;
    }
    const double lacking = distance(promise, counts, size) - promise.level;
    return lacking > kSlack ? lacking : 0.0;
}

void Judge::count(const Promise& promise, const std::uint32_t* members, std::size_t size, std::uint32_t without,
                  std::uint32_t with) {
    codes_.clear();
    for (std::size_t t = 0; t < size; ++t)
        if (members[t] != without) codes_.push_back(promises_.code(row_of(members[t]), promise.column));
    if (with != kNobody) codes_.push_back(promises_.code(row_of(with), promise.column));
    std::sort(codes_.begin(), codes_.end());
    counts_.clear();
    for (const std::uint32_t code : codes_) {
        if (counts_.empty() || counts_.back().first != code) {
            counts_.emplace_back(code, 1);
        } else {
            ++counts_.back().second;
        }
    }
}

void Judge::tidy() {
    std::sort(counts_.begin(), counts_.end());
    std::size_t kept = 0;
    for (std::size_t t = 1; t < counts_.size(); ++t) {
        if (counts_[t].first == counts_[kept].first) {
            counts_[kept].second += counts_[t].second;
        } else {
            counts_[++kept] = counts_[t];
        }
    }
    counts_.resize(counts_.empty() ? 0 : kept + 1);
}

void Judge::know(std::uint32_t group, const std::uint32_t* members, std::size_t size) {
    known_[group] = true;
    for (std::size_t p = 0; p < promises_.list().size(); ++p) {
        const Promise& promise = promises_.list()[p];
        Known& known = kept_[group * promises_.list().size() + p];
        count(promise, members, size, kNobody, kNobody);
        known.codes = codes_;
        if (is_closeness(promise)) known.distance = promises_.distance(promise, counts_, static_cast<double>(size));
    }
}

// A group that changes by one record moves by little: bounds decide most cases without counting. With s records at the
// distance d, one that joins and is e away from all by itself makes it at most (s d + e) / (s + 1); one that leaves, at
// least (s d - e) / (s - 1).
bool Judge::keeps_changed(const Promise& promise, const Known& group, std::uint32_t leaves, std::uint32_t joins) {
    if (leaves == joins) return true;
    const double size = static_cast<double>(group.codes.size());
    if (is_closeness(promise)) {
        if (leaves == kNobody) {
            const double most = (size * group.distance + promises_.distance_alone(promise, joins)) / (size + 1.0);
            if (most <= promise.level) return true;
        } else if (joins == kNobody) {
            const double least = (size * group.distance - promises_.distance_alone(promise, leaves)) / (size - 1.0);
            if (least > promise.level + kSlack) return false;
        } else if (group.distance + promises_.reach(promise, leaves, joins) / size <= promise.level) {
            return true;
        }
    }
    counts_.clear();
    const auto add = [&](std::uint32_t code) {
        if (counts_.empty() || counts_.back().first != code) {
            counts_.emplace_back(code, 1);
        } else {
            ++counts_.back().second;
        }
    };
    bool to_join = joins != kNobody, to_leave = leaves != kNobody;
    for (const std::uint32_t code : group.codes) {
        if (to_leave && code == leaves) {
            to_leave = false;
            continue;
        }
        if (to_join && joins <= code) add(joins), to_join = false;
        add(code);
    }
    if (to_join) add(joins);
    return !(promises_.lack(promise, counts_, scratch_) > 0.0);
}

bool Judge::keeps(std::uint32_t group, const std::uint32_t* members, std::size_t size, std::uint32_t without,
                  std::uint32_t with) {
    if (without == kNobody && with == kNobody) return keeps(members, size);
    if (!known_[group]) know(group, members, size);
    const std::vector<Promise>& list = promises_.list();
    for (std::size_t p = 0; p < list.size(); ++p) {
        const auto code = [&](std::uint32_t record) {
            return record == kNobody ? kNobody : promises_.code(row_of(record), list[p].column);
        };
        if (!keeps_changed(list[p], kept_[group * list.size() + p], code(without), code(with))) return false;
    }
    return true;
}

double Judge::lack(const std::uint32_t* members, std::size_t size, std::uint32_t without, std::uint32_t with) {
    double total = 0.0;
    for (const Promise& promise : promises_.list()) {
        count(promise, members, size, without, with);
        total += promises_.lack(promise, counts_, scratch_);
    }
    return total;
}

bool Judge::keeps(const std::uint32_t* members, std::size_t size, std::uint32_t without, std::uint32_t with) {
    for (const Promise& promise : promises_.list()) {
        count(promise, members, size, without, with);
        if (promises_.lack(promise, counts_, scratch_) > 0.0) return false;
    }
    return true;
}

}  // namespace microagg
