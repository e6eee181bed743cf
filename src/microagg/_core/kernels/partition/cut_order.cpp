// MHM: the optimal cut of an order of records into runs (Hansen and Mukherjee 2003; Domingo-Ferrer et al. 2006).
//
//   best[0] = 0
//   for j = k..n:  best[j] = min over i in [j-2k+1, j-k] of best[i] + sse(i, j)      sse of the records i..j-1
//   walk back from n
//
// With prefix sums S and squares Q, sse(i, j) = Q_j - Q_i - |S_j - S_i|^2 / (j - i). Prefix sums over everything
// would lose the digits of a dense order (a million records, gaps of 1e-6), so they start anew in every chunk of
// the order, measured from a record of that chunk. A tie goes to the shorter run that ends at j.
#include "kernels/partition/cut_order.h"

#include <algorithm>
#include <vector>

#include "kernels/base/constants.h"

namespace microagg {
namespace {

void label_runs(const std::vector<std::uint32_t>& run_length, const std::int64_t* order, std::size_t n,
                std::int64_t* labels) {
    std::vector<std::size_t> ends;
    for (std::size_t j = n; j > 0; j -= run_length[j]) ends.push_back(j);
    std::size_t start = 0;
    for (std::size_t g = ends.size(); g-- > 0;) {
        const auto run = static_cast<std::int64_t>(ends.size() - 1 - g);
        for (std::size_t t = start; t < ends[g]; ++t) {
            const std::size_t row = order ? static_cast<std::size_t>(order[t]) : t;
            labels[row] = run;
        }
        start = ends[g];
    }
}

}  // namespace

void cut_order(Records X, const std::int64_t* order, std::size_t k, std::int64_t* labels, const Progress& progress) {
    const std::size_t n = X.n, m = X.m;
    std::vector<double> best(n + 1, kInfinity);
    std::vector<std::uint32_t> run_length(n + 1, 0);
    best[0] = 0.0;

    // One chunk: targets j in (from, to], records from `base` on, so that every run that ends there lies inside.
    const std::size_t chunk = std::max<std::size_t>(512, 4 * k);
    std::vector<double> sums((chunk + 2 * k + 1) * m);
    std::vector<double> squares(chunk + 2 * k + 1);
    for (std::size_t from = 0; from < n; from += chunk) {
        const std::size_t to = std::min(n, from + chunk);
        const std::size_t base = from < 2 * k ? 0 : from - 2 * k;
        const double* origin = X[static_cast<std::size_t>(order[from])];
        std::fill(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(m), 0.0);
        squares[0] = 0.0;
        for (std::size_t t = base; t < to; ++t) {
            const double* x = X[static_cast<std::size_t>(order[t])];
            const double* before = &sums[(t - base) * m];
            double* after = &sums[(t - base + 1) * m];
            double square = 0.0;
            for (std::size_t j = 0; j < m; ++j) {
                const double shifted = x[j] - origin[j];
                after[j] = before[j] + shifted;
                square += shifted * shifted;
            }
            squares[t - base + 1] = squares[t - base] + square;
        }
        for (std::size_t j = std::max(from + 1, k); j <= to; ++j) {
            const double* end = &sums[(j - base) * m];
            const std::size_t longest = std::min(j, 2 * k - 1);
            double least = kInfinity;
            std::size_t chosen = 0;
            for (std::size_t length = k; length <= longest; ++length) {
                const std::size_t i = j - length;
                if (best[i] == kInfinity) continue;
                const double* start = &sums[(i - base) * m];
                double norm = 0.0;
                for (std::size_t c = 0; c < m; ++c) norm += (end[c] - start[c]) * (end[c] - start[c]);
                const double sse = squares[j - base] - squares[i - base] - norm / static_cast<double>(length);
                const double total = best[i] + std::max(sse, 0.0);
                if (total < least) {
                    least = total;
                    chosen = length;
                }
            }
            best[j] = least;
            run_length[j] = static_cast<std::uint32_t>(chosen);
        }
        progress(static_cast<double>(to) / static_cast<double>(n));
    }
    label_runs(run_length, order, n, labels);
}

}  // namespace microagg
