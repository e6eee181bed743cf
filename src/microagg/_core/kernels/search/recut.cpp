// Cutting s records into parts. With their mean at the origin and S the sum of the a records of one part, the squared
// errors of the parts are the sum of |S|^2 / a below those of all in one group: that is to be as large as it can.
//
//   few records:   |S|^2 of every subset without the last record, from the products of pairs; that of a subset with it
//                  is that of the others, since all sums add up to zero; the best of all ways to cut
//   more, in two:  from the direction of each of the outermost records:  the a farthest along it, for the best a,
//                  are one side; its sum S is the next direction, as long as the value rises
//   in three:      cut one off, cut the others in two; then cut two of the three anew, as long as that helps
#include "kernels/search/recut.h"

#include <algorithm>
#include <numeric>

#include "kernels/base/multiversion.h"

namespace microagg {
namespace {

constexpr std::size_t kStarts = 2;   // directions from which to cut in two
constexpr std::size_t kRepairs = 3;  // rounds over the three pairs of three parts

double product(const double* a, const double* b, std::size_t stride) {
    Lanes sum;
    for (std::size_t c = 0; c < stride; c += 4)
        for (std::size_t t = 0; t < 4; ++t) sum.lane[t] += a[c + t] * b[c + t];
    return sum.total();
}

std::uint8_t count_bits(std::size_t subset) {
    std::uint8_t count = 0;
    for (; subset != 0; subset &= subset - 1) ++count;
    return count;
}

// squares[S] = |sum of the records of S|^2, for all subsets of the first n records: record after record doubles them.
MICROAGG_MULTIVERSION
void square_all(const double* values, std::size_t stride, std::size_t n, double* squares, double* across) {
    squares[0] = across[0] = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
        const double* x = values + j * stride;
        for (std::size_t i = 0; i < j; ++i) {  // across[S] = twice the product of x with the sum of S
            const double twice = 2.0 * product(values + i * stride, x, stride);
            const std::size_t half = std::size_t{1} << i;
            for (std::size_t s = 0; s < half; ++s) across[half + s] = across[s] + twice;
        }
        const double own = product(x, x, stride);
        const std::size_t half = std::size_t{1} << j;
        for (std::size_t s = 0; s < half; ++s) squares[half + s] = squares[s] + across[s] + own;
    }
}

}  // namespace

double Recut::cut(const std::uint32_t* rows, std::size_t size, std::size_t parts) {
    part_.assign(size, 0);
    if (size <= kExact) {
        centre(rows, size);
        return best_of_all(size, parts);
    }
    return parts == 2 ? good_in_two(rows, size) : good_in_three(rows, size);
}

MICROAGG_MULTIVERSION
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

const std::vector<Recut::Way>& Recut::ways(std::size_t size, std::size_t parts) {
    const auto [found, is_new] = ways_.try_emplace({size, parts});
    std::vector<Way>& all = found->second;
    if (!is_new) return all;
    for (std::size_t both = 1; both < std::size_t{1} << (size - 1); ++both) {
        const std::uint8_t in = count_bits(both);
        if (!fits(size - in)) continue;
        if (parts == 2) {
            if (fits(in)) all.push_back({static_cast<std::uint16_t>(both), 0, in, 0});
            continue;
        }
        // Every subset of `both` without its lowest record, which is in the other one.
        const std::size_t choice = both & (both - 1);
        for (std::size_t one = choice; one != 0; one = (one - 1) & choice) {
            const std::uint8_t mine = count_bits(one), others = static_cast<std::uint8_t>(in - mine);
            if (fits(mine) && fits(others))
                all.push_back({static_cast<std::uint16_t>(one), static_cast<std::uint16_t>(both ^ one), mine, others});
        }
    }
    return all;
}

double Recut::best_of_all(std::size_t size, std::size_t parts) {
    squares_.resize(std::size_t{1} << (size - 1));
    across_.resize(squares_.size());
    square_all(centred_.data(), block_.stride, size - 1, squares_.data(), across_.data());
    double inverse[kExact + 1] = {};
    for (std::size_t a = 1; a <= size; ++a) inverse[a] = 1.0 / static_cast<double>(a);
    Way best_way{};
    double best = -1.0;
    for (const Way& way : ways(size, parts)) {
        const double value = squares_[way.one] * inverse[way.one_size] + squares_[way.other] * inverse[way.other_size] +
                             squares_[way.one | way.other] * inverse[size - way.one_size - way.other_size];
        if (value > best) best = value, best_way = way;
    }
    for (std::size_t t = 0; t < size; ++t) part_[t] = (best_way.one >> t & 1) + 2 * (best_way.other >> t & 1);
    return best;
}

