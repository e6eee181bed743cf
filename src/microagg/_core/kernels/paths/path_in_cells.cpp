// A path through cells.
//
//   median cuts make cells of some ten thousand records
//   in each cell, on any thread:  a greedy path along near neighbours, and Lin-Kernighan from it
//   the paths are joined at their ends, the shortest edges first
//   Lin-Kernighan on all of it, along near neighbours across the borders, and the kicks
//
// Lin-Kernighan is one thread's work on one array, of which it reverses stretches: in cells it has short ones, and most
// of the gain is made there, on all threads. The last step mends what the borders cost.
#include "kernels/paths/path_in_cells.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "kernels/base/constants.h"
#include "kernels/base/pool.h"
#include "kernels/neighbours/cells.h"
#include "kernels/paths/greedy_rounds.h"

namespace microagg {
namespace {

constexpr double kCellsShare = 0.6;  // of the progress shown, and of the time where that is limited

}  // namespace

void path_in_cells(Records X, const LinKernighan& how, std::size_t cell, std::int64_t* order,
                   const Progress& progress) {
    const auto began = std::chrono::steady_clock::now();
    Pool pool(how.threads);
    const Cells cells = cut_cells(X, cell, how.seed, 0, pool);
    Links links(2 * X.n, kNobody);
    pool.run(cells.count(), [&](std::size_t c, std::size_t thread) {
        const std::size_t first = cells.starts[c], n = cells.starts[c + 1] - first;
        const std::uint32_t* rows = &cells.order[first];
        std::vector<double> points(n * X.m);
        for (std::size_t i = 0; i < n; ++i) std::copy_n(X[rows[i]], X.m, &points[i * X.m]);
        std::vector<std::int64_t> path(n);
        const double share = static_cast<double>(n) / static_cast<double>(X.n);
        LinKernighan own = how;
        own.near = own.from_greedy = true;
        own.threads = 1;
        own.kicks = 0;
        own.seconds = how.seconds * kCellsShare * share * static_cast<double>(how.threads);
        const auto shown = [&](double done) {
            if (thread == 0) progress(kCellsShare * static_cast<double>(first + done * n) / static_cast<double>(X.n));
        };
        improve_path({points.data(), n, X.m}, own, path.data(), shown);
        for (std::size_t t = 0; t + 1 < n; ++t) {
            const std::uint32_t a = rows[path[t]], b = rows[path[t + 1]];
            links[2 * a + (links[2 * a] != kNobody)] = b;
            links[2 * b + (links[2 * b] != kNobody)] = a;
        }
    });
    join_paths(X, links, how.seed, how.threads, order);
    LinKernighan whole = how;
    whole.near = true;
    whole.from_greedy = false;
    whole.seconds -= std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    improve_path(X, whole, order, part_of(progress, kCellsShare, 1.0));
}

}  // namespace microagg
