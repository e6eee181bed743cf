// Boxes around records: what every tree over them is built of.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/base/constants.h"
#include "kernels/base/records.h"

namespace microagg {

// The least and the greatest value of each column among some rows.
template <class Row>
void enclose(Records X, const Row* begin, const Row* end, double* lower, double* upper) {
    std::fill_n(lower, X.m, kInfinity);
    std::fill_n(upper, X.m, -kInfinity);
    for (const Row* row = begin; row != end; ++row) {
        const double* x = X[*row];
        for (std::size_t j = 0; j < X.m; ++j) {
            lower[j] = std::min(lower[j], x[j]);
            upper[j] = std::max(upper[j], x[j]);
        }
    }
}

// The first of the widest columns.
inline std::size_t widest_column(const double* lower, const double* upper, std::size_t m) {
    std::size_t widest = 0;
    for (std::size_t j = 1; j < m; ++j)
        if (upper[j] - lower[j] > upper[widest] - lower[widest]) widest = j;
    return widest;
}

}  // namespace microagg
