// Repair.
//
//   while a group A lacks something of what is promised:
//     of the groups B near it, take the change with the least rise of the squared errors for what it mends:
//       a record y of B moves to A, if B can spare one
//       y changes places with a record x of A
//       A and B are merged
//     none mends enough: merge A with the nearest group
//
// Each change lowers what the two groups lack together, or the number of groups; merged groups never lack more than
// they did apart. Many records are repaired block by block, in blocks that are cut in two ways; what is left then lacks
// something in its whole block, and is repaired among all groups.
#include "kernels/promises/repair.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/base/constants.h"
#include "kernels/base/members.h"
#include "kernels/search/improve_blocks.h"

namespace microagg {
namespace {

constexpr std::size_t kBlock = 12000, kPasses = 2;
constexpr std::size_t kNear = 16, kMerged = 4;    // groups that a group looks at, and that it may be merged with
constexpr std::size_t kRecords = 48, kSwaps = 8;  // of theirs that may come to it, and of its own that may go for each
constexpr double kWorthWhile = 0.05;              // of what a group lacks: less is no step forward
constexpr std::size_t kPatience = 12;             // changes of a group, after which it can only be merged
constexpr double kLeastDrop = 1e-9;

class Repair {
  public:
    Repair(const Block& block, const Promises& promises, std::size_t least, const std::vector<std::uint32_t>& labels)
        : block_(block), judge_(promises, block.rows.data()), least_(least) {
        const std::size_t n_groups = *std::max_element(labels.begin(), labels.end()) + std::size_t{1};
        members_.resize(n_groups);
        for (std::size_t i = 0; i < labels.size(); ++i) members_[labels[i]].push_back(static_cast<std::uint32_t>(i));
        centroids_.resize(n_groups * block.stride);
        lack_.resize(n_groups);
        tries_.assign(n_groups, 0);
        for (std::size_t g = 0; g < n_groups; ++g) renew(g);
    }

    void run(const std::atomic<bool>& stop) {
        std::size_t head = 0;
        for (std::size_t g = 0; g < members_.size(); ++g)
            if (lack_[g] > 0.0) queue_.push_back(g);
        while (head < queue_.size() && !stop.load(std::memory_order_relaxed)) {
            const std::size_t group = queue_[head++];
            if (!members_[group].empty() && lack_[group] > 0.0) mend(group);
        }
    }

    std::vector<std::uint32_t> labels() const {
        std::vector<std::uint32_t> labels(block_.n);
        for (std::size_t g = 0; g < members_.size(); ++g)
            for (const std::uint32_t row : members_[g]) labels[row] = static_cast<std::uint32_t>(g);
        return labels;
    }

  private:
    struct Change {
        double rate = kInfinity;  // rise of the squared errors for each unit that is mended
        std::size_t other = 0;
        std::uint32_t comes = kNobody, goes = kNobody;  // nobody comes: the groups are merged
    };

    const double* centroid(std::size_t group) const { return &centroids_[group * block_.stride]; }
    double gap(std::uint32_t record, std::size_t group) const {
        return squared_gap(block_[record], centroid(group), block_.stride);
    }
    double lack(std::size_t group, std::uint32_t without, std::uint32_t with) {
        return judge_.lack(members_[group].data(), members_[group].size(), without, with);
    }

    void renew(std::size_t group) {
        const std::vector<std::uint32_t>& rows = members_[group];
        if (rows.empty()) {
            lack_[group] = 0.0;
            return;
        }
        double* c = &centroids_[group * block_.stride];
        std::fill(c, c + block_.stride, 0.0);
        for (const std::uint32_t row : rows)
            for (std::size_t j = 0; j < block_.stride; ++j) c[j] += block_[row][j];
        for (std::size_t j = 0; j < block_.stride; ++j) c[j] /= static_cast<double>(rows.size());
        lack_[group] = lack(group, kNobody, kNobody);
    }

    void look_around(std::size_t a) {
        near_.clear();
        for (std::size_t g = 0; g < members_.size(); ++g)
            if (g != a && !members_[g].empty())
                near_.emplace_back(squared_gap(centroid(a), centroid(g), block_.stride), g);
        const std::size_t count = std::min(kNear, near_.size());
        std::partial_sort(near_.begin(), near_.begin() + static_cast<std::ptrdiff_t>(count), near_.end());
        near_.resize(count);
    }

    // Of those that mend something, the change with the least cost for it.
    void consider(Change& best, double cost, double drop, const Change& change) const {
        if (!(drop > kLeastDrop)) return;
        const double rate = cost / drop;
        if (rate < best.rate) best = change, best.rate = rate;
    }

    void consider_merging(Change& best, std::size_t a) {
        for (std::size_t t = 0; t < std::min(kMerged, near_.size()); ++t) {
            const auto [distance, b] = near_[t];
            together_ = members_[a];
            together_.insert(together_.end(), members_[b].begin(), members_[b].end());
            const double sa = static_cast<double>(members_[a].size()), sb = static_cast<double>(members_[b].size());
            const double drop = lack_[a] + lack_[b] - judge_.lack(together_.data(), together_.size());
            consider(best, sa * sb / (sa + sb) * distance, drop, {0.0, b, kNobody, kNobody});
        }
    }

