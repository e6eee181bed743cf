// Strict multidimensional Mondrian for categories (Veltmann 2022), on distinct tuples with counts.
//
//   split(part): for each column, the widest first, and the values that occur in it, in their order:
//                    centroid: cut before the value nearest to the centroid, else after it; else at the next nearest
//                    gap:      cut between the neighbours that lie farthest apart, else at the next widest gap
//                    median:   cut as near to the middle of the records as possible
//                    the first cut that leaves k records on both sides: split both sides; done
//                the part is a group
//
// The width of a column is the mean distance to its centroid: over records (centroid and median), or over values, each
// weighted by its records (gap), which are what those methods take for data. Ties go to the lower column and cut.
//
// Literal, as the thesis prints it: a column whose first value, gap or middle cannot be cut is given up for the next
// column, and the width is the mean over records whatever the rule.
#include "kernels/semantic/semantic_mondrian.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "kernels/base/split.h"

namespace microagg {
namespace {

class Splitter {
  public:
    Splitter(const Space& of, std::int64_t least_size, CutRule cut_rule, bool as_printed, const std::int64_t* ranks)
        : space(of), k(least_size), rule(cut_rule), literal(as_printed), cluster(of) {
        for (const Column& column : space.columns) {
            rank.push_back(ranks);
            ranks += column.n_values;
        }
    }

    // Reorders the tuples in [begin, end) and gives where the second side begins; end where there is no cut.
    std::size_t* split(std::size_t* begin, std::size_t* end) {
        std::int64_t total = 0;
        for (const std::size_t* t = begin; t != end; ++t) total += space.counts[*t];
        if (total < 2 * k) return end;
        cluster.assign(begin, end);
        const Centre centre = cluster.centroid();
        std::vector<double> width(space.columns.size());
        for (std::size_t j = 0; j < width.size(); ++j) {
            const Column& column = space.columns[j];
            std::int64_t sum = 0;
            for (const std::size_t* t = begin; t != end; ++t)
                sum += space.counts[*t] * column.distance(column.codes[*t], centre[j]);
            const bool over_values = rule == CutRule::kGap && !literal;
            const std::size_t data = over_values ? cluster.n_values(j) : static_cast<std::size_t>(total);
            width[j] = static_cast<double>(sum) / static_cast<double>(data);
        }
        std::vector<std::size_t> columns(width.size());
        std::iota(columns.begin(), columns.end(), std::size_t{0});
        std::stable_sort(columns.begin(), columns.end(),
                         [&](std::size_t a, std::size_t b) { return width[a] > width[b]; });
        for (const std::size_t j : columns) {
            const Column& column = space.columns[j];
            const std::int64_t* place = rank[j];
            std::sort(begin, end, [&](std::size_t a, std::size_t b) {
                const std::int64_t first = place[column.codes[a]], second = place[column.codes[b]];
                return first < second || (first == second && a < b);
            });
            std::size_t* cut = cut_at(begin, end, column, centre[j], total);
            if (cut != end) return cut;
        }
        return end;
    }

  private:
    std::size_t* cut_at(std::size_t* begin, std::size_t* end, const Column& column, std::int64_t centre,
                        std::int64_t total) {
        // Runs of equal values: where they start, and how many records come before.
        std::vector<std::size_t*> start;
        std::vector<std::int64_t> before;
        std::int64_t seen = 0;
        for (std::size_t* t = begin; t != end; ++t) {
            if (t == begin || column.codes[*t] != column.codes[*(t - 1)]) {
                start.push_back(t);
                before.push_back(seen);
            }
            seen += space.counts[*t];
        }
        const std::size_t runs = start.size();
        const auto allowed = [&](std::size_t at) {
            return at > 0 && at < runs && before[at] >= k && total - before[at] >= k;
        };
        std::vector<std::size_t> order(runs);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::vector<std::int64_t> value(runs), key(runs, 0);
        for (std::size_t i = 0; i < runs; ++i) value[i] = column.codes[*start[i]];
        for (std::size_t i = 0; i < runs; ++i) {
            if (rule == CutRule::kCentroid) key[i] = column.distance(value[i], centre);
            if (rule == CutRule::kGap) key[i] = i == 0 ? 0 : -column.distance(value[i], value[i - 1]);
            if (rule == CutRule::kMedian) key[i] = std::abs(2 * before[i] - total);
        }
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key[a] < key[b]; });
        for (const std::size_t i : order) {
            if (rule == CutRule::kGap && i == 0) continue;
            if (allowed(i)) return start[i];
            if (rule == CutRule::kCentroid && allowed(i + 1)) return start[i + 1];
            if (literal) break;
        }
        return end;
    }

    const Space& space;
    std::int64_t k;
    CutRule rule;
    bool literal;
    Cluster cluster;
    std::vector<const std::int64_t*> rank;
};

}  // namespace

void semantic_mondrian(const Space& space, std::int64_t k, CutRule rule, bool literal, const std::int64_t* ranks,
                       std::int64_t* labels, const Progress& progress) {
    Splitter splitter(space, k, rule, literal, ranks);
    label_parts(space.n, labels, progress,
                [&](std::size_t* begin, std::size_t* end) { return splitter.split(begin, end); });
}

}  // namespace microagg
