// Two groups that lie side by side, merged and cut anew.
#pragma once

#include <vector>

#include "kernels/block.h"

namespace microagg {

class Recut {
  public:
    Recut(const Block& block, std::size_t least) : block_(block), least_(least) {}

    // Cuts `size` records (2k to 4k-2) into two groups of k to 2k-1 each. side(t) says where rows[t] goes. Gives by how
    // much the sum of squared errors of the two lies below that of one group of all. The best cut there is where the
    // records are few (kExact in recut.cpp), a good one otherwise.
    double cut(const std::uint32_t* rows, std::size_t size);
    bool side(std::size_t t) const { return best_side_[t]; }

  private:
    void centre(const std::uint32_t* rows, std::size_t size);
    double best_of_all(std::size_t size);
    double best_along(std::size_t size);

    const Block& block_;
    std::size_t least_;
    std::vector<double> centred_, products_, sums_, direction_, along_;
    std::vector<std::uint32_t> order_, starts_;
    std::vector<char> best_side_;
};

}  // namespace microagg
