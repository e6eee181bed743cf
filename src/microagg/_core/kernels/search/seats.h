// Groups as chains look at them: a seat for each member, the rows of a group one after the other, in single or double
// precision. Sizes of groups stay, so seats do; who sits there changes.
#pragma once

#include <cstdint>

#include "kernels/base/fetch.h"
#include "kernels/base/four.h"
#include "kernels/base/large.h"
#include "kernels/search/grouping.h"

namespace microagg {

// A row of 13 columns in single precision is one line of the cache, and what else is asked of it lies in the same line.
template <class Real>
class Seats {
  public:
    // All values are multiplied by `scale`.
    Seats(Grouping& groups, double scale);

    // To be told of each group that changed.
    void follow(std::uint32_t group);

    std::uint32_t group_of(std::uint32_t record) const { return group_of_[record]; }
    std::size_t first(std::uint32_t group) const { return first_[group]; }
    std::size_t size(std::uint32_t group) const { return first_[group + 1] - first_[group]; }
    std::uint32_t record(std::size_t seat) const { return records_[seat]; }
    std::size_t width() const { return width_; }  // of a row

    const Real* row(std::size_t seat) const { return &rows_[seat * width_]; }
    Real own_gap(std::size_t seat) const { return rows_[seat * width_ + m_]; }  // squared, to the centroid of its group
    const Real* centroid(std::uint32_t group) const { return &centroids_[group * width_]; }
    Real widest(std::uint32_t group) const { return centroids_[group * width_ + m_]; }  // own gap of its members

    // The squared distance of two rows.
    MICROAGG_INLINE Real gap(const Real* a, const Real* b) const {
        Four<Real> sum{};
        for (std::size_t c = 0; c < width_; c += kLanes) {
            const Four<Real> apart = (four_at(a + c) - four_at(b + c)) * four_at(&is_column_[c]);
            sum += apart * apart;
        }
        return total_of<Real>(sum);
    }

    void fetch_group_of(std::uint32_t record) const { fetch(&group_of_[record]); }
    void fetch_group(std::uint32_t group) const {
        fetch_lines(centroid(group), 1);
        fetch(&first_[group]);
    }
    void fetch_members(std::uint32_t group) const {
        fetch_lines(row(first(group)), size(group));
        fetch(&records_[first(group)]);
    }

  private:
    static constexpr std::size_t kLanes = 4;

    void fetch_lines(const Real* from, std::size_t n_rows) const {
        for (std::size_t c = 0; c < n_rows * width_; c += kCacheLine / sizeof(Real)) fetch(from + c);
    }

    Grouping& groups_;
    double scale_;
    std::size_t m_, width_;
    Large<std::uint32_t> group_of_, first_, records_;
    Large<Real> rows_, centroids_, is_column_;  // is_column_: one for each column, zero for what lies behind them
};

}  // namespace microagg
