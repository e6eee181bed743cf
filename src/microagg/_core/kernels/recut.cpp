// Cutting s records in two. With their mean at the origin and S the sum of the a records of one side, the squared
// errors of the two sides are |S|^2 (1/a + 1/(s - a)) below those of all in one group: that is to be as large as it
// can.
//
//   few records:  every subset without the last record, one in or out at a time (Gray code), |S|^2 from the products
//   more:         from the direction of each of the outermost records:  the a farthest along it, for the best a,
//                 are one side; its sum S is the next direction, as long as the value rises
#include "kernels/recut.h"

#include <algorithm>
#include <numeric>

namespace microagg {
namespace {

constexpr std::size_t kExact = 10;  // records of which every cut is tried
constexpr std::size_t kStarts = 2;  // directions for more

double product(const double* a, const double* b, std::size_t stride) {
    Lanes sum;
    for (std::size_t c = 0; c < stride; c += 4)
        for (std::size_t t = 0; t < 4; ++t) sum.lane[t] += a[c + t] * b[c + t];
    return sum.total();
}

}  // namespace

double Recut::cut(const std::uint32_t* rows, std::size_t size) {
    centre(rows, size);
    best_side_.assign(size, false);
    return size <= kExact ? best_of_all(size) : best_along(size);
}

void Recut::centre(const std::uint32_t* rows, std::size_t size) {
    const std::size_t stride = block_.stride;
    direction_.assign(stride, 0.0);
    for (std::size_t t = 0; t < size; ++t)
        for (std::size_t c = 0; c < stride; ++c) direction_[c] += block_[rows[t]][c];
    for (double& value : direction_) value /= static_cast<double>(size);
    centred_.resize(size * stride);
    for (std::size_t t = 0; t < size; ++t)
        for (std::size_t c = 0; c < stride; ++c) centred_[t * stride + c] = block_[rows[t]][c] - direction_[c];
}

double Recut::best_of_all(std::size_t size) {
    const std::size_t stride = block_.stride;
    products_.resize(size * size);
    for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j <= i; ++j)
            products_[i * size + j] = products_[j * size + i] =
                product(&centred_[i * stride], &centred_[j * stride], stride);
    sums_.assign(size, 0.0);  // of the products of each record with those that are in
    std::size_t in = 0, subset = 0, best_subset = 0;
    double square = 0.0, best = -1.0;
    for (std::size_t step = 1; step < std::size_t{1} << (size - 1); ++step) {
        std::size_t flipped = 0;
        while (!(step >> flipped & 1)) ++flipped;
        subset ^= std::size_t{1} << flipped;
        const bool enters = subset >> flipped & 1;
        const double* row = &products_[flipped * size];
        if (enters) {
            square += 2.0 * sums_[flipped] + row[flipped];
            for (std::size_t t = 0; t < size; ++t) sums_[t] += row[t];
            ++in;
        } else {
            square -= 2.0 * sums_[flipped] - row[flipped];
            for (std::size_t t = 0; t < size; ++t) sums_[t] -= row[t];
            --in;
        }
        const std::size_t out = size - in;
        if (std::min(in, out) < least_ || std::max(in, out) >= 2 * least_) continue;
        const double value = square * (1.0 / static_cast<double>(in) + 1.0 / static_cast<double>(out));
        if (value > best) best = value, best_subset = subset;
    }
    for (std::size_t t = 0; t < size; ++t) best_side_[t] = best_subset >> t & 1;
    return best;
}

double Recut::best_along(std::size_t size) {
    const std::size_t stride = block_.stride;
    const std::size_t first = std::max(least_, size - std::min(size, 2 * least_ - 1));
    const std::size_t last = std::min(2 * least_ - 1, size - least_);
    order_.resize(size);
    along_.resize(size);
    double best = -1.0;
    std::iota(order_.begin(), order_.end(), 0U);
    for (std::size_t t = 0; t < size; ++t) along_[t] = product(&centred_[t * stride], &centred_[t * stride], stride);
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t i, std::uint32_t j) {
        return along_[i] > along_[j] || (along_[i] == along_[j] && i < j);
    });
    starts_.assign(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(std::min(kStarts, size)));
    for (const std::uint32_t start : starts_) {
        std::copy_n(&centred_[start * stride], stride, direction_.begin());
        double reached = -1.0;
        for (;;) {
            for (std::size_t t = 0; t < size; ++t)
                along_[t] = product(&centred_[t * stride], direction_.data(), stride);
            std::iota(order_.begin(), order_.end(), 0U);
            std::sort(order_.begin(), order_.end(), [&](std::uint32_t i, std::uint32_t j) {
                return along_[i] > along_[j] || (along_[i] == along_[j] && i < j);
            });
            sums_.assign(stride, 0.0);
            double value = -1.0;
            std::size_t cut_at = 0;
            for (std::size_t a = 1; a <= last; ++a) {
                const double* x = &centred_[order_[a - 1] * stride];
                for (std::size_t c = 0; c < stride; ++c) sums_[c] += x[c];
                if (a < first) continue;
                const double here = product(sums_.data(), sums_.data(), stride) *
                                    (1.0 / static_cast<double>(a) + 1.0 / static_cast<double>(size - a));
                if (here > value) value = here, cut_at = a, direction_.assign(sums_.begin(), sums_.end());
            }
            if (!(value > reached)) break;
            reached = value;
            if (value > best) {
                best = value;
                for (std::size_t t = 0; t < size; ++t) best_side_[order_[t]] = t < cut_at;
            }
        }
    }
    return best;
}

}  // namespace microagg
