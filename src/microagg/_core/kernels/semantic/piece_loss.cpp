// Losses of pieces.
//
//   numbers:   squares about the mean, from the places relative to the first piece, so that digits are not lost; where
//              the common value is the lower median m, n (mean - m)^2 more
//   equality:  records that are not of the mode
//   table:     squared distances to the candidate with the least sum of distances, the first on a tie
#include "kernels/semantic/piece_loss.h"

#include <algorithm>

#include "kernels/base/pool.h"

namespace microagg {

MixedRows::MixedRows(const MixedColumns& of, std::size_t n_tuples, std::size_t threads)
    : columns(of),
      n_numbers(of.numbers().size()),
      n_codes(of.n_codes()),
      all_numbers(n_tuples * n_numbers),
      all_codes(n_tuples * n_codes) {
    in_parallel(
        n_tuples, 4096, threads, [](double) {},
        [&](std::size_t t, std::size_t) {
            for (std::size_t j = 0; j < n_numbers; ++j) all_numbers[t * n_numbers + j] = of.number(j, t);
            for (std::size_t j = 0; j < n_codes; ++j) all_codes[t * n_codes + j] = of.code(j, t);
        });
}

PieceLoss::PieceLoss(const MixedRows& rows) : rows_(rows), sums_(rows.n_numbers), squares_(rows.n_numbers) {
    std::size_t n_values = 0;
    for (const auto& equality : rows.columns.equalities()) n_values = std::max(n_values, equality.n_values);
    count_.assign(n_values, 0);
}

double PieceLoss::operator()(const Pieces& pieces) {
    if (pieces.size() <= 1) return 0.0;
    const std::size_t n_numbers = rows_.n_numbers;
    std::int64_t size = 0;
    std::fill(sums_.begin(), sums_.end(), 0.0);
    std::fill(squares_.begin(), squares_.end(), 0.0);
    const double* origin = rows_.numbers(pieces[0].tuple);
    for (const Piece& piece : pieces) {
        const double* row = rows_.numbers(piece.tuple);
        const auto count = static_cast<double>(piece.count);
        size += piece.count;
        for (std::size_t j = 0; j < n_numbers; ++j) {
            const double gap = row[j] - origin[j];
            sums_[j] += count * gap;
            squares_[j] += count * gap * gap;
        }
    }
    const auto n = static_cast<double>(size);
    double loss = 0.0;
    for (std::size_t j = 0; j < n_numbers; ++j) {
        if (squares_[j] == 0.0) continue;
        loss += std::max(0.0, squares_[j] - sums_[j] * sums_[j] / n);
        if (j >= rows_.columns.n_means()) loss += off_mean(pieces, j, origin[j] + sums_[j] / n, size);
    }
    const auto& equalities = rows_.columns.equalities();
    for (std::size_t j = 0; j < equalities.size(); ++j)
        loss += equalities[j].unit * static_cast<double>(size - most_often(pieces, j));
    for (std::size_t j = 0; j < rows_.columns.tables().size(); ++j) loss += table(pieces, j);
    return loss;
}

double PieceLoss::off_mean(const Pieces& pieces, std::size_t number, double mean, std::int64_t size) {
    sorted_.clear();
    for (const Piece& piece : pieces) sorted_.emplace_back(rows_.numbers(piece.tuple)[number], piece.count);
    std::sort(sorted_.begin(), sorted_.end());
    std::int64_t seen = 0;
    std::size_t at = 0;
    while (2 * (seen += sorted_[at].second) < size) ++at;
    const double gap = mean - sorted_[at].first;
    return static_cast<double>(size) * gap * gap;
}

std::int64_t PieceLoss::most_often(const Pieces& pieces, std::size_t column) {
    std::int64_t most = 0;
    const auto at = [&](const Piece& piece) -> std::int64_t& {
        return count_[static_cast<std::size_t>(rows_.codes(piece.tuple)[column])];
    };
    for (const Piece& piece : pieces) most = std::max(most, at(piece) += piece.count);
    for (const Piece& piece : pieces) at(piece) = 0;
    return most;
}

double PieceLoss::table(const Pieces& pieces, std::size_t which) {
    const std::size_t column = rows_.columns.equalities().size() + which;
    tally_.clear();
    for (const Piece& piece : pieces) {
        const std::int32_t code = rows_.codes(piece.tuple)[column];
        const auto same =
            std::find_if(tally_.begin(), tally_.end(), [&](const auto& each) { return each.first == code; });
        if (same == tally_.end())
            tally_.emplace_back(code, static_cast<double>(piece.count));
        else
            same->second += static_cast<double>(piece.count);
    }
    return tally_.size() == 1 ? 0.0 : table_loss(rows_.columns.tables()[which], tally_, reach_);
}

}  // namespace microagg
