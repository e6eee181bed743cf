// Seats.
//
//   row of a member:    its columns | its squared distance to the centroid | zeros
//   row of a centroid:  its columns | the largest such distance | zeros
#include "kernels/search/seats.h"

namespace microagg {

template <class Real>
Seats<Real>::Seats(Grouping& groups, double scale)
    : groups_(groups),
      scale_(scale),
      m_(groups.block().m),
      width_((m_ + kLanes) / kLanes * kLanes),
      group_of_(groups.n_records()),
      first_(groups.n_slots() + 1, 0),
      records_(groups.n_records()),
      rows_(groups.n_records() * width_, 0),
      centroids_(groups.n_slots() * width_, 0),
      is_column_(width_, 0) {
    for (std::size_t c = 0; c < m_; ++c) is_column_[c] = 1;
    for (std::uint32_t g = 0; g < groups.n_slots(); ++g) {
        first_[g + 1] = first_[g] + static_cast<std::uint32_t>(groups.size(g));
        if (groups.size(g) > 0) follow(g);
    }
}

template <class Real>
void Seats<Real>::follow(std::uint32_t group) {
    const auto copy = [&](const double* values, double last, Real* to) {
        for (std::size_t c = 0; c < m_; ++c) to[c] = static_cast<Real>(values[c] * scale_);
        to[m_] = static_cast<Real>(last * scale_ * scale_);
    };
    copy(groups_.centroid(group), groups_.widest_gap(group), &centroids_[group * width_]);
    for (std::size_t t = 0; t < groups_.size(group); ++t) {
        const std::uint32_t record = groups_.members(group)[t];
        group_of_[record] = group;
        records_[first_[group] + t] = record;
        copy(groups_.block()[record], groups_.own_gap(record), &rows_[(first_[group] + t) * width_]);
    }
}

template class Seats<float>;
template class Seats<double>;

}  // namespace microagg
