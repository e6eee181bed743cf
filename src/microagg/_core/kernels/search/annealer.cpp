// Annealing of all records. Nothing changes but the flag that ends it: threads do not wait for each other.
#include "kernels/search/annealer.h"

#include <algorithm>
#include <numeric>

#include "kernels/search/anneal.h"
#include "kernels/search/combine.h"
#include "kernels/search/improve_blocks.h"

namespace microagg {
namespace {

// Wide enough to look beyond a cluster of some more than k records that lie together, far from all others.
std::size_t neighbours_of_all(std::size_t k) { return std::clamp<std::size_t>(2 * k + 10, 16, 64); }

std::vector<std::uint32_t> all_rows(std::size_t n) {
    std::vector<std::uint32_t> rows(n);
    std::iota(rows.begin(), rows.end(), 0U);
    return rows;
}

}  // namespace

Annealer::Annealer(Records X, std::size_t k, const Promises* promises, const std::vector<std::uint32_t>& labels)
    : block_(X, all_rows(X.n).data(), X.n, neighbours_of_all(k)), limits_(limits_for(k, promises, labels, X.n)) {}

bool Annealer::anneal(std::vector<std::uint32_t>& labels, double heat, double sweeps, std::uint64_t seed) const {
    const double moves = sweeps * static_cast<double>(block_.n);
    Grouping groups(block_, limits_, labels.data());
    Random random(seed);
    microagg::anneal(groups, random, heat, [&](std::size_t made) { return static_cast<double>(made) / moves; }, stop_);
    if (stop_) return false;
    labels = groups.labels();
    return true;
}

double Annealer::combine(std::vector<std::uint32_t>& best, const std::vector<std::uint32_t>& other) const {
    return microagg::combine(block_, best, other);
}

}  // namespace microagg
