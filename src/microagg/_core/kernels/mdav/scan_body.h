// The loops of scan.h, once for each file that includes this after naming its kScan. Nothing from the standard library
// with code in it may be used here: the linker could keep a copy that only newer processors run.
#include "kernels/mdav/scan.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace microagg {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t kWide = 64;  // bytes in a register
#elif defined(__AVX2__)
constexpr std::size_t kWide = 32;
#else
constexpr std::size_t kWide = 16;
#endif
typedef float Floats __attribute__((vector_size(kWide)));
typedef double Doubles __attribute__((vector_size(kWide)));
typedef float HalfFloats __attribute__((vector_size(kWide / 2)));

constexpr std::size_t kFloats = kWide / sizeof(float), kDoubles = kWide / sizeof(double);
constexpr std::size_t kVectors = kLanes / kFloats;            // in a row of a block
constexpr std::size_t kAtOnce = kVectors < 8 ? kVectors : 8;  // sums that fit into registers
static_assert(kVectors % kAtOnce == 0 && kQueries % kDoubles == 0, "the loops below leave no remainder");

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
    const __m256 v = (__m256)values;
    const __m256 hit = _mm256_or_ps(_mm256_cmp_ps(v, _mm256_set1_ps(near), _CMP_LT_OQ),
                                    _mm256_cmp_ps(v, _mm256_set1_ps(far), _CMP_GT_OQ));
    return static_cast<std::uint64_t>(_mm256_movemask_ps(hit));
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
    std::uint64_t hits = 0;
    for (std::size_t first = 0; first < kVectors; first += kAtOnce) {
        Floats sums[kAtOnce];
        for (std::size_t i = 0; i < kAtOnce; ++i) load(sums[i], block + (first + i) * kFloats);
        for (std::size_t j = 0; j < m; ++j) {
            const float* column = block + (j + 1) * kLanes + first * kFloats;
            const float weight = local[j * kQueries];
            for (std::size_t i = 0; i < kAtOnce; ++i) {
                Floats x;
                load(x, column + i * kFloats);
                sums[i] += x * weight;
            }
        }
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < kAtOnce; ++i) bits |= outside(sums[i], near, far) << (i * kFloats);
        if (bits == 0) continue;
        hits |= bits << (first * kFloats);
        for (std::size_t i = 0; i < kAtOnce; ++i) store(values + (first + i) * kFloats, sums[i]);
    }
    return hits;
}

}  // namespace
}  // namespace microagg
