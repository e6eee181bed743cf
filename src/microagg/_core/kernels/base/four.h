// Four numbers side by side, in the vectors of GCC and Clang: the same order of additions on every machine.
#pragma once

#include <cstddef>
#include <cstring>

#include "kernels/base/multiversion.h"

namespace microagg {

template <class Real>
struct FourOf {
    typedef Real type __attribute__((vector_size(4 * sizeof(Real))));  // NOLINT: `using` drops the attribute
};
template <class Real>
using Four = typename FourOf<Real>::type;

template <class Real>
MICROAGG_INLINE Four<Real> four_at(const Real* from) {
    Four<Real> four;
    std::memcpy(&four, from, sizeof four);
    return four;
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
