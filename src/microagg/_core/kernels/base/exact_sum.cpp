// Exact sums in limbs of 32 bits (the idea is in exact_sum.h).
//
//   accumulate(x):  split x into mantissa and exponent; add the mantissa's bits to three limbs; pass carries on rarely
//   round():        pass all carries on; three leading limbs, and a bit for whatever lies below, round to a double
#include "kernels/base/exact_sum.h"

#include <algorithm>
#include <cmath>

namespace microagg {
namespace {

__extension__ typedef unsigned __int128 Wide;
constexpr int kBits = 32;
constexpr std::int64_t kLimb = std::int64_t{1} << kBits;
constexpr int kLeastExponent = -1074;

// Leaves every limb but the last of [first, last] in 0..2^32-1.
void pass_carries(std::int64_t* limbs, int first, int last) {
    for (int i = first; i < last; ++i) {
        const std::int64_t carry = limbs[i] >> kBits;
        limbs[i] -= carry * kLimb;
        limbs[i + 1] += carry;
    }
}

}  // namespace

void ExactSum::accumulate(double x, std::int64_t sign) {
    if (x == 0.0) return;
    int exponent;
    const double fraction = std::frexp(x, &exponent);
    auto mantissa = static_cast<std::int64_t>(std::ldexp(fraction, 53));
    int position = exponent - 53 - kLeastExponent;
    if (position < 0) {  // a subnormal number: its low bits are zero
        mantissa >>= -position;
        position = 0;
    }
    if (mantissa < 0) {
        mantissa = -mantissa;
        sign = -sign;
    }
    const int limb = position / kBits, shift = position % kBits;
    const Wide bits = static_cast<Wide>(mantissa) << shift;
    limbs[static_cast<std::size_t>(limb)] += sign * static_cast<std::int64_t>(bits & 0xffffffffu);
    limbs[static_cast<std::size_t>(limb) + 1] += sign * static_cast<std::int64_t>((bits >> kBits) & 0xffffffffu);
    limbs[static_cast<std::size_t>(limb) + 2] += sign * static_cast<std::int64_t>(bits >> (2 * kBits));
    lowest = std::min(lowest, limb);
    highest = std::max(highest, limb + 2);
    if (++waiting == kPatience) settle();
}

void ExactSum::settle() {
    pass_carries(limbs.data(), lowest, kLimbs - 1);
    highest = kLimbs - 1;
    waiting = 0;
}

double ExactSum::round() const {
    if (highest < 0) return 0.0;
    std::int64_t digits[kLimbs + 1] = {};
    const int last = std::min(highest + 2, kLimbs);
    std::copy(limbs.begin() + lowest, limbs.begin() + std::min(last, kLimbs), digits + lowest);
    pass_carries(digits, lowest, last);
    const bool negative = digits[last] < 0;
    if (negative) {
        for (int i = lowest; i <= last; ++i) digits[i] = -digits[i];
        pass_carries(digits, lowest, last);
    }
    int top = last;
    while (top > lowest && digits[top] == 0) --top;
    // The 65 or more bits of three limbs decide; what lies below only matters where it is not nothing.
    Wide leading = static_cast<Wide>(digits[top]);
    int taken = top;
    for (int i = 0; i < 2 && taken > 0; ++i) {
        --taken;
        leading = (leading << kBits) | static_cast<Wide>(taken >= lowest ? digits[taken] : 0);
    }
    for (int i = lowest; i < taken; ++i) {
        if (digits[i] != 0) {
            leading |= 1;
            break;
        }
    }
    const double magnitude = std::ldexp(static_cast<double>(leading), taken * kBits + kLeastExponent);
    return negative ? -magnitude : magnitude;
}

}  // namespace microagg