// Cuts records in two: one group where side_ says so, what is to be `rest` groups elsewhere. Gives the value of that.
double Recut::halve(const std::uint32_t* rows, std::size_t size, std::size_t rest) {
    const std::size_t stride = block_.stride;
    const std::size_t most = 2 * least_ - 1;
    const std::size_t first = std::max(least_, size - std::min(size, rest * most));
    const std::size_t last = std::min(most, size - rest * least_);
    centre(rows, size);
    side_.assign(size, false);
    order_.resize(size);
    along_.resize(size);
    double best = -1.0;
    const auto sort_by_along = [&] {
        std::iota(order_.begin(), order_.end(), 0U);
        std::sort(order_.begin(), order_.end(), [&](std::uint32_t i, std::uint32_t j) {
            return along_[i] > along_[j] || (along_[i] == along_[j] && i < j);
        });
    };
    for (std::size_t t = 0; t < size; ++t) along_[t] = product(&centred_[t * stride], &centred_[t * stride], stride);
    sort_by_along();
    starts_.assign(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(std::min(kStarts, size)));
    for (const std::uint32_t start : starts_) {
        std::copy_n(&centred_[start * stride], stride, direction_.begin());
        double reached = -1.0;
        for (;;) {
            for (std::size_t t = 0; t < size; ++t)
                along_[t] = product(&centred_[t * stride], direction_.data(), stride);
            sort_by_along();
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
                for (std::size_t t = 0; t < size; ++t) side_[order_[t]] = t < cut_at;
            }
        }
    }
    return best;
}

double Recut::good_in_two(const std::uint32_t* rows, std::size_t size) {
    const double value = halve(rows, size, 1);
    for (std::size_t t = 0; t < size; ++t) part_[t] = side_[t];
    return value;
}

double Recut::good_in_three(const std::uint32_t* rows, std::size_t size) {
    double value = halve(rows, size, 2);
    for (std::size_t t = 0; t < size; ++t) part_[t] = side_[t] ? 2 : 0;
    value += cut_again(rows, size, 0, 1);
    double gain = value;
    for (std::size_t round = 0; round < kRepairs && gain > 0.0; ++round) {
        gain = cut_again(rows, size, 0, 2) + cut_again(rows, size, 1, 2) + cut_again(rows, size, 0, 1);
        value += gain;
    }
    return value;
}

// Cuts two of the parts anew if that is worth more, and gives how much more. Where all is in the first of them yet, it
// is cut in any case: equal records are worth nothing, however they are cut.
double Recut::cut_again(const std::uint32_t* rows, std::size_t size, std::uint32_t a, std::uint32_t b) {
    chosen_.clear(), places_.clear();
    for (std::size_t t = 0; t < size; ++t)
        if (part_[t] == a || part_[t] == b)
            chosen_.push_back(rows[t]), places_.push_back(static_cast<std::uint32_t>(t));
    const double worth = halve(chosen_.data(), chosen_.size(), 1);
    std::size_t in = 0;
    sums_.assign(block_.stride, 0.0);
    for (std::size_t t = 0; t < places_.size(); ++t) {
        if (part_[places_[t]] != a) continue;
        for (std::size_t c = 0; c < block_.stride; ++c) sums_[c] += centred_[t * block_.stride + c];
        ++in;
    }
    const std::size_t out = places_.size() - in;
    const double now = out == 0 ? 0.0
                                : product(sums_.data(), sums_.data(), block_.stride) *
                                      (1.0 / static_cast<double>(in) + 1.0 / static_cast<double>(out));
    if (out > 0 && !(worth > now)) return 0.0;
    for (std::size_t t = 0; t < places_.size(); ++t) part_[places_[t]] = side_[t] ? a : b;
    return worth - now;
}

}  // namespace microagg
