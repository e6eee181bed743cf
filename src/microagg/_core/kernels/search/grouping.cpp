// A partition of a block that changes (the costs of changes are in grouping.h).
//
//   move(x, B):  c_A += (c_A - x) / (|A| - 1);  c_B += (x - c_B) / (|B| + 1)
//   swap(x, y):  c_A += (y - x) / |A|;          c_B -= (y - x) / |B|
//   every kChangesBeforeRenewal changes of a group:  its centroid anew, from its members
//   cheapest_partner(x, B):  the member y of B with the least cost; bounds rule most out without comparing x and y
#include "kernels/search/grouping.h"

#include "kernels/base/constants.h"
#include "kernels/base/multiversion.h"

namespace microagg {
namespace {

constexpr std::uint32_t kChangesBeforeRenewal = 32;

}  // namespace

Grouping::Grouping(const Block& block, Limits limits, const std::uint32_t* labels)
    : block_(block), limits_(limits), capacity_(limits.most + 1), group_(labels, labels + block.n), place_(block.n) {
    if (limits.promises != nullptr) judge_.emplace(*limits.promises, block.rows.data());
    const std::size_t slots = block.n / limits.least + 1;  // one more than there can be groups
    if (judge_) judge_->remember(slots);
    size_.assign(slots, 0);
    changes_.assign(slots, 0);
    members_.resize(slots * capacity_);
    centroids_.assign(slots * block.stride, 0.0);
    own_gap_.resize(block.n);
    widest_gap_.resize(slots);
    error_.resize(slots);
    across_.resize(capacity_);
    measured_.assign(slots, false);
    for (std::size_t i = 0; i < block.n; ++i) {
        const std::uint32_t g = group_[i];
        place_[i] = size_[g];
        members_[g * capacity_ + size_[g]++] = static_cast<std::uint32_t>(i);
    }
    for (std::size_t g = slots; g-- > 0;) {
        if (size_[g] == 0) {
            vacant_.push_back(static_cast<std::uint32_t>(g));
        } else {
            changes_[g] = kChangesBeforeRenewal;
            renew_if_due(static_cast<std::uint32_t>(g));
        }
    }
}

// Most members are ruled out without a comparison with x. With s = 1/a + 1/b and w = |x - c_A|^2, the cost is
//   |x - c_B|^2 - w - |y - c_B|^2  +  |y - c_A|^2 - s |x - y|^2
// and |x - y|^2 is at most twice the sum of |y - c_A|^2 and w; for any y whatever, the last two terms are at least
// -s w / (1 - s).
MICROAGG_MULTIVERSION
std::size_t Grouping::cheapest_partner(std::size_t x, std::uint32_t group, double gap, std::size_t barred,
                                       double* cost) {
    const std::uint32_t home = group_[x];
    const double share = 1.0 / static_cast<double>(size_[home]) + 1.0 / static_cast<double>(size_[group]);
    const double mine = own_gap(x), known = gap - mine;
    const double least = share < 1.0 ? known - share / (1.0 - share) * mine : -kInfinity;
    if (least - widest_gap(group) >= *cost) return x;
    const std::uint32_t* others = members(group);
    for (std::size_t t = 0; t < size_[group]; ++t) across_[t] = gap_to(others[t], home);
    std::size_t partner = x;
    for (std::size_t t = 0; t < size_[group]; ++t) {
        const std::size_t y = others[t];
        const double partial = known - own_gap_[y] + across_[t];
        if (partial - 2.0 * share * (across_[t] + mine) >= *cost || y == barred) continue;
        const double whole = partial - share * squared_gap(block_[x], block_[y], block_.stride);
        if (whole < *cost && (!judge_ || (keeps(home, x, y) && keeps(group, y, x)))) *cost = whole, partner = y;
    }
    return partner;
}

MICROAGG_MULTIVERSION
void Grouping::measure_anew(std::uint32_t group) {
    measured_[group] = true;
    widest_gap_[group] = error_[group] = 0.0;
    for (std::size_t t = 0; t < size_[group]; ++t) {
        const std::uint32_t record = members_[group * capacity_ + t];
        own_gap_[record] = gap_to(record, group);
        widest_gap_[group] = std::max(widest_gap_[group], own_gap_[record]);
        error_[group] += own_gap_[record];
    }
}

double Grouping::gap_between(const std::vector<std::uint32_t>& groups) const {
    double records = 0.0, total = 0.0;
    for (std::size_t s = 0; s < groups.size(); ++s) {
        records += static_cast<double>(size_[groups[s]]);
        for (std::size_t t = 0; t < s; ++t)
            total += static_cast<double>(size_[groups[s]] * size_[groups[t]]) *
                     squared_gap(centroid(groups[s]), centroid(groups[t]), block_.stride);
    }
    return total / records;
}

void Grouping::take_out(std::size_t record) {
    const std::uint32_t a = group_[record];
    will_change(a);
    has_changed(a);
    const std::uint32_t last = members_[a * capacity_ + --size_[a]];
    members_[a * capacity_ + place_[record]] = last;
    place_[last] = place_[record];
    if (size_[a] == 0) {
        vacant_.push_back(a);
        if (trial_.is_on) trial_.vacancies.push_back({a, kNobody});
        return;
    }
    const double share = 1.0 / static_cast<double>(size_[a]);
    double* c = &centroids_[a * block_.stride];
    const double* x = block_[record];
    for (std::size_t j = 0; j < block_.stride; ++j) c[j] += (c[j] - x[j]) * share;
    ++changes_[a];
    renew_if_due(a);
}

void Grouping::put_in(std::size_t record, std::uint32_t group) {
    will_change(group);
    if (size_[group] == 0) {
        // The group asked for is nearly always the last vacant one; taking changes back may ask for another.
        for (std::size_t t = vacant_.size(); t-- > 0;)
            if (vacant_[t] == group) {
                if (trial_.is_on) trial_.vacancies.push_back({group, static_cast<std::uint32_t>(t)});
                vacant_.erase(vacant_.begin() + static_cast<std::ptrdiff_t>(t));
                break;
            }
        std::copy_n(block_[record], block_.stride, &centroids_[group * block_.stride]);
        changes_[group] = 0;
    }
    has_changed(group);
    group_[record] = group;
    place_[record] = size_[group];
    members_[group * capacity_ + size_[group]++] = static_cast<std::uint32_t>(record);
    if (size_[group] == 1) return;
    const double share = 1.0 / static_cast<double>(size_[group]);
    double* c = &centroids_[group * block_.stride];
    const double* x = block_[record];
    for (std::size_t j = 0; j < block_.stride; ++j) c[j] += (x[j] - c[j]) * share;
    ++changes_[group];
    renew_if_due(group);
}

void Grouping::move(std::size_t record, std::uint32_t to) {
    take_out(record);
    put_in(record, to);
}

void Grouping::move_all(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& groups) {
    for (std::size_t t = 0; t < rows.size(); ++t)
        if (group_[rows[t]] != groups[t]) take_out(rows[t]);
    for (std::size_t t = 0; t < rows.size(); ++t)
        if (group_[rows[t]] != groups[t]) put_in(rows[t], groups[t]);
}

void Grouping::swap(std::size_t x, std::size_t y) {
    const std::uint32_t a = group_[x], b = group_[y];
    will_change(a);
    will_change(b);
    std::swap(group_[x], group_[y]);
    std::swap(place_[x], place_[y]);
    members_[a * capacity_ + place_[y]] = static_cast<std::uint32_t>(y);
    members_[b * capacity_ + place_[x]] = static_cast<std::uint32_t>(x);
    const double share_a = 1.0 / static_cast<double>(size_[a]), share_b = 1.0 / static_cast<double>(size_[b]);
    double *ca = &centroids_[a * block_.stride], *cb = &centroids_[b * block_.stride];
    const double *px = block_[x], *py = block_[y];
    for (std::size_t j = 0; j < block_.stride; ++j) {
        const double step = py[j] - px[j];
        ca[j] += step * share_a;
        cb[j] -= step * share_b;
    }
    ++changes_[a], ++changes_[b];
    has_changed(a);
    has_changed(b);
    renew_if_due(a);
    renew_if_due(b);
}

void Grouping::begin_trial() {
    trial_.is_on = true;
    trial_.is_kept.resize(size_.size(), false);
    for (const std::uint32_t group : trial_.groups) trial_.is_kept[group] = false;
    trial_.groups.clear(), trial_.sizes.clear(), trial_.changes.clear();
    trial_.members.clear(), trial_.centroids.clear(), trial_.vacancies.clear();
}

void Grouping::keep_for_trial(std::uint32_t group) {
    if (trial_.is_kept[group]) return;
    trial_.is_kept[group] = true;
    trial_.groups.push_back(group);
    trial_.sizes.push_back(size_[group]);
    trial_.changes.push_back(changes_[group]);
    trial_.members.insert(trial_.members.end(), members(group), members(group) + size_[group]);
    trial_.centroids.insert(trial_.centroids.end(), centroid(group), centroid(group) + block_.stride);
}

void Grouping::moves_of_trial(std::vector<std::uint32_t>& rows, std::vector<std::uint32_t>& from,
                              std::vector<std::uint32_t>& to) const {
    rows.clear(), from.clear(), to.clear();
    const std::uint32_t* member = trial_.members.data();
    for (std::size_t t = 0; t < trial_.groups.size(); ++t)
        for (const std::uint32_t* end = member + trial_.sizes[t]; member < end; ++member)
            if (group_[*member] != trial_.groups[t])
                rows.push_back(*member), from.push_back(trial_.groups[t]), to.push_back(group_[*member]);
}

void Grouping::take_trial_back() {
    const std::uint32_t* member = trial_.members.data();
    for (std::size_t t = 0; t < trial_.groups.size(); ++t) {
        const std::uint32_t group = trial_.groups[t];
        size_[group] = trial_.sizes[t];
        changes_[group] = trial_.changes[t];
        std::copy_n(&trial_.centroids[t * block_.stride], block_.stride, &centroids_[group * block_.stride]);
        for (std::uint32_t place = 0; place < size_[group]; ++place, ++member) {
            members_[group * capacity_ + place] = *member;
            group_[*member] = group;
            place_[*member] = place;
        }
        has_changed(group);
    }
    for (std::size_t t = trial_.vacancies.size(); t-- > 0;) {
        const Trial::Vacancy& vacancy = trial_.vacancies[t];
        if (vacancy.at == kNobody) {
            vacant_.pop_back();
        } else {
            vacant_.insert(vacant_.begin() + vacancy.at, vacancy.group);
        }
    }
    trial_.is_on = false;
}

void Grouping::renew_if_due(std::uint32_t group) {
    if (changes_[group] < kChangesBeforeRenewal) return;
    changes_[group] = 0;
    double* c = &centroids_[group * block_.stride];
    std::fill(c, c + block_.stride, 0.0);
    for (std::size_t t = 0; t < size_[group]; ++t) {
        const double* x = block_[members_[group * capacity_ + t]];
        for (std::size_t j = 0; j < block_.stride; ++j) c[j] += x[j];
    }
    for (std::size_t j = 0; j < block_.stride; ++j) c[j] /= static_cast<double>(size_[group]);
}

double Grouping::recount() const {
    double total = 0.0;
    std::vector<double> c(block_.stride);
    for (std::size_t g = 0; g < size_.size(); ++g) {
        if (size_[g] == 0) continue;
        std::fill(c.begin(), c.end(), 0.0);
        const std::uint32_t* rows = &members_[g * capacity_];
        for (std::size_t t = 0; t < size_[g]; ++t)
            for (std::size_t j = 0; j < block_.stride; ++j) c[j] += block_[rows[t]][j];
        for (double& value : c) value /= static_cast<double>(size_[g]);
        for (std::size_t t = 0; t < size_[g]; ++t) total += squared_gap(block_[rows[t]], c.data(), block_.stride);
    }
    return total;
}

}  // namespace microagg