    void consider_records(Change& best, std::size_t a) {
        records_.clear();
        for (const auto& [distance, b] : near_)
            for (const std::uint32_t y : members_[b]) records_.push_back({gap(y, a), y, b});
        const std::size_t count = std::min(kRecords, records_.size());
        std::partial_sort(records_.begin(), records_.begin() + static_cast<std::ptrdiff_t>(count), records_.end(),
                          [](const Near& one, const Near& other) {
                              return std::make_pair(one.gap, one.record) < std::make_pair(other.gap, other.record);
                          });
        const double sa = static_cast<double>(members_[a].size());
        for (std::size_t t = 0; t < count; ++t) {
            const auto [mine, y, b] = records_[t];
            const double sb = static_cast<double>(members_[b].size()), theirs = gap(y, b);
            const double before = lack_[a] + lack_[b];
            const auto pays = [&](double cost) { return cost < best.rate * before; };
            const double moved = sa / (sa + 1.0) * mine - sb / (sb - 1.0) * theirs;
            if (members_[b].size() > least_ && pays(moved)) {
                const double left = lack(a, kNobody, y), drop = before - left - lack(b, y, kNobody);
                if (lack_[a] - left > kWorthWhile * lack_[a]) consider(best, moved, drop, {0.0, b, y, kNobody});
            }
            swaps_.clear();
            for (const std::uint32_t x : members_[a]) {
                const double swapped = mine - theirs - gap(x, a) + gap(x, b) -
                                       (1.0 / sa + 1.0 / sb) * squared_gap(block_[x], block_[y], block_.stride);
                if (pays(swapped)) swaps_.emplace_back(swapped, x);
            }
            const std::size_t tried = std::min(kSwaps, swaps_.size());
            std::partial_sort(swaps_.begin(), swaps_.begin() + static_cast<std::ptrdiff_t>(tried), swaps_.end());
            for (std::size_t u = 0; u < tried; ++u) {
                const auto [swapped, x] = swaps_[u];
                if (!pays(swapped)) break;
                const double left = lack(a, x, y);
                if (!(lack_[a] - left > kWorthWhile * lack_[a])) continue;
                consider(best, swapped, before - left - lack(b, y, x), {0.0, b, y, x});
            }
        }
    }

    void mend(std::size_t a) {
        look_around(a);
        if (near_.empty()) return;  // all there is lacks something
        Change best;
        consider_merging(best, a);
        if (++tries_[a] <= kPatience) consider_records(best, a);
        if (best.rate == kInfinity) best.other = near_[0].second;
        const std::size_t b = best.other;
        if (best.comes == kNobody) {
            members_[a].insert(members_[a].end(), members_[b].begin(), members_[b].end());
            members_[b].clear();
        } else {
            std::replace(members_[b].begin(), members_[b].end(), best.comes, best.goes);
            if (best.goes == kNobody) {
                members_[a].push_back(best.comes);
                members_[b].erase(std::remove(members_[b].begin(), members_[b].end(), kNobody), members_[b].end());
            } else {
                std::replace(members_[a].begin(), members_[a].end(), best.goes, best.comes);
            }
        }
        for (const std::size_t group : {a, b}) {
            renew(group);
            if (lack_[group] > 0.0) queue_.push_back(group);
        }
    }

    struct Near {
        double gap;
        std::uint32_t record;
        std::size_t group;
    };
    const Block& block_;
    Judge judge_;
    std::size_t least_;
    std::vector<std::vector<std::uint32_t>> members_;
    std::vector<double> centroids_, lack_;
    std::vector<std::size_t> queue_, tries_;
    std::vector<std::pair<double, std::size_t>> near_;
    std::vector<Near> records_;
    std::vector<std::pair<double, std::uint32_t>> swaps_;
    std::vector<std::uint32_t> together_;
};

bool any_lacks(const Promises& promises, std::vector<std::uint32_t>& labels) {
    const std::size_t n_groups = renumber(labels);
    const Members members = members_of(labels, n_groups);
    Judge judge(promises, nullptr);
    for (std::size_t g = 0; g < n_groups; ++g)
        if (!judge.keeps(&members.rows[members.starts[g]], members.starts[g + 1] - members.starts[g])) return true;
    return false;
}

}  // namespace

void repair_promises(Records X, std::size_t k, const Promises& promises, std::uint64_t seed, std::size_t threads,
                     const Progress& progress, std::int64_t* labels) {
    Watch watch(progress, kInfinity);
    std::vector<std::uint32_t> groups(labels, labels + X.n);
    const auto work = [&](const Block& block, std::vector<std::uint32_t>& part, Random&, bool) {
        Repair repair(block, promises, k, part);
        repair.run(watch.stop());
        part = repair.labels();
        return 0.0;
    };
    BlockPlan plan{k, std::max(kBlock, 64 * k), 0, threads, seed};
    plan.always = true;
    const std::size_t passes = X.n > plan.most ? kPasses : 0;
    for (std::size_t pass = 0; pass < passes && !watch.stopped() && any_lacks(promises, groups); ++pass)
        improve_blocks(X, plan, pass, groups, watch, work, [&](double reached) {
            watch.report((static_cast<double>(pass) + reached) / static_cast<double>(kPasses + 1));
        });
    if (!watch.stopped() && any_lacks(promises, groups)) {
        std::vector<std::uint32_t> rows(X.n);
        std::iota(rows.begin(), rows.end(), 0U);
        Random random(seed);
        work(Block(X, rows.data(), X.n, 0), groups, random, true);
    }
    watch.report(1.0);
    renumber(groups);
    std::copy(groups.begin(), groups.end(), labels);
    watch.rethrow();
}

}  // namespace microagg
