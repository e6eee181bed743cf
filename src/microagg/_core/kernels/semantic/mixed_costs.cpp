// Costs of exchanges, column by column, of all partners y of x at once.
//
//   means:     as exchange_costs.h has it
//   medians:   as if they were means, and what it costs more that the common value is the median m:  n (mean - m)^2.
//              With y, the median of A is y, or the nearest of the two between which it lies; without y, that of B is
//              one of the two in its middle. Groups know their members in order
//   equality:  groups know how often their modes and the code of each member occur. With y, the mode of A occurs
//              max(M, count of y + 1) times, M without x; without y, that of B occurs M times, or M - 1 where y is of
//              the only mode, M with x
//   table:     distances of all candidates to A without x and to B with x are summed once. One record more or less
//              changes such a sum by no more than the greatest distance: that leaves few candidates, and for each value
//              among the y the best of them is that with the least sum, y counted
//
// What a column can gain at most is known before it is looked at: of medians, what both groups lose since these are not
// means; of equality, one record of A where x is not of its only mode, and one of B where x is of a mode; of a table,
// all that both lose in it. Where even that is not enough for any y, the columns that are left are not looked at.
#include "kernels/semantic/mixed_costs.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/base/multiversion.h"

namespace microagg {
namespace {

constexpr std::size_t kLanes = 8;
constexpr double kNever = 1e15;  // farther than any candidate lies from a group

constexpr std::size_t padded(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

MICROAGG_MULTIVERSION
void add_row(double* sums, const double* row, double count, std::size_t n) {
    for (std::size_t c = 0; c < n; ++c) sums[c] += count * row[c];
}

MICROAGG_MULTIVERSION
double least_of(const double* numbers, std::size_t n) {
    double least[kLanes];
    std::copy_n(numbers, kLanes, least);
    for (std::size_t c = kLanes; c < n; c += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            least[lane] = numbers[c + lane] < least[lane] ? numbers[c + lane] : least[lane];
    return *std::min_element(least, least + kLanes);
}

// What swaps cost in one column of means, all but what is the same for all y.
MICROAGG_MULTIVERSION
void add_means(float* cost, const float* column, float centre, float share, float along, std::size_t n) {
    for (std::size_t y = 0; y < n; ++y) {
        const float gap = column[y] - centre;
        cost[y] -= gap * (share * gap + 2.0F * along);
    }
}

struct Middle {
    float below, above, own, other;  // A without x: the median lies between; B with x: the two in the middle
    float own_mean, other_mean;      // of A without x and with y = 0, of B with x and without y = 0
    float own_share, other_share;    // 1 / size
    float n_own, n_other, before;    // sizes, and what is lost now
};

MICROAGG_MULTIVERSION
void add_medians(float* cost, const float* column, const Middle& at, std::size_t n) {
    for (std::size_t y = 0; y < n; ++y) {
        const float place = column[y];
        const float at_least = place > at.below ? place : at.below;
        const float own = at_least < at.above ? at_least : at.above;
        const float other = place <= at.own ? at.other : at.own;
        const float own_gap = at.own_mean + place * at.own_share - own;
        const float other_gap = at.other_mean - place * at.other_share - other;
        cost[y] += at.n_own * own_gap * own_gap + at.n_other * other_gap * other_gap - at.before;
    }
}

struct Modes {
    std::int32_t own, home_most, home_now, away_most, away_now, only;  // only: how often a mode that is the only one
    float unit;
};

// often: how often the code of y occurs in A; often_away: in B.
MICROAGG_MULTIVERSION
void add_modes(float* cost, const std::int32_t* codes, const std::int32_t* often, const std::int32_t* often_away,
               const Modes& at, std::size_t n) {
    for (std::size_t y = 0; y < n; ++y) {
        const std::int32_t with = often[y] + 1 > at.home_most ? often[y] + 1 : at.home_most;
        const std::int32_t without = at.away_most - (often_away[y] == at.only ? 1 : 0);
        const std::int32_t more = at.home_now - with + at.away_now - without;
        cost[y] += codes[y] == at.own ? 0.0F : at.unit * static_cast<float>(more);
    }
}

MICROAGG_MULTIVERSION
std::int32_t count_of(const std::int32_t* codes, std::int32_t code, std::size_t size) {
    std::int32_t count = 0;
    for (std::size_t i = 0; i < size; ++i) count += codes[i] == code ? 1 : 0;
    return count;
}

double squares(const MixedColumns::Table& table, const Tally& tally, std::size_t candidate) {
    double sum = 0.0;
    for (const auto& [code, count] : tally) {
        const double gap = table.row(code)[candidate];
        sum += count * gap * gap;
    }
    return sum;
}

}  // namespace

double sum_up(const MixedColumns::Table& table, const Tally& tally, std::vector<double>& sums) {
    sums.assign(table.n_candidates, 0.0);
    for (const auto& [code, count] : tally) add_row(sums.data(), table.row(code), count, table.n_candidates);
    return least_of(sums.data(), table.n_candidates);
}

double table_loss(const MixedColumns::Table& table, const Tally& tally, std::vector<double>& sums) {
    const double least = sum_up(table, tally, sums);
    const auto centre = static_cast<std::size_t>(std::find(sums.begin(), sums.end(), least) - sums.begin());
    return table.unit * squares(table, tally, centre);
}

MixedColumns::MixedColumns(const Space& space, const std::vector<double>& scale, const bool* means) : space_(space) {
    for (const bool mean : {true, false}) {
        for (std::size_t j = 0; j < scale.size(); ++j)
            if (scale[j] > 0.0 && space.columns[j].measure == Measure::kLine && means[j] == mean)
                numbers_.push_back({j, std::sqrt(scale[j])});
        if (mean) n_means_ = numbers_.size();
    }
    for (std::size_t j = 0; j < scale.size(); ++j) {
        const Column& column = space.columns[j];
        if (scale[j] <= 0.0) continue;
        if (column.measure == Measure::kEquality) {
            const auto gap = static_cast<double>(column.table[0]);
            equalities_.push_back({j, column.n_values, scale[j] * gap * gap});
        } else if (column.measure == Measure::kTable) {
            // Whole numbers, whose sums are exact; after the last candidate come some that are never chosen.
            Table table{j, padded(column.n_candidates), scale[j], 0.0, {}};
            table.apart.assign(column.n_values * table.n_candidates, kNever);
            for (std::size_t c = 0; c < column.n_candidates; ++c)
                for (std::size_t v = 0; v < column.n_values; ++v) {
                    const auto gap = static_cast<double>(column.table[c * column.n_values + v]);
                    table.apart[v * table.n_candidates + c] = gap;
                    table.widest = std::max(table.widest, gap);
                }
            tables_.push_back(std::move(table));
        }
    }
}

MixedGroups::MixedGroups(const MixedColumns& columns, std::size_t n_groups, std::size_t most)
    : columns_(columns), room_(padded(most)), sizes_(n_groups, 0) {
    const std::size_t n_numbers = columns.numbers().size(), n_equalities = columns.equalities().size();
    sorted_at_ = room_ * n_numbers;
    centre_at_ = sorted_at_ + room_ * columns.n_medians();
    off_mean_at_ = centre_at_ + n_numbers;
    losses_at_ = off_mean_at_ + columns.n_medians();
    n_floats_ = padded(losses_at_ + 1 + columns.tables().size());
    often_at_ = room_ * columns.n_codes();
    modes_at_ = often_at_ + room_ * columns.n_codes();
    n_integers_ = padded(modes_at_ + 2 * n_equalities);
    floats_.assign(n_groups * n_floats_, 0.0F);
    integers_.assign(n_groups * n_integers_, 0);
}

MixedGroup MixedGroups::operator[](std::size_t group) const {
    const float* floats = floats_.data() + group * n_floats_;
    const std::int32_t* integers = integers_.data() + group * n_integers_;
    return {sizes_[group],         floats,   floats + centre_at_,  floats + sorted_at_,
            floats + off_mean_at_, integers, integers + often_at_, integers + modes_at_,
            floats + losses_at_};
}

void MixedGroups::add(std::size_t group, std::size_t tuple) {
    const std::size_t at = sizes_[group]++;
    for (std::size_t j = 0; j < columns_.numbers().size(); ++j)
        floats_of(group)[j * room_ + at] = static_cast<float>(columns_.number(j, tuple));
    for (std::size_t j = 0; j < columns_.n_codes(); ++j) integers_of(group)[j * room_ + at] = columns_.code(j, tuple);
}

void MixedGroups::copy(std::size_t from, std::size_t x, std::size_t to, std::size_t y) {
    for (std::size_t j = 0; j < columns_.numbers().size(); ++j)
        floats_of(to)[j * room_ + y] = floats_of(from)[j * room_ + x];
    for (std::size_t j = 0; j < columns_.n_codes(); ++j)
        integers_of(to)[j * room_ + y] = integers_of(from)[j * room_ + x];
}

void MixedGroups::move(std::size_t from, std::size_t x, std::size_t to) {
    copy(from, x, to, sizes_[to]++);
    copy(from, --sizes_[from], from, x);
}

void MixedGroups::swap(std::size_t one, std::size_t x, std::size_t other, std::size_t y) {
    for (std::size_t j = 0; j < columns_.numbers().size(); ++j)
        std::swap(floats_of(one)[j * room_ + x], floats_of(other)[j * room_ + y]);
    for (std::size_t j = 0; j < columns_.n_codes(); ++j)
        std::swap(integers_of(one)[j * room_ + x], integers_of(other)[j * room_ + y]);
}

MixedCosts::MixedCosts(const MixedColumns& columns, std::size_t room)
    : columns_(columns),
      room_(room),
      often_(room, 0),
      cost_(room, kFloatInfinity),
      joining_(columns.equalities().size()) {
    std::size_t n_values = 0;
    for (const MixedColumns::Equality& equality : columns.equalities())
        n_values = std::max(n_values, equality.n_values);
    count_.assign(n_values, 0);
}

void MixedCosts::measure(MixedGroups& groups, std::size_t group) {
    const std::size_t size = groups.sizes_[group], n_means = columns_.n_means();
    const auto n = static_cast<double>(size);
    float* floats = groups.floats_of(group);
    std::int32_t* integers = groups.integers_of(group);
    double loss_of_all = 0.0;
    for (std::size_t j = 0; j < columns_.numbers().size(); ++j) {
        const float* column = floats + j * room_;
        double sum = 0.0, sum_of_squares = 0.0;
        for (std::size_t i = 0; i < size; ++i) sum += static_cast<double>(column[i]);
        const double mean = sum / n;
        for (std::size_t i = 0; i < size; ++i) {
            const double gap = static_cast<double>(column[i]) - mean;
            sum_of_squares += gap * gap;
        }
        floats[groups.centre_at_ + j] = static_cast<float>(mean);
        loss_of_all += sum_of_squares;
        if (j < n_means) continue;
        float* sorted = floats + groups.sorted_at_ + (j - n_means) * room_;
        std::copy_n(column, size, sorted);
        std::sort(sorted, sorted + size);
        const double gap = mean - static_cast<double>(sorted[(size - 1) / 2]);
        floats[groups.off_mean_at_ + j - n_means] = static_cast<float>(n * gap * gap);
        loss_of_all += n * gap * gap;
    }
    for (std::size_t j = 0; j < columns_.equalities().size(); ++j) {
        const std::int32_t* codes = integers + j * room_;
        std::int32_t *often = integers + groups.often_at_ + j * room_, *modes = integers + groups.modes_at_ + 2 * j;
        modes[0] = modes[1] = 0;
        for (std::size_t i = 0; i < size; ++i) {
            const std::int32_t count = ++count_[static_cast<std::size_t>(codes[i])];
            if (count > modes[0]) modes[0] = count, modes[1] = 0;
            modes[1] += count == modes[0];
        }
        for (std::size_t i = 0; i < size; ++i) often[i] = count_[static_cast<std::size_t>(codes[i])];
        for (std::size_t i = 0; i < size; ++i) count_[static_cast<std::size_t>(codes[i])] = 0;
        loss_of_all += columns_.equalities()[j].unit * (n - static_cast<double>(modes[0]));
    }
    for (std::size_t j = 0; j < columns_.tables().size(); ++j) {
        const std::size_t column = columns_.equalities().size() + j;
        const std::int32_t* codes = integers + column * room_;
        std::int32_t* often = integers + groups.often_at_ + column * room_;
        for (std::size_t i = 0; i < size; ++i) {
            const auto first = static_cast<std::size_t>(std::find(codes, codes + i, codes[i]) - codes);
            often[i] = 0;
            ++often[first];
        }
        tally(codes, often, size, tallies_[0]);
        const double loss = table_loss(columns_.tables()[j], tallies_[0], sums_[0]);
        floats[groups.losses_at_ + 1 + j] = static_cast<float>(loss);
        loss_of_all += loss;
    }
    floats[groups.losses_at_] = static_cast<float>(loss_of_all);
}

void MixedCosts::tally(const std::int32_t* codes, const std::int32_t* often, std::size_t size, Tally& tally) {
    tally.clear();
    for (std::size_t i = 0; i < size; ++i)
        if (often[i] > 0) tally.emplace_back(codes[i], static_cast<double>(often[i]));
}

// A without x and B with x; whether they differ at all.
bool MixedCosts::tally_both(const MixedGroup& A, std::size_t x, const MixedGroup& B, std::size_t column) {
    const std::int32_t *home = A.codes + column * room_, *away = B.codes + column * room_, own = home[x];
    tally(home, A.often + column * room_, A.size, tallies_[0]);
    tally(away, B.often + column * room_, B.size, tallies_[1]);
    if (tallies_[0].size() == 1 && tallies_[1].size() == 1 && home[0] == away[0]) return false;
    const auto is_own = [&](const auto& each) { return each.first == own; };
    std::find_if(tallies_[0].begin(), tallies_[0].end(), is_own)->second -= 1.0;
    const auto same = std::find_if(tallies_[1].begin(), tallies_[1].end(), is_own);
    if (same == tallies_[1].end())
        tallies_[1].emplace_back(own, 1.0);
    else
        same->second += 1.0;
    return true;
}

MixedCosts::Joining MixedCosts::join(const MixedGroup& A, std::size_t x, const MixedGroup& B,
                                     std::size_t column) const {
    const std::int32_t own = A.codes[column * room_ + x], often = A.often[column * room_ + x];
    const std::int32_t *home = A.modes + 2 * column, *away = B.modes + 2 * column;
    const std::int32_t with = count_of(B.codes + column * room_, own, B.size) + 1;
    const bool all_agree = static_cast<std::size_t>(often) == A.size && static_cast<std::size_t>(with) == B.size + 1;
    Joining at{own,
               home[0] - (often == home[0] && home[1] == 1 ? 1 : 0),
               std::max(away[0], with),
               with > away[0] ? 1 : away[1] + (with == away[0] ? 1 : 0),
               0.0F,
               all_agree};
    const int records = (at.home_most == home[0] ? 1 : 0) + (at.away_most > away[0] ? 1 : 0);
    at.most_gain = static_cast<float>(columns_.equalities()[column].unit * records);
    return at;
}

void MixedCosts::swap_equality(const MixedGroup& A, const MixedGroup& B, std::size_t column, const Joining& x) {
    const std::size_t n_padded = padded(B.size);
    const std::int32_t *codes = B.codes + column * room_, *home = A.codes + column * room_;
    for (std::size_t i = 0; i < A.size; ++i) ++count_[static_cast<std::size_t>(home[i])];
    for (std::size_t y = 0; y < B.size; ++y) often_[y] = count_[static_cast<std::size_t>(codes[y])];
    for (std::size_t i = 0; i < A.size; ++i) count_[static_cast<std::size_t>(home[i])] = 0;
    add_modes(cost_.data(), codes, often_.data(), B.often + column * room_,
              {x.own, x.home_most, A.modes[2 * column], x.away_most, B.modes[2 * column],
               x.n_away_modes == 1 ? x.away_most : -1, static_cast<float>(columns_.equalities()[column].unit)},
              n_padded);
}

void MixedCosts::swap_median(const MixedGroup& A, std::size_t x, const MixedGroup& B, std::size_t column) {
    const std::size_t j = columns_.n_means() + column;
    const float own = A.numbers[j * room_ + x];
    const float *home = A.sorted + column * room_, *away = B.sorted + column * room_;
    const auto rank = static_cast<std::size_t>(std::lower_bound(home, home + A.size, own) - home);
    const auto without = [&](std::size_t i) { return home[i < rank ? i : i + 1]; };
    const auto place = static_cast<std::size_t>(std::lower_bound(away, away + B.size, own) - away);
    const auto with = [&](std::size_t i) { return i < place ? away[i] : i == place ? own : away[i - 1]; };
    const std::size_t half = (A.size - 1) / 2, middle = (B.size - 1) / 2;
    Middle at{};
    at.below = half > 0 ? without(half - 1) : -kFloatInfinity;
    at.above = half < A.size - 1 ? without(half) : kFloatInfinity;
    at.own = with(middle);
    at.other = with(middle + 1);
    at.n_own = static_cast<float>(A.size);
    at.n_other = static_cast<float>(B.size);
    at.own_share = 1.0F / at.n_own;
    at.other_share = 1.0F / at.n_other;
    at.own_mean = A.centre[j] - own * at.own_share;
    at.other_mean = B.centre[j] + own * at.other_share;
    at.before = A.off_mean[column] + B.off_mean[column];
    add_medians(cost_.data(), B.numbers + j * room_, at, padded(B.size));
}

void MixedCosts::swap_table(const MixedGroup& A, std::size_t x, const MixedGroup& B, std::size_t which,
                            float too_much) {
    const MixedColumns::Table& table = columns_.tables()[which];
    const std::size_t column = columns_.equalities().size() + which;
    const std::int32_t *away = B.codes + column * room_, own = A.codes[column * room_ + x];
    if (!tally_both(A, x, B, column)) return;
    // Candidates that one record more or less may make the best.
    for (std::size_t side = 0; side < 2; ++side) {
        const double most = sum_up(table, tallies_[side], sums_[side]) + table.widest;
        std::vector<std::uint32_t>& candidates = candidates_[side];
        candidates.resize(table.n_candidates);
        std::size_t count = 0;
        for (std::uint32_t c = 0; c < table.n_candidates; ++c) {
            candidates[count] = c;
            count += sums_[side][c] <= most ? 1 : 0;
        }
        candidates.resize(count);
    }
    known_.clear();
    for (std::size_t y = 0; y < B.size; ++y) {
        if (!(cost_[y] < too_much)) {
            cost_[y] = kFloatInfinity;
            continue;
        }
        const std::int32_t code = away[y];
        if (code == own) continue;
        auto seen = std::find_if(known_.begin(), known_.end(), [&](const auto& each) { return each.first == code; });
        if (seen == known_.end()) {
            const double* row = table.row(code);
            double sum = 0.0;
            for (std::size_t side = 0; side < 2; ++side) {
                const double sign = side == 0 ? 1.0 : -1.0;
                double least = kInfinity;
                std::size_t centre = 0;
                for (const std::uint32_t c : candidates_[side]) {
                    const double reach = sums_[side][c] + sign * row[c];
                    if (reach < least) least = reach, centre = c;
                }
                sum += squares(table, tallies_[side], centre) + sign * row[centre] * row[centre];
            }
            const double before = static_cast<double>(A.losses[1 + which]) + static_cast<double>(B.losses[1 + which]);
            seen = known_.insert(seen, {code, static_cast<float>(table.unit * sum - before)});
        }
        cost_[y] += seen->second;
    }
}

float MixedCosts::least_cost(std::size_t n_padded) const {
    float least[kLanes];
    std::copy_n(cost_.data(), kLanes, least);
    for (std::size_t y = kLanes; y < n_padded; y += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            least[lane] = cost_[y + lane] < least[lane] ? cost_[y + lane] : least[lane];
    return *std::min_element(least, least + kLanes);
}

std::size_t MixedCosts::cheapest_member(const MixedGroup& A, std::size_t x, const MixedGroup& B, float& limit) {
    const std::size_t n_padded = padded(B.size), n_equalities = columns_.equalities().size();
    float gain_left = 0.0F;
    for (std::size_t j = 0; j < n_equalities; ++j) {
        joining_[j] = join(A, x, B, j);
        gain_left += joining_[j].most_gain;
    }
    for (std::size_t j = 0; j < columns_.n_medians(); ++j) gain_left += A.off_mean[j] + B.off_mean[j];
    for (std::size_t j = 1; j <= columns_.tables().size(); ++j) gain_left += A.losses[j] + B.losses[j];
    // Means; there is nobody behind the last member.
    const float share = 1.0F / static_cast<float>(A.size) + 1.0F / static_cast<float>(B.size);
    float base = 0.0F;
    for (std::size_t j = 0; j < columns_.numbers().size(); ++j) {
        const float own = A.numbers[j * room_ + x], gap = A.centre[j] - B.centre[j];
        const float from_b = own - B.centre[j], from_a = own - A.centre[j];
        base += gap * gap + (1.0F - share) * from_b * from_b - from_a * from_a;
    }
    std::fill_n(cost_.begin(), B.size, base);
    std::fill_n(cost_.begin() + static_cast<std::ptrdiff_t>(B.size), n_padded - B.size, kFloatInfinity);
    for (std::size_t j = 0; j < columns_.numbers().size(); ++j) {
        const float along = A.centre[j] - B.centre[j] - share * (A.numbers[j * room_ + x] - B.centre[j]);
        add_means(cost_.data(), B.numbers + j * room_, B.centre[j], share, along, n_padded);
    }
    const auto too_much = [&] { return !(least_cost(n_padded) < limit + gain_left); };
    if (too_much()) return B.size;
    for (std::size_t j = 0; j < n_equalities; ++j) {
        const Joining& at = joining_[j];
        if (at.all_agree) continue;
        swap_equality(A, B, j, at);
        gain_left -= at.most_gain;
        if (too_much()) return B.size;
    }
    for (std::size_t j = 0; j < columns_.n_medians(); ++j) {
        swap_median(A, x, B, j);
        gain_left -= A.off_mean[j] + B.off_mean[j];
        if (too_much()) return B.size;
    }
    for (std::size_t j = 0; j < columns_.tables().size(); ++j) {
        swap_table(A, x, B, j, limit + gain_left);
        gain_left -= A.losses[1 + j] + B.losses[1 + j];
        if (too_much()) return B.size;
    }
    const float least = least_cost(n_padded);
    if (!(least < limit)) return B.size;
    limit = least;
    return static_cast<std::size_t>(std::find(cost_.begin(), cost_.end(), least) - cost_.begin());
}

double MixedCosts::move_cost(const MixedGroup& A, std::size_t x, const MixedGroup& B) {
    const auto a = static_cast<double>(A.size), b = static_cast<double>(B.size);
    double leaves = 0.0, joins = 0.0, cost = 0.0;
    for (std::size_t j = 0; j < columns_.numbers().size(); ++j) {
        const float own = A.numbers[j * room_ + x];
        const auto from_a = static_cast<double>(own - A.centre[j]), from_b = static_cast<double>(own - B.centre[j]);
        leaves += from_a * from_a;
        joins += from_b * from_b;
        if (j < columns_.n_means()) continue;
        const std::size_t column = j - columns_.n_means();
        const float *home = A.sorted + column * room_, *away = B.sorted + column * room_;
        if (A.size > 1) {
            const auto rank = static_cast<std::size_t>(std::lower_bound(home, home + A.size, own) - home);
            const std::size_t middle = (A.size - 2) / 2;
            const auto median = static_cast<double>(home[middle < rank ? middle : middle + 1]);
            const double gap = static_cast<double>(A.centre[j]) - from_a / (a - 1.0) - median;
            cost += (a - 1.0) * gap * gap;
        }
        const auto place = static_cast<std::size_t>(std::lower_bound(away, away + B.size, own) - away);
        const std::size_t middle = B.size / 2;
        const auto median = static_cast<double>(middle < place    ? away[middle]
                                                : middle == place ? own
                                                                  : away[middle - 1]);
        const double gap = static_cast<double>(B.centre[j]) + from_b / (b + 1.0) - median;
        cost += (b + 1.0) * gap * gap - static_cast<double>(A.off_mean[column] + B.off_mean[column]);
    }
    cost += b / (b + 1.0) * joins - (A.size > 1 ? a / (a - 1.0) * leaves : 0.0);
    for (std::size_t j = 0; j < columns_.equalities().size(); ++j) {
        const Joining at = join(A, x, B, j);
        cost += columns_.equalities()[j].unit *
                static_cast<double>(A.modes[2 * j] - at.home_most + B.modes[2 * j] - at.away_most);
    }
    for (std::size_t j = 0; j < columns_.tables().size(); ++j) {
        const std::size_t column = columns_.equalities().size() + j;
        if (!tally_both(A, x, B, column)) continue;
        for (const Tally& group : tallies_) cost += table_loss(columns_.tables()[j], group, sums_[0]);
        cost -= static_cast<double>(A.losses[1 + j]) + static_cast<double>(B.losses[1 + j]);
    }
    return cost;
}

std::tuple<double, std::size_t, double> exchange_costs(const MixedColumns& columns, const std::int64_t* home,
                                                       std::size_t n_home, const std::int64_t* other,
                                                       std::size_t n_other, std::size_t x) {
    MixedGroups groups(columns, 2, std::max(n_home, n_other));
    MixedCosts costs(columns, groups.room());
    for (std::size_t i = 0; i < n_home; ++i) groups.add(0, static_cast<std::size_t>(home[i]));
    for (std::size_t i = 0; i < n_other; ++i) groups.add(1, static_cast<std::size_t>(other[i]));
    for (std::size_t side = 0; side < 2; ++side) costs.measure(groups, side);
    float cost = kFloatInfinity;
    const std::size_t partner = costs.cheapest_member(groups[0], x, groups[1], cost);
    return {static_cast<double>(cost), partner, costs.move_cost(groups[0], x, groups[1])};
}

}  // namespace microagg
