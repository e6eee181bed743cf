// Costs of exchanges, four sums side by side: the same order of additions on every machine.
//
//   look_at:          one pass over the columns of x, c_A and c_B
//   cheapest_member:  for each y one pass over its columns
#include "kernels/search/exchange_costs.h"

#include <algorithm>

#include "kernels/base/four.h"
#include "kernels/base/multiversion.h"

namespace microagg {
namespace {

template <class Real>
MICROAGG_INLINE Exchange<Real> look(const Real* x, const Real* own_centroid, const Real* centroid, std::size_t stride,
                                    Real share, Real* v) {
    Four<Real> own{}, gap{}, between{}, reach{};
    for (std::size_t c = 0; c < stride; c += 4) {
        const Four<Real> here = four_at(x + c), a = four_at(own_centroid + c), b = four_at(centroid + c);
        const Four<Real> g = a - b, to = here - b, from = here - a, along = g - share * to;
        put_four<Real>(v + c, along);
        between += g * g;
        reach += along * along;
        gap += to * to;
        own += from * from;
    }
    const Real far = total_of<Real>(gap), mine = total_of<Real>(own);
    return {mine, far, total_of<Real>(between) + (1 - share) * far - mine, total_of<Real>(reach)};
}

template <class Real>
MICROAGG_INLINE std::size_t cheapest(const Real* v, const Real* centroid, const Real* rows, std::size_t size,
                                     std::size_t stride, Real base, Real share, Real& limit) {
    std::size_t cheapest_so_far = size;
    for (std::size_t member = 0; member < size; ++member) {
        const Real* y = rows + member * stride;
        Four<Real> along{}, own{};
        for (std::size_t c = 0; c < stride; c += 4) {
            const Four<Real> to = four_at(y + c) - four_at(centroid + c);
            along += to * four_at(v + c);
            own += to * to;
        }
        const Real cost = base - share * total_of<Real>(own) - 2 * total_of<Real>(along);
        if (cost < limit) limit = cost, cheapest_so_far = member;
    }
    return cheapest_so_far;
}

template <class Real>
MICROAGG_INLINE Real centre(const Real* rows, std::size_t size, std::size_t stride, Real* centroid) {
    const Real share = 1 / static_cast<Real>(size);
    for (std::size_t c = 0; c < stride; ++c) centroid[c] = 0;
    for (std::size_t member = 0; member < size; ++member)
        for (std::size_t c = 0; c < stride; ++c) centroid[c] += rows[member * stride + c];
    for (std::size_t c = 0; c < stride; ++c) centroid[c] *= share;
    Real widest = 0;
    for (std::size_t member = 0; member < size; ++member) {
        Four<Real> own{};
        for (std::size_t c = 0; c < stride; c += 4) {
            const Four<Real> to = four_at(rows + member * stride + c) - four_at(centroid + c);
            own += to * to;
        }
        widest = std::max(widest, total_of<Real>(own));
    }
    return widest;
}

}  // namespace

MICROAGG_MULTIVERSION
Exchange<float> look_at(const float* x, const float* own_centroid, const float* centroid, std::size_t stride,
                        float share, float* v) {
    return look(x, own_centroid, centroid, stride, share, v);
}

MICROAGG_MULTIVERSION
Exchange<double> look_at(const double* x, const double* own_centroid, const double* centroid, std::size_t stride,
                         double share, double* v) {
    return look(x, own_centroid, centroid, stride, share, v);
}

MICROAGG_MULTIVERSION
std::size_t cheapest_member(const float* v, const float* centroid, const float* rows, std::size_t size,
                            std::size_t stride, float base, float share, float& limit) {
    return cheapest(v, centroid, rows, size, stride, base, share, limit);
}

MICROAGG_MULTIVERSION
std::size_t cheapest_member(const double* v, const double* centroid, const double* rows, std::size_t size,
                            std::size_t stride, double base, double share, double& limit) {
    return cheapest(v, centroid, rows, size, stride, base, share, limit);
}

MICROAGG_MULTIVERSION
float centre_of(const float* rows, std::size_t size, std::size_t stride, float* centroid) {
    return centre(rows, size, stride, centroid);
}

MICROAGG_MULTIVERSION
double centre_of(const double* rows, std::size_t size, std::size_t stride, double* centroid) {
    return centre(rows, size, stride, centroid);
}

}  // namespace microagg
