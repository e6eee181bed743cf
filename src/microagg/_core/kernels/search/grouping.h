// A partition of a block that changes: members, centroids, and what a change would cost.
//
// The sum of squared errors of a group of size s with centroid c changes
//   by  s / (s + 1) |x - c|^2            when x joins,
//   by -s / (s - 1) |x - c|^2            when x leaves,
// and that of two groups of sizes a and b, when x of A and y of B change places,
//   by  |y - c_A|^2 - |y - c_B|^2 - |x - c_A|^2 + |x - c_B|^2 - (1/a + 1/b) |x - y|^2.
// Centroids are updated in O(columns) and made anew from the members every few changes, so that errors do not add up.
// How far each record lies from its own centroid is kept until its group changes: most changes are only looked at.
#pragma once

#include <optional>
#include <vector>

#include "kernels/promises/promises.h"
#include "kernels/search/block.h"

namespace microagg {

// What every group keeps: its size, and promises on confidential values where there are any. A group of 2k records or
// more can be cut in two at no cost, so without promises 2k-1 are enough.
struct Limits {
    Limits(std::size_t k) : least(k), most(2 * k - 1) {}  // NOLINT: k alone says it all
    Limits(std::size_t k, std::size_t largest, const Promises* kept) : least(k), most(largest), promises(kept) {}

    std::size_t least, most;
    const Promises* promises = nullptr;
};

class Grouping {
  public:
    // labels: 0..G-1, each group within the limits.
    Grouping(const Block& block, Limits limits, const std::uint32_t* labels);

    std::size_t n_records() const { return block_.n; }
    std::size_t least() const { return limits_.least; }
    std::size_t most() const { return limits_.most; }
    std::uint32_t group_of(std::size_t record) const { return group_[record]; }
    const std::vector<std::uint32_t>& labels() const { return group_; }
    std::size_t n_slots() const { return size_.size(); }  // groups, and vacant ones
    std::size_t size(std::uint32_t group) const { return size_[group]; }
    const std::uint32_t* members(std::uint32_t group) const { return &members_[group * capacity_]; }
    const double* centroid(std::uint32_t group) const { return &centroids_[group * block_.stride]; }
    const Block& block() const { return block_; }

    // A group without members, to be filled; there always is one while every other group has k records or more.
    std::uint32_t vacant() const { return vacant_.back(); }

    // The squared distance of a record to the centroid of its group; the largest of a group; their sum.
    double own_gap(std::size_t record) {
        measure(group_[record]);
        return own_gap_[record];
    }
    // Both, where the group has been measured since it last changed.
    double known_gap(std::size_t record) const { return own_gap_[record]; }
    double known_widest(std::uint32_t group) const { return widest_gap_[group]; }
    double widest_gap(std::uint32_t group) {
        measure(group);
        return widest_gap_[group];
    }
    double error(std::uint32_t group) {
        measure(group);
        return error_[group];
    }
    // By how much the errors of some groups lie below those of one group of all their records.
    double gap_between(const std::vector<std::uint32_t>& groups) const;
    double gap_to(std::size_t record, std::uint32_t group) const {
        return squared_gap(block_[record], centroid(group), block_.stride);
    }

    double leave_gain(std::size_t record) {
        const double s = static_cast<double>(size_[group_[record]]);
        return s == 1.0 ? 0.0 : s / (s - 1.0) * own_gap(record);
    }
    double join_cost(std::size_t record, std::uint32_t group) const {
        return join_cost_at(gap_to(record, group), group);
    }
    double join_cost_at(double gap, std::uint32_t group) const {
        const double s = static_cast<double>(size_[group]);
        return s / (s + 1.0) * gap;
    }

    // Whether a group keeps its promises: as it is, without one of its members, and with another record.
    bool keeps(std::uint32_t group, std::size_t without = kNobody, std::size_t with = kNobody) {
        return !judge_ || judge_->keeps(group, members(group), size_[group], static_cast<std::uint32_t>(without),
                                        static_cast<std::uint32_t>(with));
    }
    bool has_promises() const { return judge_.has_value(); }
    bool keeps_rows(const std::vector<std::uint32_t>& rows) {
        return !judge_ || judge_->keeps(rows.data(), rows.size());
    }
    bool may_move(std::size_t record, std::uint32_t to) {
        return !judge_ || (keeps(to, kNobody, record) && keeps(group_[record], record));
    }

    // That member of `group`, other than `barred`, with which x changes places at the least cost, if it is below
    // *cost, which it then becomes, and both groups keep their promises; x itself where there is none.
    std::size_t cheapest_partner(std::size_t x, std::uint32_t group, std::size_t barred, double* cost) {
        return cheapest_partner(x, group, gap_to(x, group), barred, cost);
    }
    // The same, where the squared distance of x to the centroid of the group is known.
    std::size_t cheapest_partner(std::size_t x, std::uint32_t group, double gap, std::size_t barred, double* cost);

    void move(std::size_t record, std::uint32_t to);
    void swap(std::size_t x, std::size_t y);
    // Moves several records at once, rows[t] to groups[t]: no group holds too many in between.
    void move_all(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& groups);

    // A trial: what changes from now on is taken back at its end, to the last digit. Trials do not nest.
    void begin_trial();
    // Who is in another group than when it began: from[t] had rows[t], which is in to[t] now.
    void moves_of_trial(std::vector<std::uint32_t>& rows, std::vector<std::uint32_t>& from,
                        std::vector<std::uint32_t>& to) const;
    void take_trial_back();

    // The sum of squared errors, counted anew from the records.
    double recount() const;

  private:
    // Groups as they were before they changed.
    struct Trial {
        struct Vacancy {
            std::uint32_t group, at;  // filled, from that place in the list; or new, at its end: kNobody
        };
        bool is_on = false;
        std::vector<std::uint32_t> groups, sizes, changes, members;
        std::vector<double> centroids;
        std::vector<char> is_kept;  // of each slot
        std::vector<Vacancy> vacancies;
    };

    void take_out(std::size_t record);
    void put_in(std::size_t record, std::uint32_t group);
    void renew_if_due(std::uint32_t group);
    void keep_for_trial(std::uint32_t group);
    void will_change(std::uint32_t group) {
        if (trial_.is_on) keep_for_trial(group);
    }
    void has_changed(std::uint32_t group) {
        measured_[group] = false;
        if (judge_) judge_->forget(group);
    }
    void measure(std::uint32_t group) {
        if (!measured_[group]) measure_anew(group);
    }
    void measure_anew(std::uint32_t group);

    const Block& block_;
    Limits limits_;
    std::optional<Judge> judge_;
    std::size_t capacity_;
    std::vector<std::uint32_t> group_, place_, size_, members_, changes_, vacant_;
    std::vector<double> centroids_, own_gap_, widest_gap_, error_, across_;
    std::vector<char> measured_;
    Trial trial_;
};

}  // namespace microagg
