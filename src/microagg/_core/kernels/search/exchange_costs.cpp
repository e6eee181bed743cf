// Costs of exchanges, four sums side by side: the same order of additions on every machine.
//
//   look_at:          one pass over the columns of x, c_A and c_B
//   cheapest_member:  for each y one pass over its columns
#include "kernels/search/exchange_costs.h"

#include "kernels/base/multiversion.h"

namespace microagg {
namespace {

template <class Real>
struct Sum {
    Real lane[4] = {0, 0, 0, 0};
    Real total() const { return (lane[0] + lane[1]) + (lane[2] + lane[3]); }
};

template <class Real>
MICROAGG_INLINE Exchange<Real> look(const Real* x, const Real* own_centroid, const Real* centroid, std::size_t stride,
                                    Real share, Real* v) {
    Sum<Real> own, gap, between, reach;
    for (std::size_t c = 0; c < stride; c += 4)
        for (std::size_t t = 0; t < 4; ++t) {
            const Real g = own_centroid[c + t] - centroid[c + t], to = x[c + t] - centroid[c + t];
            const Real from = x[c + t] - own_centroid[c + t], along = g - share * to;
            v[c + t] = along;
            between.lane[t] += g * g;
            reach.lane[t] += along * along;
            gap.lane[t] += to * to;
            own.lane[t] += from * from;
        }
    const Real far = gap.total(), mine = own.total();
    return {mine, far, between.total() + (1 - share) * far - mine, reach.total()};
}

template <class Real>
MICROAGG_INLINE std::size_t cheapest(const Real* v, const Real* centroid, const Real* rows, std::size_t size,
                                     std::size_t stride, Real base, Real share, Real& limit) {
    std::size_t cheapest_so_far = size;
    for (std::size_t member = 0; member < size; ++member) {
        const Real* y = rows + member * stride;
        Sum<Real> along, own;
        for (std::size_t c = 0; c < stride; c += 4)
            for (std::size_t t = 0; t < 4; ++t) {
                const Real to = y[c + t] - centroid[c + t];
                along.lane[t] += to * v[c + t];
                own.lane[t] += to * to;
            }
        const Real cost = base - share * own.total() - 2 * along.total();
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
        Sum<Real> own;
        for (std::size_t c = 0; c < stride; c += 4)
            for (std::size_t t = 0; t < 4; ++t) {
                const Real to = rows[member * stride + c + t] - centroid[c + t];
                own.lane[t] += to * to;
            }
        widest = own.total() > widest ? own.total() : widest;
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
