// Blocks.
//
//   centroids of the groups -> cells by median cuts -> a block of records for each cell
//   in each block, on any thread:  neighbours, groups, work; keep the result if its recount is lower
//   number the groups anew
//
// Groups at the border of two blocks lie inside one in the next round, because its cuts are others.
#include "kernels/search/improve_blocks.h"

#include <algorithm>
#include <numeric>

#include "kernels/base/members.h"
#include "kernels/base/pool.h"
#include "kernels/neighbours/cells.h"
#include "kernels/search/descent.h"

namespace microagg {
namespace {

// Local search compares records with all centroids of their block: larger blocks cost more, and have less border.
constexpr std::size_t kLeastBlock = 6000, kMostBlock = 16000;
constexpr std::size_t kThorough = 3000;  // records that are worked on to the end, whatever it takes
constexpr Recuts kThoroughRecuts{3, 6};

std::vector<double> centroids_of(Records X, const Members& members) {
    const std::size_t n_groups = members.starts.size() - 1;
    std::vector<double> centroids(n_groups * X.m, 0.0);
    for (std::size_t g = 0; g < n_groups; ++g) {
        double* centroid = &centroids[g * X.m];
        for (std::size_t t = members.starts[g]; t < members.starts[g + 1]; ++t)
            for (std::size_t c = 0; c < X.m; ++c) centroid[c] += X[members.rows[t]][c];
        for (std::size_t c = 0; c < X.m; ++c)
            centroid[c] /= static_cast<double>(members.starts[g + 1] - members.starts[g]);
    }
    return centroids;
}

// Whether each part of some rows keeps the promises.
bool keep_promises(const Promises& promises, const std::uint32_t* rows, const std::vector<std::uint32_t>& parts,
                   std::size_t n_parts) {
    Judge judge(promises, nullptr);
    const Members members = members_of(parts, n_parts);
    std::vector<std::uint32_t> part;
    for (std::size_t p = 0; p < n_parts; ++p) {
        part.clear();
        for (std::size_t t = members.starts[p]; t < members.starts[p + 1]; ++t) part.push_back(rows[members.rows[t]]);
        if (!judge.keeps(part.data(), part.size())) return false;
    }
    return true;
}

}  // namespace

std::size_t most_in_block(std::size_t k) { return std::max<std::size_t>(64 * k, 512); }

Limits limits_for(std::size_t k, const Promises* promises, const std::vector<std::uint32_t>& labels, std::size_t most) {
    if (promises == nullptr) return k;
    const std::size_t n_groups = *std::max_element(labels.begin(), labels.end()) + std::size_t{1};
    const Members members = members_of(labels, n_groups);
    std::size_t largest = 3 * k;
    for (std::size_t g = 0; g < n_groups; ++g)
        largest = std::max(largest, members.starts[g + 1] - members.starts[g] + k);
    return {k, std::min(largest, std::max(most, 2 * k - 1)), promises};
}

std::size_t neighbours_for(std::size_t k) { return std::clamp<std::size_t>(k + 8, 12, 48); }

void split_large(Records X, std::size_t k, const Promises* promises, std::vector<std::uint32_t>& labels) {
    std::size_t n_groups = renumber(labels);
    const Members members = members_of(labels, n_groups);
    std::vector<std::uint32_t> parts;
    for (std::size_t g = 0; g + 1 < members.starts.size(); ++g) {
        const std::size_t start = members.starts[g], size = members.starts[g + 1] - start;
        if (size < 2 * k) continue;
        parts.resize(size);
        const std::size_t n_parts = cut_groups(X, &members.rows[start], size, k, parts.data());
        if (promises != nullptr && !keep_promises(*promises, &members.rows[start], parts, n_parts)) continue;
        for (std::size_t t = 0; t < size; ++t)
            if (parts[t] > 0) labels[members.rows[start + t]] = static_cast<std::uint32_t>(n_groups - 1 + parts[t]);
        n_groups += n_parts - 1;
    }
}

double sum_of_squares(Records X, const std::vector<std::uint32_t>& labels) {
    const std::size_t n_groups = *std::max_element(labels.begin(), labels.end()) + std::size_t{1};
    const Members members = members_of(labels, n_groups);
    const std::vector<double> centroids = centroids_of(X, members);
    double total = 0.0;
    for (std::size_t i = 0; i < X.n; ++i) total += squared_distance(X[i], &centroids[labels[i] * X.m], X.m);
    return total;
}

double improve_blocks(Records X, const BlockPlan& plan, std::size_t pass, std::vector<std::uint32_t>& labels,
                      Watch& watch, const BlockWork& work, const std::function<void(double)>& reached) {
    const std::size_t n_groups = renumber(labels);
    const Members members = members_of(labels, n_groups);
    std::vector<double> centroids = centroids_of(X, members);
    // Groups that may take part; without promises, all of them.
    std::vector<std::uint32_t> moving;
    std::size_t n_moving = 0;
    for (std::size_t g = 0; g < n_groups; ++g) {
        const std::size_t size = members.starts[g + 1] - members.starts[g];
        if (size > plan.limits.most && !plan.always) continue;
        std::copy_n(&centroids[g * X.m], X.m, &centroids[moving.size() * X.m]);
        moving.push_back(static_cast<std::uint32_t>(g));
        n_moving += size;
    }
    if (moving.empty()) return 0.0;
    const std::size_t groups_in_block = std::max<std::size_t>(1, moving.size() * plan.most / n_moving);
    Cells cells = cut_cells({centroids.data(), moving.size(), X.m}, groups_in_block,
                            Random::stream(plan.seed, ~std::uint64_t{0}, pass));
    for (std::uint32_t& place : cells.order) place = moving[place];

    std::vector<std::size_t> slots(cells.count() + 1, 0);  // labels that the blocks before may use
    for (std::size_t b = 0; b < cells.count(); ++b) {
        std::size_t size = 0;
        for (std::size_t t = cells.starts[b]; t < cells.starts[b + 1]; ++t)
            size += members.starts[cells.order[t] + 1] - members.starts[cells.order[t]];
        slots[b + 1] = slots[b] + size / plan.limits.least + 1;
    }

    if (moving.size() < n_groups)
        for (std::uint32_t& label : labels) label += static_cast<std::uint32_t>(slots.back());

    // Where each row is: its block, and its place there.
    std::vector<std::uint32_t> home, place;
    if (plan.graph != nullptr) {
        home.assign(X.n, kNobody);
        place.resize(X.n);
        for (std::size_t b = 0; b < cells.count(); ++b) {
            std::uint32_t next = 0;
            for (std::size_t t = cells.starts[b]; t < cells.starts[b + 1]; ++t)
                for (std::size_t u = members.starts[cells.order[t]]; u < members.starts[cells.order[t] + 1]; ++u)
                    home[members.rows[u]] = static_cast<std::uint32_t>(b), place[members.rows[u]] = next++;
        }
    }

    std::vector<double> gains(cells.count(), 0.0);
    std::atomic<std::size_t> done{0};
    Pool(plan.threads).run(cells.count(), [&](std::size_t b, std::size_t thread) {
        const bool is_caller = thread == 0;
        std::vector<std::uint32_t> rows, local;
        for (std::size_t t = cells.starts[b]; t < cells.starts[b + 1]; ++t) {
            const std::uint32_t g = cells.order[t];
            rows.insert(rows.end(), members.rows.begin() + static_cast<std::ptrdiff_t>(members.starts[g]),
                        members.rows.begin() + static_cast<std::ptrdiff_t>(members.starts[g + 1]));
            local.resize(rows.size(), static_cast<std::uint32_t>(t - cells.starts[b]));
        }
        if (!watch.stopped() && local.back() > 0) {
            const Block block = plan.graph == nullptr
                                    ? Block(X, rows.data(), rows.size(), plan.n_neighbours)
                                    : Block(X, rows.data(), rows.size(), *plan.graph, [&](std::uint32_t row) {
                                          return home[row] == b ? place[row] : rows.size();
                                      });
            Random random = Random::stream(plan.seed, b, pass);
            std::vector<std::uint32_t> improved(local);
            const double booked = work(block, improved, random, is_caller);
            if (plan.always || Grouping(block, plan.limits, improved.data()).recount() <
                                   Grouping(block, plan.limits, local.data()).recount()) {
                gains[b] = booked;
                local.swap(improved);
            }
        }
        for (std::size_t i = 0; i < rows.size(); ++i) labels[rows[i]] = static_cast<std::uint32_t>(slots[b]) + local[i];
        const std::size_t so_far = ++done;
        if (is_caller) reached(static_cast<double>(so_far) / static_cast<double>(cells.count()));
    });
    renumber(labels);
    return std::accumulate(gains.begin(), gains.end(), 0.0);
}

double refine_local(Records X, std::size_t k, const Promises* promises, std::size_t max_passes, std::uint64_t seed,
                    std::size_t threads, double time_limit, const Progress& progress, std::int64_t* labels) {
    Watch watch(progress, time_limit);
    std::vector<std::uint32_t> groups(labels, labels + X.n);
    split_large(X, k, promises, groups);
    const bool thorough = X.n <= kThorough;
    // Many records: only as many groups together as are cut exactly, which is quick.
    const Recuts recuts = thorough ? kThoroughRecuts : Recuts{std::min<std::size_t>(3, Recut::kExact / k), 3};
    const std::size_t most = std::clamp(X.n / 2, kLeastBlock, kMostBlock);
    const Limits limits = limits_for(k, promises, groups, most_in_block(k));
    const BlockPlan plan{limits, std::max(most, 32 * k), 0, threads, seed};
    double decrease = 0.0;
    for (std::size_t pass = 0; pass < max_passes && !watch.stopped(); ++pass) {
        const double gain = improve_blocks(
            X, plan, pass, groups, watch,
            [&](const Block& block, std::vector<std::uint32_t>& part, Random&, bool) {
                Grouping improved(block, limits, part.data());
                NearGroups near(improved);
                Descent descent(improved, &near, recuts);
                double change = 0.0, latest;
                do {
                    near.forget();
                    descent.touch_all();
                    change += latest = descent.run(watch.stop());
                } while (thorough && latest < 0.0);
                part = improved.labels();
                return -change;
            },
            [&](double reached) {
                watch.report((static_cast<double>(pass) + reached) / static_cast<double>(max_passes));
            });
        if (gain == 0.0) break;
        decrease += gain;
    }
    renumber(groups);
    std::copy(groups.begin(), groups.end(), labels);
    watch.rethrow();
    return decrease;
}

}  // namespace microagg
