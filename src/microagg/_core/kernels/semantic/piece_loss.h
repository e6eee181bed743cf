// The loss of groups that change all the time: that of mixed_loss.h, columns by columns laid out for it
// (piece_loss.cpp).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/semantic/mixed_costs.h"
#include "kernels/semantic/mixed_loss.h"

namespace microagg {

// Tuples side by side, each with its numbers and codes as MixedColumns has them.
struct MixedRows {
    MixedRows(const MixedColumns& of, std::size_t n_tuples, std::size_t threads);

    const double* numbers(std::size_t tuple) const { return &all_numbers[tuple * n_numbers]; }
    const std::int32_t* codes(std::size_t tuple) const { return &all_codes[tuple * n_codes]; }

    const MixedColumns& columns;
    std::size_t n_numbers, n_codes;

  private:
    std::vector<double> all_numbers;
    std::vector<std::int32_t> all_codes;
};

// One for each thread: it has places of its own to count in.
class PieceLoss {
  public:
    explicit PieceLoss(const MixedRows& rows);
    double operator()(const Pieces& pieces);

  private:
    double off_mean(const Pieces& pieces, std::size_t number, double mean, std::int64_t size);
    std::int64_t most_often(const Pieces& pieces, std::size_t column);
    double table(const Pieces& pieces, std::size_t which);

    const MixedRows& rows_;
    std::vector<double> sums_, squares_;
    std::vector<std::int64_t> count_;  // of each code: zero between calls
    std::vector<std::pair<double, std::int64_t>> sorted_;
    Tally tally_;
    std::vector<double> reach_;
};

}  // namespace microagg
