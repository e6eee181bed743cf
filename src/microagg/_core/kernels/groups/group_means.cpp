// The mean of each group.
//
//   base[g] = the first record of g;  mean[g] = base[g] + sum of w (x - base[g]) / sum of w
#include "kernels/groups/group_means.h"

#include <vector>

#include "kernels/base/constants.h"

namespace microagg {

void group_means(Records X, const std::int64_t* labels, std::size_t n_groups, const double* weights, double* means) {
    const std::size_t m = X.m;
    std::vector<std::size_t> first(n_groups, kNowhere);
    std::vector<double> total(n_groups, 0.0);
    std::vector<double> sums(n_groups * m, 0.0);
    for (std::size_t i = 0; i < X.n; ++i) {
        const auto g = static_cast<std::size_t>(labels[i]);
        if (first[g] == kNowhere) first[g] = i;
        const double weight = weights ? weights[i] : 1.0;
        const double* base = X[first[g]];
        const double* x = X[i];
        double* sum = &sums[g * m];
        for (std::size_t j = 0; j < m; ++j) sum[j] += weight * (x[j] - base[j]);
        total[g] += weight;
    }
    for (std::size_t g = 0; g < n_groups; ++g) {
        for (std::size_t j = 0; j < m; ++j) means[g * m + j] = X[first[g]][j] + sums[g * m + j] / total[g];
    }
}

}  // namespace microagg
