// Four numbers side by side, in the vectors of GCC and Clang: the same order of additions on every machine.
#pragma once

#include <cstddef>
#include <cstring>

#include "kernels/base/multiversion.h"

namespace microagg {

// `At` is where four numbers lie in an array, whatever comes before them there. (NOLINT: `using` drops attributes.)
template <class Real>
struct FourOf;
template <>
struct FourOf<float> {
    typedef float type __attribute__((vector_size(16)));                       // NOLINT
    typedef float At __attribute__((vector_size(16), aligned(4), may_alias));  // NOLINT
};
template <>
struct FourOf<double> {
    typedef double type __attribute__((vector_size(32)));                       // NOLINT
    typedef double At __attribute__((vector_size(32), aligned(8), may_alias));  // NOLINT
};
template <class Real>
using Four = typename FourOf<Real>::type;

// A reference: functions that return vectors would have to agree on how.
template <class Real>
MICROAGG_INLINE const typename FourOf<Real>::At& four_at(const Real* from) {
    return *reinterpret_cast<const typename FourOf<Real>::At*>(from);
}

template <class Real>
MICROAGG_INLINE void put_four(Real* to, const Four<Real>& four) {
    std::memcpy(to, &four, sizeof four);
}

template <class Real>
MICROAGG_INLINE Real total_of(const Four<Real>& four) {
    return (four[0] + four[1]) + (four[2] + four[3]);
}

}  // namespace microagg
