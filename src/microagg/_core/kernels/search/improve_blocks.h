// A partition of all records, improved block by block: each block holds whole groups and is a problem of its own.
#pragma once

#include <functional>
#include <vector>

#include "kernels/base/random.h"
#include "kernels/base/watch.h"
#include "kernels/search/grouping.h"

namespace microagg {

struct BlockPlan {
    std::size_t k;
    std::size_t most;          // records in a block, about
    std::size_t n_neighbours;  // of a record; may be none
    std::size_t threads;
    std::uint64_t seed;
    const Graph* graph = nullptr;  // where to look for neighbours instead of comparing all pairs of a block
};

// How many neighbours of a record propose groups to it.
std::size_t neighbours_for(std::size_t k);

// Splits every group of 2k records or more: that never costs.
void split_large(Records X, std::size_t k, std::vector<std::uint32_t>& labels);

// The sum of squared errors, counted from the records.
double sum_of_squares(Records X, const std::vector<std::uint32_t>& labels);

// Improves the partition of a block in place, and gives the decrease of the sum of squared errors by its own books.
// Told whether it runs on the calling thread, which alone may report.
using BlockWork = std::function<double(const Block&, std::vector<std::uint32_t>&, Random&, bool)>;

// One pass: cuts the groups into blocks (other ones in every pass), lets `work` improve each, and keeps what is
// better by a recount. Gives the decrease by the books of what was kept. `reached` is told, on the calling thread, how
// much is done.
double improve_blocks(Records X, const BlockPlan& plan, std::size_t pass, std::vector<std::uint32_t>& labels,
                      Watch& watch, const BlockWork& work, const std::function<void(double)>& reached);

// Local search of the whole partition, `max_passes` over the blocks: few where there are many records, to the end where
// there are few. Gives the decrease of the sum of squared errors by its books, without that of splitting groups of 2k
// and more.
double refine_local(Records X, std::size_t k, std::size_t max_passes, std::uint64_t seed, std::size_t threads,
                    double time_limit, const Progress& progress, std::int64_t* labels);

}  // namespace microagg
