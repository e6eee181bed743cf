// Groups for a search to start from: MDAV in cells.
#include "kernels/search/start_groups.h"

#include <algorithm>
#include <vector>

#include "kernels/base/members.h"
#include "kernels/base/pool.h"
#include "kernels/mdav/mdav.h"
#include "kernels/neighbours/cells.h"

namespace microagg {
namespace {

constexpr std::size_t kStartCell = 30000;

}  // namespace

void start_groups(Records X, std::size_t k, std::size_t threads, std::int64_t* labels) {
    const Cells cells = cut_cells(X, std::max(kStartCell, 8 * k), Random(0));
    Pool(threads).run(cells.count(), [&](std::size_t cell, std::size_t) {
        const std::uint32_t* rows = &cells.order[cells.starts[cell]];
        const std::size_t size = cells.starts[cell + 1] - cells.starts[cell];
        std::vector<double> values(size * X.m);
        for (std::size_t i = 0; i < size; ++i) std::copy_n(X[rows[i]], X.m, &values[i * X.m]);
        std::vector<std::int64_t> part(size);
        mdav({values.data(), size, X.m}, k, cells.count() == 1 ? threads : 1, part.data(), [](double) {});
        // No two cells share a number: a cell has fewer groups than records.
        for (std::size_t i = 0; i < size; ++i)
            labels[rows[i]] = static_cast<std::int64_t>(cells.starts[cell]) + part[i];
    });
    std::vector<std::uint32_t> numbered(labels, labels + X.n);
    renumber(numbered);
    std::copy(numbered.begin(), numbered.end(), labels);
}

}  // namespace microagg
