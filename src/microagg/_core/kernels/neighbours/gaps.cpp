// Squared distances in single precision, kGapLanes points side by side.
//
//   for each run of kGapLanes points:  sum[t] = 0;  for each column:  sum[t] += (point t - x)^2, for all t at once
//                                      gaps = sum;  least[t] = the lesser of least[t] and sum[t]
#include "kernels/neighbours/gaps.h"

#include "kernels/base/constants.h"
#include "kernels/base/multiversion.h"

namespace microagg {

MICROAGG_MULTIVERSION
void gaps_to_all(const float* columns, std::size_t stride, std::size_t count, std::size_t n_columns, const float* x,
                 float* gaps, float* least) {
    for (std::size_t t = 0; t < kGapLanes; ++t) least[t] = kFloatInfinity;
    for (std::size_t start = 0; start < count; start += kGapLanes) {
        float sum[kGapLanes] = {};
        for (std::size_t c = 0; c < n_columns; ++c) {
            const float* column = columns + c * stride + start;
            const float here = x[c];
            for (std::size_t t = 0; t < kGapLanes; ++t) sum[t] += (column[t] - here) * (column[t] - here);
        }
        for (std::size_t t = 0; t < kGapLanes; ++t) gaps[start + t] = sum[t];
        for (std::size_t t = 0; t < kGapLanes; ++t) least[t] = sum[t] < least[t] ? sum[t] : least[t];
    }
}

}  // namespace microagg
