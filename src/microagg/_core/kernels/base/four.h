// Four numbers side by side, in the vectors of GCC and Clang: the same order of additions on every machine.
#pragma once

#include <cstddef>

#include "kernels/base/multiversion.h"

namespace microagg {

template <class Real>
struct FourOf {  // NOLINTBEGIN: `using` drops the attributes
    typedef Real type __attribute__((vector_size(4 * sizeof(Real))));
    typedef Real anywhere __attribute__((vector_size(4 * sizeof(Real)), aligned(alignof(Real)), may_alias));
};  // NOLINTEND
template <class Real>
using Four = typename FourOf<Real>::type;

// Four numbers of an array, wherever they begin; by reference, since processors differ in how they return a vector.
template <class Real>
MICROAGG_INLINE const typename FourOf<Real>::anywhere& four_at(const Real* from) {
    return *reinterpret_cast<const typename FourOf<Real>::anywhere*>(from);
}

template <class Real>
MICROAGG_INLINE void put_four(Real* to, const Four<Real>& four) {
    *reinterpret_cast<typename FourOf<Real>::anywhere*>(to) = four;
}

template <class Real>
MICROAGG_INLINE Real total_of(const Four<Real>& four) {
    return (four[0] + four[1]) + (four[2] + four[3]);
}

}  // namespace microagg
