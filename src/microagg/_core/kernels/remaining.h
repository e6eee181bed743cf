// The records that no group has taken yet, and what the MDAV family asks of them.
#pragma once

#include <tuple>
#include <vector>

#include "kernels/exact_sum.h"
#include "kernels/records.h"

namespace microagg {

// A record and its squared distance to what was asked about.
struct Ranked {
    double distance;
    std::size_t row;
    bool operator<(const Ranked& other) const { return std::tie(distance, row) < std::tie(other.distance, other.row); }
};

class Remaining {
  public:
    // What will be asked for most: how many nearest and farthest records at a time.
    struct Wanted {
        std::size_t nearest, farthest, threads;
    };

    Remaining(Records X, Wanted wanted);

    std::size_t size() const { return alive.size(); }
    bool holds(std::size_t row) const;
    // Ascending.
    std::vector<std::size_t> rows() const { return alive; }
    void remove(std::size_t row);

    // The mean of the remaining records: exact sums, rounded once, divided by their number.
    std::vector<double> centroid() const;

    // The record farthest from a point or a record; ties go to the lower row number.
    std::size_t farthest_from_centroid() { return farthest_from(centroid()); }
    std::size_t farthest_from(const std::vector<double>& point);
    Ranked farthest(std::size_t row);

    // The `count` records nearest to a record, without that record, by (distance, row number).
    std::vector<Ranked> nearest(std::size_t row, std::size_t count);

  private:
    Records X;
    std::vector<std::size_t> alive;
    std::vector<ExactSum> sums;
};

}  // namespace microagg
