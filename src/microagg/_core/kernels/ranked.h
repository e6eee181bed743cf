#pragma once

#include <cstddef>
#include <tuple>

namespace microagg {

// A record and its squared distance to what was asked about.
struct Ranked {
    double distance;
    std::size_t row;
    bool operator<(const Ranked& other) const { return std::tie(distance, row) < std::tie(other.distance, other.row); }
};

}  // namespace microagg
