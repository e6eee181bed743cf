// Squared distances of a point to many others, in single precision: what proposes neighbours and near groups.
#pragma once

#include <cstddef>

namespace microagg {

constexpr std::size_t kGapLanes = 32;  // points side by side

// Points lie column by column, `stride` apart; count is a multiple of kGapLanes. gaps[j] = squared distance of x to
// point j, least[t] = the least gap of lane t: of the points t, t + kGapLanes, and so on. Each point adds its columns
// in order, whatever the vector width.
void gaps_to_all(const float* columns, std::size_t stride, std::size_t count, std::size_t n_columns, const float* x,
                 float* gaps, float* least);

}  // namespace microagg
