// A partition of all records, improved block by block: each block holds whole groups and is a problem of its own.
#pragma once

#include <functional>
#include <vector>

#include "kernels/base/random.h"
#include "kernels/base/watch.h"
#include "kernels/search/grouping.h"

namespace microagg {

struct BlockPlan {
    Limits limits;             // of groups; larger ones than it allows stay as they are
    std::size_t most;          // records in a block, about
    std::size_t n_neighbours;  // of a record; may be none
    std::size_t threads;
    std::uint64_t seed;
    const Graph* graph = nullptr;  // where to look for neighbours instead of comparing all pairs of a block
    bool always = false;           // whether to keep what the work gives, better or not
};

// How many neighbours of a record propose groups to it.
std::size_t neighbours_for(std::size_t k);

// Splits every group of 2k records or more, where the parts keep the promises: that never costs.
void split_large(Records X, std::size_t k, const Promises* promises, std::vector<std::uint32_t>& labels);

// Limits for improving a partition: 2k-1 records without promises; otherwise room for the largest group, and then some,
// but not more than `most`.
Limits limits_for(std::size_t k, const Promises* promises, const std::vector<std::uint32_t>& labels, std::size_t most);
// How many records a group may have at most in a block, where promises need many: memory is set aside for it.
std::size_t most_in_block(std::size_t k);

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

// Local search of the whole partition, whose groups keep the promises, where there are any, and go on to: `max_passes`
// over the blocks: few where there are many records, to the end where there are few. Gives the decrease of the sum of
// squared errors by its books, without that of splitting groups of 2k and more.
double refine_local(Records X, std::size_t k, const Promises* promises, std::size_t max_passes, std::uint64_t seed,
                    std::size_t threads, double time_limit, const Progress& progress, std::int64_t* labels);

}  // namespace microagg
