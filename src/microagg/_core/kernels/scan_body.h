// The loops of scan.h, once for each file that includes this after naming its kScan. Nothing from the standard library
// with code in it may be used here: the linker could keep a copy that only newer processors run.
#include "kernels/scan.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace microagg {
namespace {

constexpr std::size_t kWide = 64;  // bytes; compilers split this where registers are narrower
typedef float Floats __attribute__((vector_size(kWide)));
typedef double Doubles __attribute__((vector_size(kWide)));
typedef float HalfFloats __attribute__((vector_size(kWide / 2)));

constexpr std::size_t kFloats = kWide / sizeof(float), kDoubles = kWide / sizeof(double);
static_assert(kLanes == 4 * kFloats && kQueries == 2 * kDoubles, "the loops below are written for these");

template <class Vector, class Scalar>
inline void load(Vector& into, const Scalar* from) {
    __builtin_memcpy(&into, from, sizeof(Vector));
}

template <class Vector, class Scalar>
inline void store(Scalar* into, const Vector& from) {
    __builtin_memcpy(into, &from, sizeof(Vector));
}

// One bit for each lane that is below `near` or above `far`.
inline std::uint64_t outside(const Floats& values, float near, float far) {
#if defined(__AVX512F__)
    const __m512 v = (__m512)values;
    return static_cast<std::uint64_t>(_mm512_cmp_ps_mask(v, _mm512_set1_ps(near), _CMP_LT_OQ)) |
           static_cast<std::uint64_t>(_mm512_cmp_ps_mask(v, _mm512_set1_ps(far), _CMP_GT_OQ));
#elif defined(__AVX2__)
    std::uint64_t bits = 0;
    for (int half = 0; half < 2; ++half) {
        __m256 v;
        __builtin_memcpy(&v, reinterpret_cast<const char*>(&values) + half * 32, sizeof v);
        const __m256 hit = _mm256_or_ps(_mm256_cmp_ps(v, _mm256_set1_ps(near), _CMP_LT_OQ),
                                        _mm256_cmp_ps(v, _mm256_set1_ps(far), _CMP_GT_OQ));
        bits |= static_cast<std::uint64_t>(_mm256_movemask_ps(hit)) << (8 * half);
    }
    return bits;
#else
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < kFloats; ++i)
        bits |= static_cast<std::uint64_t>((values[i] < near) | (values[i] > far)) << i;
    return bits;
#endif
}

void bounds(const double* lower, const double* upper, const double* points, std::size_t m, double* least,
            double* greatest) {
    for (std::size_t half = 0; half < kQueries; half += kDoubles) {
        Doubles near = {}, far = {};
        const Doubles zero = {};
        for (std::size_t j = 0; j < m; ++j) {
            Doubles point;
            load(point, points + j * kQueries + half);
            const Doubles below = lower[j] - point, above = point - upper[j];
            const Doubles outside = below > above ? below : above;
            const Doubles gap = outside > zero ? outside : zero;
            const Doubles reach = below < above ? below : above;
            near += gap * gap;
            far += reach * reach;
        }
        store(least + half, near);
        store(greatest + half, far);
    }
}

void localise(const double* centre, double scale, const double* points, std::size_t m, float* local, double* norms) {
    for (std::size_t half = 0; half < kQueries; half += kDoubles) {
        Doubles norm = {};
        for (std::size_t j = 0; j < m; ++j) {
            Doubles point;
            load(point, points + j * kQueries + half);
            const HalfFloats seen = __builtin_convertvector((point - centre[j]) * scale, HalfFloats);
            const Doubles rounded = __builtin_convertvector(seen, Doubles);
            norm += rounded * rounded;
            store(local + j * kQueries + half, -2.0f * seen);
        }
        store(norms + half, norm);
    }
}

std::uint64_t scan(const float* block, const float* local, std::size_t m, float near, float far, float* values) {
    Floats a, b, c, d;
    load(a, block);
    load(b, block + kFloats);
    load(c, block + 2 * kFloats);
    load(d, block + 3 * kFloats);
    for (std::size_t j = 0; j < m; ++j) {
        const float* column = block + (j + 1) * kLanes;
        const float weight = local[j * kQueries];
        Floats x, y, z, w;
        load(x, column);
        load(y, column + kFloats);
        load(z, column + 2 * kFloats);
        load(w, column + 3 * kFloats);
        a += x * weight;
        b += y * weight;
        c += z * weight;
        d += w * weight;
    }
    const std::uint64_t hits = outside(a, near, far) | outside(b, near, far) << kFloats |
                               outside(c, near, far) << 2 * kFloats | outside(d, near, far) << 3 * kFloats;
    if (hits == 0) return 0;
    store(values, a);
    store(values + kFloats, b);
    store(values + 2 * kFloats, c);
    store(values + 3 * kFloats, d);
    return hits;
}

}  // namespace
}  // namespace microagg
