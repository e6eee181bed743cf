// What it costs that a record of one group goes to another, or changes places with one of its records.
//
// A swap of x in A and y in B changes the sum of squared errors by
//   |y - c_A|^2 - |y - c_B|^2 - |x - c_A|^2 + |x - c_B|^2 - s |x - y|^2,   s = 1/|A| + 1/|B|.
// With g = c_A - c_B and v = g - s (x - c_B) that is
//   |g|^2 + (1 - s) |x - c_B|^2 - |x - c_A|^2  -  s |y - c_B|^2  -  2 v . (y - c_B):
// the first part is the same for all y, so each of them costs one pass over its columns. No y of B can be cheaper than
// its widest one straight along v.
#pragma once

#include <cstddef>

namespace microagg {

// Rows are padded with zeros to a multiple of four columns, which is what `stride` counts.
template <class Real>
struct Exchange {
    Real own;    // |x - c_A|^2
    Real gap;    // |x - c_B|^2
    Real base;   // of a swap: the part that is the same for all y
    Real reach;  // |v|^2
};

// Looks at x and two centroids, and writes v.
Exchange<float> look_at(const float* x, const float* own_centroid, const float* centroid, std::size_t stride,
                        float share, float* v);
Exchange<double> look_at(const double* x, const double* own_centroid, const double* centroid, std::size_t stride,
                         double share, double* v);

// The member (of `size`) with which a swap costs least, if that is below `limit`, which it then becomes; else `size`.
// Ties go to the first.
std::size_t cheapest_member(const float* v, const float* centroid, const float* rows, std::size_t size,
                            std::size_t stride, float base, float share, float& limit);
std::size_t cheapest_member(const double* v, const double* centroid, const double* rows, std::size_t size,
                            std::size_t stride, double base, double share, double& limit);

// The centroid of some rows, and the squared distance of the farthest of them.
float centre_of(const float* rows, std::size_t size, std::size_t stride, float* centroid);
double centre_of(const double* rows, std::size_t size, std::size_t stride, double* centroid);

}  // namespace microagg
