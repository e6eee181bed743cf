// Lists of the nearest points. Whole lanes of points are passed over where none of them is near enough.
#include "kernels/neighbours/near_list.h"

#include "kernels/base/constants.h"
#include "kernels/base/multiversion.h"
#include "kernels/neighbours/gaps.h"

namespace microagg {
namespace {

// Whether any of kGapLanes gaps is.
MICROAGG_MULTIVERSION
bool is_any_below(const float* gaps, float limit) {
    std::int32_t below = 0;
    for (std::size_t t = 0; t < kGapLanes; ++t) below |= gaps[t] < limit ? 1 : 0;
    return below != 0;
}

}  // namespace

NearTile::NearTile(const Points& points, const std::uint32_t* numbers, std::size_t count)
    : numbers_(numbers),
      count_(count),
      m_(points.m),
      n_padded_((count + kGapLanes - 1) / kGapLanes * kGapLanes),
      columns_(n_padded_ * m_, kFloatInfinity),
      gaps_(n_padded_),
      least_(kGapLanes) {
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t c = 0; c < m_; ++c) columns_[c * n_padded_ + i] = points[numbers[i]][c];
}

std::size_t NearTile::offer_to(const float* x, std::uint32_t self, const NearList& list) {
    gaps_to_all(columns_.data(), n_padded_, n_padded_, m_, x, gaps_.data(), least_.data());
    std::size_t n_new = 0;
    for (std::size_t start = 0; start < count_; start += kGapLanes) {
        if (!is_any_below(&gaps_[start], list.gaps[list.most - 1])) continue;
        for (std::size_t j = start; j < std::min(count_, start + kGapLanes); ++j)
            if (list.is_near(gaps_[j]) && numbers_[j] != self && list.offer(numbers_[j], gaps_[j])) ++n_new;
    }
    return n_new;
}

}  // namespace microagg
