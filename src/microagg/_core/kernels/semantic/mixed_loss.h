// The loss of groups of categories and numbers alike: what mixed searches lower.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/semantic/space.h"

namespace microagg {

// Records of one tuple in one group.
struct Piece {
    std::size_t tuple;
    std::int64_t count;
};
using Pieces = std::vector<Piece>;

class MixedLoss {
  public:
    MixedLoss(const Space& of, const double* weights, const bool* means_of, bool joint_columns)
        : space(of), means(means_of), joint(joint_columns), scale(weights, weights + of.columns.size()) {
        if (joint) return;
        Pieces all(space.n);
        for (std::size_t t = 0; t < space.n; ++t) all[t] = {t, space.counts[t]};
        for (std::size_t j = 0; j < scale.size(); ++j) {
            const double total = column_loss(j, all);
            scale[j] = total > 0.0 ? weights[j] / total : 0.0;
        }
    }

    double operator()(const Pieces& pieces) const {
        if (pieces.size() <= 1) return 0.0;
        if (joint) return joint_loss(pieces);
        double sum = 0.0;
        for (std::size_t j = 0; j < scale.size(); ++j)
            if (scale[j] > 0.0) sum += scale[j] * column_loss(j, pieces);
        return sum;
    }

    const std::vector<double>& scales() const { return scale; }

  private:
    double joint_loss(const Pieces& pieces) const {
        std::vector<double> gaps(pieces.size(), 0.0);
        for (std::size_t j = 0; j < scale.size(); ++j) {
            const Column& column = space.columns[j];
            const std::int64_t at = centre(column, pieces);
            for (std::size_t i = 0; i < pieces.size(); ++i)
                gaps[i] += scale[j] * static_cast<double>(column.distance(column.codes[pieces[i].tuple], at));
        }
        double sum = 0.0;
        for (std::size_t i = 0; i < pieces.size(); ++i) sum += static_cast<double>(pieces[i].count) * gaps[i] * gaps[i];
        return sum;
    }

    std::int64_t centre(const Column& column, const Pieces& pieces) const {
        return column.measure == Measure::kTable ? semantic(column, pieces) : middle(column, pieces);
    }

    double column_loss(std::size_t j, const Pieces& pieces) const {
        const Column& column = space.columns[j];
        const std::int64_t first = column.codes[pieces[0].tuple];
        if (std::all_of(pieces.begin(), pieces.end(), [&](const Piece& p) { return column.codes[p.tuple] == first; }))
            return 0.0;
        if (column.measure == Measure::kLine && means[j]) return about_mean(column, pieces);
        if (column.measure == Measure::kEquality && pieces.size() <= kFew) return about_mode_of_few(column, pieces);
        const std::int64_t at = centre(column, pieces);
        double sum = 0.0;
        for (const Piece& p : pieces) {
            const auto gap = static_cast<double>(column.distance(column.codes[p.tuple], at));
            sum += static_cast<double>(p.count) * gap * gap;
        }
        return sum;
    }

    static double about_mean(const Column& column, const Pieces& pieces) {
        // Places relative to the first, so that digits are not lost.
        const std::int64_t origin = column.table[column.codes[pieces[0].tuple]];
        double sum = 0.0, squares = 0.0, n = 0.0;
        for (const Piece& p : pieces) {
            const auto place = static_cast<double>(column.table[column.codes[p.tuple]] - origin);
            const auto count = static_cast<double>(p.count);
            n += count;
            sum += count * place;
            squares += count * place * place;
        }
        return std::max(0.0, squares - sum * sum / n);
    }

    // Few are counted faster than sorted.
    static double about_mode_of_few(const Column& column, const Pieces& pieces) {
        std::int64_t codes[kFew], counts[kFew], total = 0, most_often = 0;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            codes[i] = column.codes[pieces[i].tuple];
            counts[i] = pieces[i].count;
            total += counts[i];
        }
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            std::int64_t count = 0;
            for (std::size_t other = 0; other < pieces.size(); ++other)
                count += codes[other] == codes[i] ? counts[other] : 0;
            most_often = std::max(most_often, count);
        }
        const auto gap = static_cast<double>(column.table[0]);
        return static_cast<double>(total - most_often) * gap * gap;
    }

    static std::int64_t semantic(const Column& column, const Pieces& pieces) {
        std::int64_t best = 0, least_cost = std::numeric_limits<std::int64_t>::max();
        for (std::size_t c = 0; c < column.n_candidates; ++c) {
            const std::int64_t* row = column.table + c * column.n_values;
            std::int64_t cost = 0;
            for (const Piece& p : pieces) cost += p.count * row[column.codes[p.tuple]];
            if (cost < least_cost) least_cost = cost, best = static_cast<std::int64_t>(c);
        }
        return best;
    }

    // The mode, or the lower median; the lower value on a tie.
    std::int64_t middle(const Column& column, const Pieces& pieces) const {
        scratch.clear();
        std::int64_t total = 0;
        for (const Piece& p : pieces) {
            scratch.emplace_back(column.codes[p.tuple], p.count);
            total += p.count;
        }
        std::sort(scratch.begin(), scratch.end());
        std::int64_t seen = 0, run = 0, most_often = 0, mode = scratch[0].first;
        for (std::size_t i = 0; i < scratch.size(); ++i) {
            const auto& [value, count] = scratch[i];
            seen += count;
            run = i > 0 && scratch[i - 1].first == value ? run + count : count;
            if (run > most_often) most_often = run, mode = value;
            if (column.measure == Measure::kLine && 2 * seen >= total) return value;
        }
        return mode;
    }

    static constexpr std::size_t kFew = 24;

    const Space& space;
    const bool* means;
    bool joint;
    std::vector<double> scale;
    mutable std::vector<std::pair<std::int64_t, std::int64_t>> scratch;
};

}  // namespace microagg
