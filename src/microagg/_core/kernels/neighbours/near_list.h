// The nearest of all points that one record was compared with, in single precision: they only propose.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/neighbours/cells.h"

namespace microagg {

// Sorted; ties to who came first. Starts with infinite gaps.
struct NearList {
    std::uint32_t* rows;
    float* gaps;
    std::size_t most;

    bool holds(std::uint32_t row) const { return std::find(rows, rows + most, row) != rows + most; }
    bool is_near(float gap) const { return gap < gaps[most - 1]; }
    // Somebody near; gives whether it was not there yet.
    bool offer(std::uint32_t row, float gap) const {
        for (std::size_t t = 0; t < most && gaps[t] <= gap; ++t)
            if (rows[t] == row) return false;
        std::size_t at = most - 1;
        for (; at > 0 && gaps[at - 1] > gap; --at) gaps[at] = gaps[at - 1], rows[at] = rows[at - 1];
        gaps[at] = gap, rows[at] = row;
        return true;
    }
};

// Some points side by side, column by column, to be compared with one record after the other.
class NearTile {
  public:
    NearTile(const Points& points, const std::uint32_t* numbers, std::size_t count);

    // Offers all of them to the list of x, but the one numbered `self`; gives how many came in.
    std::size_t offer_to(const float* x, std::uint32_t self, const NearList& list);

  private:
    const std::uint32_t* numbers_;
    std::size_t count_, m_, n_padded_;
    std::vector<float> columns_, gaps_, least_;
};

}  // namespace microagg
