// A block: some records of the data, copied, centred and padded, with the nearest neighbours of each among them.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "kernels/base/records.h"
#include "kernels/neighbours/near_neighbours.h"

namespace microagg {

struct Block {
    // `rows` are the rows of X that belong here; each gets its `n_neighbours` nearest ones (fewer in a small block,
    // and neither neighbours nor scale for 0).
    Block(Records X, const std::uint32_t* rows, std::size_t n_rows, std::size_t n_neighbours);
    // The same with the neighbours of a graph, as far as they are in the block: place(row) says where, or n_rows.
    // Neighbours that are elsewhere are replaced by neighbours of neighbours.
    Block(Records X, const std::uint32_t* rows, std::size_t n_rows, const Graph& graph,
          const std::function<std::size_t(std::uint32_t)>& place);

    const double* operator[](std::size_t record) const { return &values[record * stride]; }
    const std::uint32_t* neighbours_of(std::size_t record) const { return &neighbours[record * n_neighbours]; }

    std::size_t n;
    std::vector<std::uint32_t> rows;  // of X
    std::size_t m;                    // columns
    std::size_t stride;               // columns, padded with zeros to a multiple of 4
    std::size_t n_neighbours;
    std::vector<double> values;
    std::vector<std::uint32_t> neighbours;  // nearest first
    std::vector<double> scale;              // mean squared distance of a record to its neighbours

  private:
    void copy(Records X);
    // near(i, t) says where the t-th nearest of `n_near` neighbours of record i is in the block, or n.
    template <class Near>
    void take_neighbours(std::size_t n_near, const Near& near);
    void measure_scale();
};

// Four sums that run side by side and meet at the end: the same order of additions on every machine, vectorised or not.
struct Lanes {
    double lane[4] = {0.0, 0.0, 0.0, 0.0};
    double total() const { return (lane[0] + lane[1]) + (lane[2] + lane[3]); }
};

inline double squared_gap(const double* a, const double* b, std::size_t stride) {
    Lanes sum;
    for (std::size_t c = 0; c < stride; c += 4)
        for (std::size_t t = 0; t < 4; ++t) sum.lane[t] += (a[c + t] - b[c + t]) * (a[c + t] - b[c + t]);
    return sum.total();
}

}  // namespace microagg
