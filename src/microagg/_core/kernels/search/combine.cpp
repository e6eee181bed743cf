// Partition crossover (after Whitley's for tours):
//
//   join group A of `best` and group B of `other` where they share a record          (union-find)
//   change(component) = squared errors of its groups in `other` - in `best`
//   components with change < 0 take the groups of `other`
//
// Groups keep their sizes, so the result is as feasible as both; it is at least as good as each of them.
#include "kernels/search/combine.h"

#include <numeric>

#include "kernels/base/members.h"

namespace microagg {
namespace {

std::uint32_t root(std::vector<std::uint32_t>& parent, std::uint32_t node) {
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
}

std::vector<double> errors(const Block& block, const std::vector<std::uint32_t>& labels, std::size_t n_groups) {
    std::vector<double> centroids(n_groups * block.stride, 0.0), sizes(n_groups, 0.0), sums(n_groups, 0.0);
    for (std::size_t i = 0; i < block.n; ++i) {
        sizes[labels[i]] += 1.0;
        for (std::size_t j = 0; j < block.stride; ++j) centroids[labels[i] * block.stride + j] += block[i][j];
    }
    for (std::size_t g = 0; g < n_groups; ++g)
        for (std::size_t j = 0; j < block.stride; ++j) centroids[g * block.stride + j] /= sizes[g];
    for (std::size_t i = 0; i < block.n; ++i)
        sums[labels[i]] += squared_gap(block[i], &centroids[labels[i] * block.stride], block.stride);
    return sums;
}

}  // namespace

double combine(const Block& block, std::vector<std::uint32_t>& best, const std::vector<std::uint32_t>& other) {
    std::vector<std::uint32_t> rival(other);
    const std::size_t n_best = renumber(best), n_rival = renumber(rival);
    const std::vector<double> best_errors = errors(block, best, n_best), rival_errors = errors(block, rival, n_rival);
    std::vector<std::uint32_t> parent(n_best + n_rival);
    std::iota(parent.begin(), parent.end(), 0U);
    for (std::size_t i = 0; i < block.n; ++i) {
        const std::uint32_t a = root(parent, best[i]), b = root(parent, static_cast<std::uint32_t>(n_best) + rival[i]);
        parent[std::max(a, b)] = std::min(a, b);
    }
    std::vector<double> change(parent.size(), 0.0), size(parent.size(), 0.0);
    for (std::uint32_t g = 0; g < parent.size(); ++g)
        change[root(parent, g)] += g < n_best ? -best_errors[g] : rival_errors[g - n_best];
    double decrease = 0.0;
    for (std::uint32_t g = 0; g < parent.size(); ++g)
        if (parent[g] == g && change[g] < 0.0) decrease -= change[g];
    for (std::size_t i = 0; i < block.n; ++i)
        if (change[root(parent, best[i])] < 0.0) best[i] = static_cast<std::uint32_t>(n_best) + rival[i];
    renumber(best);
    return decrease;
}

}  // namespace microagg
