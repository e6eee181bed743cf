// Cells: neighbouring points, cut apart at medians; and the groups that come of cutting on to the end.
#pragma once

#include <vector>

#include "kernels/base/pool.h"
#include "kernels/base/random.h"
#include "kernels/base/records.h"

namespace microagg {

// Cell c holds the points order[starts[c]] .. order[starts[c + 1] - 1], in ascending order.
struct Cells {
    std::vector<std::uint32_t> order;
    std::vector<std::size_t> starts;
    std::size_t count() const { return starts.size() - 1; }
};

// Points in single precision, row by row; rows are `stride` apart.
struct Points {
    const float* data;
    std::size_t n, m, stride;
    const float* operator[](std::size_t row) const { return data + row * stride; }
};

// Cuts the points into cells of at most `most`, near the median along a direction of wide spread, chosen at random:
// other random numbers give other borders.
Cells cut_cells(Records points, std::size_t most, Random random);
// The same on several threads, with other random numbers; the cells do not depend on how many there are.
Cells cut_cells(Records points, std::size_t most, std::uint64_t seed, std::uint64_t turn, Pool& pool);
Cells cut_cells(Points points, std::size_t most, std::uint64_t seed, std::uint64_t turn, Pool& pool);

// Cuts `rows` of X in two, again and again, into groups of k to 2k-1; labels[t] is the group of rows[t], from 0 on.
// Gives the number of groups. Needs n_rows >= k.
std::size_t cut_groups(Records X, const std::uint32_t* rows, std::size_t n_rows, std::size_t k, std::uint32_t* labels);

}  // namespace microagg
