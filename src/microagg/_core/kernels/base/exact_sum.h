// Sums of doubles without any rounding, whatever the order of what is added and taken away.
//
//   add(x):  x = mantissa * 2^exponent goes into the 32-bit limbs that its bits fall on; carries wait in the 64-bit
//   limbs round(): carries are passed on, and the nearest double (ties to even) of the exact sum is given back
//
// It equals Python's math.fsum. A centroid of what remains therefore does not depend on how the others left.
#pragma once

#include <cstdint>
#include <vector>

namespace microagg {

class ExactSum {
  public:
    void add(double x) { accumulate(x, 1); }
    void subtract(double x) { accumulate(x, -1); }
    double round() const;

  private:
    void accumulate(double x, std::int64_t sign);
    void settle();

    static constexpr int kLimbs = 68;          // bits 2^-1074 to 2^1101
    static constexpr int kPatience = 1 << 29;  // additions until the carries must be passed on
    std::vector<std::int64_t> limbs = std::vector<std::int64_t>(kLimbs, 0);
    int lowest = kLimbs, highest = -1;  // limbs that were ever touched
    int waiting = 0;
};

}  // namespace microagg
