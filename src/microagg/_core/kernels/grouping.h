// A partition of a block that changes: members, centroids, and what a change would cost.
//
// The sum of squared errors of a group of size s with centroid c changes
//   by  s / (s + 1) |x - c|^2            when x joins,
//   by -s / (s - 1) |x - c|^2            when x leaves,
// and that of two groups by 2 (y - x).(c_B - c_A) - |y - x|^2 (1/a + 1/b) when x of A and y of B change places.
// Centroids are updated in O(columns) and made anew from the members every few changes, so that errors do not add up.
#pragma once

#include <vector>

#include "kernels/block.h"

namespace microagg {

class Grouping {
  public:
    // labels: 0..G-1, each group with k to 2k-1 records.
    Grouping(const Block& block, std::size_t k, const std::uint32_t* labels);

    std::size_t n_records() const { return block_.n; }
    std::size_t least() const { return k_; }
    std::size_t most() const { return 2 * k_ - 1; }
    std::uint32_t group_of(std::size_t record) const { return group_[record]; }
    const std::vector<std::uint32_t>& labels() const { return group_; }
    std::size_t size(std::uint32_t group) const { return size_[group]; }
    const std::uint32_t* members(std::uint32_t group) const { return &members_[group * capacity_]; }
    const double* centroid(std::uint32_t group) const { return &centroids_[group * block_.stride]; }
    const Block& block() const { return block_; }

    // A group without members, to be filled; there always is one while every other group has k records or more.
    std::uint32_t vacant() const { return vacant_.back(); }

    double leave_gain(std::size_t record) const {
        const std::uint32_t a = group_[record];
        const double s = static_cast<double>(size_[a]);
        return size_[a] == 1 ? 0.0 : s / (s - 1.0) * squared_gap(block_[record], centroid(a), block_.stride);
    }
    double join_cost(std::size_t record, std::uint32_t group) const {
        const double s = static_cast<double>(size_[group]);
        return s / (s + 1.0) * squared_gap(block_[record], centroid(group), block_.stride);
    }
    double swap_cost(std::size_t x, std::size_t y) const;

    void move(std::size_t record, std::uint32_t to);
    void swap(std::size_t x, std::size_t y);

    // The sum of squared errors, counted anew from the records.
    double recount() const;

  private:
    void take_out(std::size_t record);
    void put_in(std::size_t record, std::uint32_t group);
    void renew_if_due(std::uint32_t group);

    const Block& block_;
    std::size_t k_;
    std::size_t capacity_;
    std::vector<std::uint32_t> group_, place_, size_, members_, changes_, vacant_;
    std::vector<double> centroids_;
};

}  // namespace microagg
