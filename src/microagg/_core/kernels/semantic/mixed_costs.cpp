// Costs of exchanges, column by column.
//
//   numbers:   as exchange_costs.h has it: one pass over the columns of each y
//   equality:  A without x and B with x are counted once. With y, the mode of A occurs max(M, count of y + 1) times;
//              without y, that of B occurs M times, or M - 1 where y is of the only mode
//   line:      both are sorted once. With y, the median of A is y, or the nearest of the two between which it lies;
//              without y, that of B is one of the two in its middle
//   table:     distances of all candidates to A without x and to B with x are summed once; for each value among the y
//              the best candidate is that with the least sum, y counted
//
// A column in which all records of both groups agree costs nothing. What a column can gain at most is what both groups
// lose in it now, and in a column of equality that one record of each more is of the mode: where even that is not
// enough for any y, the columns that are left are not looked at.
#include "kernels/semantic/mixed_costs.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/base/multiversion.h"

namespace microagg {
namespace {

constexpr std::size_t kLanes = 4;
constexpr double kNever = 1e15;  // farther than any candidate lies from a group

MICROAGG_MULTIVERSION
void add_row(double* sums, const double* row, double count, std::size_t n) {
    for (std::size_t c = 0; c < n; ++c) sums[c] += count * row[c];
}

// The candidate with the least sum, some row added `count` times: the first on a tie. n is a multiple of kLanes.
MICROAGG_MULTIVERSION
std::size_t least_sum(const double* sums, const double* row, double count, std::size_t n) {
    double least[kLanes];
    for (double& each : least) each = kInfinity;
    for (std::size_t c = 0; c < n; c += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const double sum = sums[c + lane] + count * row[c + lane];
            least[lane] = sum < least[lane] ? sum : least[lane];
        }
    const double lowest = std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
    std::size_t best = 0;
    while (sums[best] + count * row[best] != lowest) ++best;
    return best;
}

}  // namespace

MixedColumns::MixedColumns(const Space& space, const std::vector<double>& scale, const bool* means) : space_(space) {
    for (const Measure measure : {Measure::kEquality, Measure::kLine, Measure::kTable}) {
        for (std::size_t j = 0; j < scale.size(); ++j) {
            const Column& column = space.columns[j];
            if (scale[j] <= 0.0 || column.measure != measure) continue;
            if (measure == Measure::kLine && means[j]) {
                numbers_.emplace_back(j, std::sqrt(scale[j]));
                continue;
            }
            Other other{j, measure, column.n_values, column.n_candidates, scale[j], {}, {}};
            if (measure == Measure::kEquality) {
                const auto gap = static_cast<double>(column.table[0]);
                other.unit = scale[j] * gap * gap;
            } else if (measure == Measure::kLine) {
                for (std::size_t v = 0; v < column.n_values; ++v)
                    other.places.push_back(std::sqrt(scale[j]) * static_cast<double>(column.table[v]));
            } else {
                // Whole numbers, whose sums are exact; after the last candidate come some that are never chosen.
                other.n_candidates = (column.n_candidates + kLanes - 1) / kLanes * kLanes;
                other.apart.assign(column.n_values * other.n_candidates, kNever);
                for (std::size_t c = 0; c < column.n_candidates; ++c)
                    for (std::size_t v = 0; v < column.n_values; ++v)
                        other.apart[v * other.n_candidates + c] =
                            static_cast<double>(column.table[c * column.n_values + v]);
            }
            others_.push_back(std::move(other));
        }
    }
}

void MixedColumns::row_of(std::size_t tuple, float* numbers, std::int32_t* codes) const {
    for (const auto& [j, unit] : numbers_) {
        const Column& column = space_.columns[j];
        *numbers++ = static_cast<float>(unit * static_cast<double>(column.table[column.codes[tuple]]));
    }
    for (const Other& other : others_) *codes++ = static_cast<std::int32_t>(space_.columns[other.column].codes[tuple]);
}

MixedCosts::MixedCosts(const MixedColumns& columns) : columns_(columns) {
    std::size_t n_values = 0;
    for (const Other& other : columns.others())
        if (other.measure == Measure::kEquality) n_values = std::max(n_values, other.n_values);
    count_.assign(n_values, 0);
}

void MixedCosts::measure(const float* numbers, const std::int32_t* codes, std::size_t size, float* centre,
                         float* losses) {
    const std::size_t m = columns_.n_numbers();
    double sum_of_all = 0.0;
    for (std::size_t j = 0; j < m; ++j) {
        double sum = 0.0, squares = 0.0;
        for (std::size_t i = 0; i < size; ++i) sum += static_cast<double>(numbers[i * m + j]);
        const double mean = sum / static_cast<double>(size);
        for (std::size_t i = 0; i < size; ++i) {
            const double gap = static_cast<double>(numbers[i * m + j]) - mean;
            squares += gap * gap;
        }
        centre[j] = static_cast<float>(mean);
        sum_of_all += squares;
    }
    losses[0] = static_cast<float>(sum_of_all);
    for (std::size_t j = 0; j < columns_.n_codes(); ++j) {
        home_.clear();
        for (std::size_t i = 0; i < size; ++i) home_.push_back(codes[i * columns_.n_codes() + j]);
        losses[1 + j] = static_cast<float>(loss(columns_.others()[j], home_));
    }
}

bool MixedCosts::gather(const MixedGroup& A, std::size_t x, const MixedGroup& B, std::size_t column) {
    const std::size_t m = columns_.n_codes();
    const std::int32_t own = A.codes[x * m + column];
    bool differ = false;
    home_.clear();
    away_.clear();
    for (std::size_t i = 0; i < A.size; ++i) {
        const std::int32_t code = A.codes[i * m + column];
        differ |= code != own;
        if (i != x) home_.push_back(code);
    }
    for (std::size_t i = 0; i < B.size; ++i) {
        const std::int32_t code = B.codes[i * m + column];
        differ |= code != own;
        away_.push_back(code);
    }
    away_.push_back(own);
    return differ;
}

double MixedCosts::loss(const Other& column, const std::vector<std::int32_t>& codes) {
    if (codes.empty()) return 0.0;
    switch (column.measure) {
        case Measure::kEquality:
            return equality(column, codes);
        case Measure::kLine:
            return line(column, codes);
        default:
            return table(column, codes);
    }
}

double MixedCosts::equality(const Other& column, const std::vector<std::int32_t>& codes) {
    std::int32_t most = 0;
    for (const std::int32_t code : codes) most = std::max(most, ++count_[static_cast<std::size_t>(code)]);
    for (const std::int32_t code : codes) count_[static_cast<std::size_t>(code)] = 0;
    return column.unit * static_cast<double>(codes.size() - static_cast<std::size_t>(most));
}

double MixedCosts::line(const Other& column, const std::vector<std::int32_t>& codes) {
    std::vector<double>& places = places_[0];
    places.clear();
    for (const std::int32_t code : codes) places.push_back(column.places[static_cast<std::size_t>(code)]);
    const std::size_t half = (places.size() - 1) / 2;
    std::nth_element(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(half), places.end());
    const double median = places[half];
    double sum = 0.0;
    for (const double place : places) sum += (place - median) * (place - median);
    return sum;
}

void MixedCosts::tally(const std::vector<std::int32_t>& codes, Tally& tally) {
    tally.clear();
    for (const std::int32_t code : codes) {
        auto seen = std::find_if(tally.begin(), tally.end(), [&](const auto& each) { return each.first == code; });
        if (seen == tally.end()) seen = tally.insert(seen, {code, 0.0});
        seen->second += 1.0;
    }
}

void MixedCosts::sum_up(const Other& column, const Tally& tally, std::vector<double>& sums) {
    sums.assign(column.n_candidates, 0.0);
    for (const auto& [code, count] : tally) add_row(sums.data(), column.row(code), count, column.n_candidates);
}

double MixedCosts::table(const Other& column, const std::vector<std::int32_t>& codes) {
    tally(codes, tallies_[0]);
    if (tallies_[0].size() == 1) {
        const double* row = column.row(codes[0]);
        const double gap = *std::min_element(row, row + column.n_candidates);
        return column.unit * static_cast<double>(codes.size()) * gap * gap;
    }
    sum_up(column, tallies_[0], sums_[0]);
    return column.unit *
           squares(column, tallies_[0], least_sum(sums_[0].data(), sums_[0].data(), 0.0, column.n_candidates));
}

double MixedCosts::squares(const Other& column, const Tally& tally, std::size_t candidate) {
    double sum = 0.0;
    for (const auto& [code, count] : tally) {
        const double gap = column.row(code)[candidate];
        sum += count * gap * gap;
    }
    return sum;
}

void MixedCosts::swap_equality(const Other& column, std::size_t n_partners, double before) {
    const auto at = [&](std::int32_t code) -> std::int32_t& { return count_[static_cast<std::size_t>(code)]; };
    const auto n_all = static_cast<double>(home_.size() + 1 + n_partners);
    std::int32_t home_most = 0, most = 0;
    for (const std::int32_t code : home_) home_most = std::max(home_most, ++at(code));
    known_.resize(n_partners);
    for (std::size_t y = 0; y < n_partners; ++y) known_[y] = std::max(home_most, at(away_[y]) + 1);
    for (const std::int32_t code : home_) at(code) = 0;
    std::size_t n_modes = 0;
    for (const std::int32_t code : away_) {
        const std::int32_t count = ++at(code);
        if (count > most) most = count, n_modes = 0;
        n_modes += count == most;
    }
    for (std::size_t y = 0; y < n_partners; ++y) {
        const bool only_mode = n_modes == 1 && at(away_[y]) == most;
        cost_[y] += column.unit * (n_all - known_[y] - static_cast<double>(most - only_mode)) - before;
    }
    for (const std::int32_t code : away_) at(code) = 0;
}

void MixedCosts::swap_line(const Other& column, std::size_t n_partners, double before) {
    double sums[2] = {}, squares[2] = {};
    for (std::size_t side = 0; side < 2; ++side) {
        places_[side].clear();
        for (const std::int32_t code : side == 0 ? home_ : away_) {
            const double place = column.places[static_cast<std::size_t>(code)];
            places_[side].push_back(place);
            sums[side] += place;
            squares[side] += place * place;
        }
        std::sort(places_[side].begin(), places_[side].end());
    }
    const std::vector<double>&home = places_[0], &away = places_[1];
    const std::size_t half = home.size() / 2, middle = (n_partners - 1) / 2;
    const double below = half > 0 ? home[half - 1] : -kInfinity, above = half < home.size() ? home[half] : kInfinity;
    const auto n_home = static_cast<double>(home.size() + 1), n_away = static_cast<double>(n_partners);
    for (std::size_t y = 0; y < n_partners; ++y) {
        const double place = column.places[static_cast<std::size_t>(away_[y])];
        const double own = std::min(std::max(place, below), above);
        const double other = place <= away[middle] ? away[middle + 1] : away[middle];
        const double at_home = squares[0] + place * place - 2.0 * own * (sums[0] + place) + n_home * own * own;
        const double apart = squares[1] - place * place - 2.0 * other * (sums[1] - place) + n_away * other * other;
        cost_[y] += std::max(0.0, at_home) + std::max(0.0, apart) - before;
    }
}

void MixedCosts::swap_table(const Other& column, std::size_t n_partners, double before, double too_much) {
    const std::size_t n = column.n_candidates;
    tally(home_, tallies_[0]);
    tally(away_, tallies_[1]);
    for (std::size_t side = 0; side < 2; ++side) sum_up(column, tallies_[side], sums_[side]);
    codes_seen_.clear();
    known_.clear();
    for (std::size_t y = 0; y < n_partners; ++y) {
        if (cost_[y] >= too_much) continue;
        const std::int32_t code = away_[y];
        std::size_t seen = 0;
        while (seen < codes_seen_.size() && codes_seen_[seen] != code) ++seen;
        if (seen == codes_seen_.size()) {
            const double* row = column.row(code);
            const std::size_t own = least_sum(sums_[0].data(), row, 1.0, n);
            const std::size_t other = least_sum(sums_[1].data(), row, -1.0, n);
            const double sum = squares(column, tallies_[0], own) + row[own] * row[own] +
                               squares(column, tallies_[1], other) - row[other] * row[other];
            codes_seen_.push_back(code);
            known_.push_back(column.unit * sum);
        }
        cost_[y] += known_[seen] - before;
    }
}

double MixedCosts::most_gain(const MixedGroup& A, const MixedGroup& B, std::size_t column) const {
    const auto one = static_cast<double>(A.losses[1 + column]), other = static_cast<double>(B.losses[1 + column]);
    const Other& kind = columns_.others()[column];
    if (kind.measure != Measure::kEquality) return one + other;
    return std::min(one, kind.unit) + std::min(other, kind.unit);
}

std::size_t MixedCosts::cheapest_member(const MixedGroup& A, std::size_t x, const MixedGroup& B, float& limit) {
    const std::size_t m = columns_.n_numbers(), n_codes = columns_.n_codes();
    double gain_left = 0.0;
    for (std::size_t j = 0; j < n_codes; ++j) gain_left += most_gain(A, B, j);
    cost_.assign(B.size, 0.0);
    const float share = 1.0F / static_cast<float>(A.size) + 1.0F / static_cast<float>(B.size);
    const float* own = A.numbers + x * m;
    float base = 0.0F;
    for (std::size_t j = 0; j < m; ++j) {
        const float gap = A.centre[j] - B.centre[j], from_b = own[j] - B.centre[j], from_a = own[j] - A.centre[j];
        base += gap * gap + (1.0F - share) * from_b * from_b - from_a * from_a;
    }
    double least = kInfinity;
    for (std::size_t y = 0; y < B.size; ++y) {
        const float* row = B.numbers + y * m;
        float cost = base;
        for (std::size_t j = 0; j < m; ++j) {
            const float along = A.centre[j] - B.centre[j] - share * (own[j] - B.centre[j]), gap = row[j] - B.centre[j];
            cost -= gap * (share * gap + 2.0F * along);
        }
        cost_[y] = static_cast<double>(cost);
        least = std::min(least, cost_[y]);
    }
    for (std::size_t j = 0; j < n_codes; ++j) {
        const double too_much = static_cast<double>(limit) + gain_left;
        if (least >= too_much) return B.size;
        const double before = static_cast<double>(A.losses[1 + j]) + static_cast<double>(B.losses[1 + j]);
        gain_left -= most_gain(A, B, j);
        if (!gather(A, x, B, j)) continue;
        const Other& column = columns_.others()[j];
        if (column.measure == Measure::kEquality)
            swap_equality(column, B.size, before);
        else if (column.measure == Measure::kLine)
            swap_line(column, B.size, before);
        else
            swap_table(column, B.size, before, too_much);
        // Those that were too much stay so, whether or not this column was counted.
        least = kInfinity;
        for (double& cost : cost_) {
            if (cost >= too_much) cost = kInfinity;
            least = std::min(least, cost);
        }
    }
    if (!(least < static_cast<double>(limit))) return B.size;
    limit = static_cast<float>(least);
    return static_cast<std::size_t>(std::min_element(cost_.begin(), cost_.end()) - cost_.begin());
}

double MixedCosts::move_cost(const MixedGroup& A, std::size_t x, const MixedGroup& B) {
    const std::size_t m = columns_.n_numbers();
    const float* own = A.numbers + x * m;
    const auto a = static_cast<double>(A.size), b = static_cast<double>(B.size);
    double leaves = 0.0, joins = 0.0;
    for (std::size_t j = 0; j < m; ++j) {
        const auto from_a = static_cast<double>(own[j] - A.centre[j]),
                   from_b = static_cast<double>(own[j] - B.centre[j]);
        leaves += from_a * from_a;
        joins += from_b * from_b;
    }
    double cost = b / (b + 1.0) * joins - (A.size > 1 ? a / (a - 1.0) * leaves : 0.0);
    for (std::size_t j = 0; j < columns_.n_codes(); ++j) {
        if (!gather(A, x, B, j)) continue;
        const Other& column = columns_.others()[j];
        cost += loss(column, home_) + loss(column, away_);
        cost -= static_cast<double>(A.losses[1 + j] + B.losses[1 + j]);
    }
    return cost;
}

std::tuple<double, std::size_t, double> exchange_costs(const MixedColumns& columns, const std::int64_t* home,
                                                       std::size_t n_home, const std::int64_t* other,
                                                       std::size_t n_other, std::size_t x) {
    const std::size_t m = columns.n_numbers(), n_codes = columns.n_codes();
    struct Laid {
        std::vector<float> numbers, centre, losses;
        std::vector<std::int32_t> codes;
    } laid[2];
    MixedCosts costs(columns);
    for (std::size_t side = 0; side < 2; ++side) {
        const std::int64_t* tuples = side == 0 ? home : other;
        const std::size_t size = side == 0 ? n_home : n_other;
        Laid& group = laid[side];
        group.numbers.resize(size * m);
        group.codes.resize(size * n_codes);
        group.centre.resize(m);
        group.losses.resize(n_codes + 1);
        for (std::size_t i = 0; i < size; ++i)
            columns.row_of(static_cast<std::size_t>(tuples[i]), group.numbers.data() + i * m,
                           group.codes.data() + i * n_codes);
        costs.measure(group.numbers.data(), group.codes.data(), size, group.centre.data(), group.losses.data());
    }
    const auto view = [](const Laid& group, std::size_t size) {
        return MixedGroup{group.numbers.data(), group.codes.data(), size, group.centre.data(), group.losses.data()};
    };
    const MixedGroup A = view(laid[0], n_home), B = view(laid[1], n_other);
    float cost = kFloatInfinity;
    const std::size_t partner = costs.cheapest_member(A, x, B, cost);
    return {static_cast<double>(cost), partner, costs.move_cost(A, x, B)};
}

}  // namespace microagg
