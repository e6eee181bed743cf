// The groups made so far, and the ways to make one of the remaining records.
#pragma once

#include <vector>

#include "kernels/base/records.h"
#include "kernels/mdav/remaining.h"

namespace microagg {

class Groups {
  public:
    Groups(Records X, Remaining& remaining, std::int64_t* labels);

    // A new group of `seed` and its size-1 nearest remaining records.
    void make(std::size_t seed, std::size_t size);
    // A new group of everything that remains.
    void make_of_rest();
    // One more member for the group made last.
    void join_last(std::size_t row);
    // Each remaining record joins the group whose centroid is nearest, the earlier one on a tie. The centroids are
    // those before any of these records joined.
    void spread_rest();

    const std::vector<std::size_t>& last() const { return members; }
    double done() const;

  private:
    void take(std::size_t row);

    Records X;
    Remaining& remaining;
    std::int64_t* labels;
    std::int64_t count = 0;
    std::vector<std::size_t> members;  // of the group made last
};

}  // namespace microagg
