// Records ranked by distance, then by row: the order in which all ties are broken.
#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "kernels/base/constants.h"

namespace microagg {

// A record and its squared distance to what was asked about.
struct Ranked {
    double distance;
    std::size_t row;
    bool operator<(const Ranked& other) const { return std::tie(distance, row) < std::tie(other.distance, other.row); }
};

// The first few of those that are offered, in order, in room that is somebody else's. Where fewer are offered, nobody
// at an infinite distance is behind them.
class FirstFew {
  public:
    FirstFew(Ranked* room, std::size_t at_most) : found(room), count(at_most) {
        std::fill_n(found, count, Ranked{kInfinity, kNowhere});
    }

    // Nothing farther can be among them.
    double limit() const { return found[count - 1].distance; }

    void offer(const Ranked& candidate) {
        if (!(candidate < found[count - 1])) return;
        std::size_t at = count - 1;
        for (; at > 0 && candidate < found[at - 1]; --at) found[at] = found[at - 1];
        found[at] = candidate;
    }

  private:
    Ranked* found;
    std::size_t count;
};

}  // namespace microagg
