// Tuples, clusters of them, and their centroids.
//
//   distance(tuple, centre) = sum over columns of the distance of its value to the candidate
//   centroid, in each column:  equality: the value that most records have
//                              line:     the lower median
//                              table:    the candidate with the least distance, summed over records
//
// A cluster is made anew again and again, and counts the few values that it has; what remains only becomes less, and
// keeps for each column the counts, the median or the sums, from which each record that leaves is taken away.
#include "kernels/semantic/space.h"

#include <algorithm>

namespace microagg {

Space::Space(const std::int64_t* shapes, std::size_t m, const std::int64_t* tables, const std::int64_t* codes,
             const std::int64_t* counts_of, std::size_t n_tuples)
    : counts(counts_of), n(n_tuples) {
    for (std::size_t j = 0; j < m; ++j) {
        const auto measure = static_cast<Measure>(shapes[3 * j]);
        const auto values = static_cast<std::size_t>(shapes[3 * j + 1]);
        const auto candidates = static_cast<std::size_t>(shapes[3 * j + 2]);
        columns.push_back({measure, values, candidates, tables, codes + j * n});
        tables += measure == Measure::kEquality ? 1 : measure == Measure::kLine ? values : values * candidates;
    }
}

Centre Space::of(std::size_t tuple) const {
    Centre centre;
    for (const Column& column : columns) centre.push_back(column.codes[tuple]);
    return centre;
}

std::int64_t Space::distance(std::size_t tuple, const Centre& centre) const {
    std::int64_t sum = 0;
    for (std::size_t j = 0; j < columns.size(); ++j) sum += columns[j].distance(columns[j].codes[tuple], centre[j]);
    return sum;
}

void Space::distances(const std::vector<std::size_t>& tuples, const Centre& centre,
                      std::vector<std::int64_t>& out) const {
    out.assign(tuples.size(), 0);
    for (std::size_t j = 0; j < columns.size(); ++j) {
        const Column& column = columns[j];
        const std::int64_t candidate = centre[j];
        if (column.measure == Measure::kEquality) {
            for (std::size_t i = 0; i < tuples.size(); ++i)
                out[i] += column.codes[tuples[i]] == candidate ? 0 : column.table[0];
        } else if (column.measure == Measure::kLine) {
            for (std::size_t i = 0; i < tuples.size(); ++i) {
                const std::int64_t gap = column.table[column.codes[tuples[i]]] - column.table[candidate];
                out[i] += gap < 0 ? -gap : gap;
            }
        } else {
            const std::int64_t* row = column.table + static_cast<std::size_t>(candidate) * column.n_values;
            for (std::size_t i = 0; i < tuples.size(); ++i) out[i] += row[column.codes[tuples[i]]];
        }
    }
}

std::int64_t Space::n_records() const {
    std::int64_t total = 0;
    for (std::size_t t = 0; t < n; ++t) total += counts[t];
    return total;
}

Cluster::Cluster(const Space& of) : space(of), values(of.columns.size()) {}

void Cluster::clear() {
    total = 0;
    for (auto& column : values) column.clear();
}

void Cluster::add(std::size_t tuple, std::int64_t count) {
    total += count;
    for (std::size_t j = 0; j < values.size(); ++j) {
        const std::int64_t value = space.columns[j].codes[tuple];
        const auto at = std::lower_bound(values[j].begin(), values[j].end(), std::make_pair(value, std::int64_t{0}));
        if (at != values[j].end() && at->first == value)
            at->second += count;
        else
            values[j].insert(at, {value, count});
    }
}

void Cluster::assign(const std::size_t* begin, const std::size_t* end) {
    clear();
    for (const std::size_t* t = begin; t != end; ++t) total += space.counts[*t];
    for (std::size_t j = 0; j < values.size(); ++j) {
        auto& column = values[j];
        for (const std::size_t* t = begin; t != end; ++t)
            column.emplace_back(space.columns[j].codes[*t], space.counts[*t]);
        std::sort(column.begin(), column.end());
        std::size_t kept = 0;
        for (const auto& [value, count] : column) {
            if (kept > 0 && column[kept - 1].first == value)
                column[kept - 1].second += count;
            else
                column[kept++] = {value, count};
        }
        column.resize(kept);
    }
}

Centre Cluster::centroid() const {
    Centre centre(values.size());
    for (std::size_t j = 0; j < values.size(); ++j) {
        const Column& column = space.columns[j];
        if (column.measure == Measure::kEquality) {
            std::int64_t most_often = 0;
            for (const auto& [value, count] : values[j])
                if (count > most_often) most_often = count, centre[j] = value;
        } else if (column.measure == Measure::kLine) {
            std::int64_t seen = 0;
            for (const auto& [value, count] : values[j]) {
                seen += count;
                centre[j] = value;
                if (2 * seen >= total) break;
            }
        } else {
            std::vector<std::int64_t> cost(column.n_candidates, 0);
            for (std::size_t c = 0; c < column.n_candidates; ++c)
                for (const auto& [value, count] : values[j])
                    cost[c] += count * column.table[c * column.n_values + static_cast<std::size_t>(value)];
            centre[j] = static_cast<std::int64_t>(least(cost));
        }
    }
    return centre;
}

Remainder::Remainder(const Space& of) : space(of), count_of(of.counts, of.counts + of.n), tallies(of.columns.size()) {
    for (std::size_t t = 0; t < space.n; ++t) {
        total += count_of[t];
        alive.push_back(t);
    }
    for (std::size_t j = 0; j < tallies.size(); ++j) {
        const Column& column = space.columns[j];
        Tally& tally = tallies[j];
        tally.count.assign(column.n_values, 0);
        for (std::size_t t = 0; t < space.n; ++t) tally.count[static_cast<std::size_t>(column.codes[t])] += count_of[t];
        if (column.measure != Measure::kTable) continue;
        tally.cost.assign(column.n_candidates, 0);
        for (std::size_t c = 0; c < column.n_candidates; ++c)
            for (std::size_t v = 0; v < column.n_values; ++v)
                tally.cost[c] += tally.count[v] * column.table[c * column.n_values + v];
    }
}

void Remainder::remove(std::size_t tuple, std::int64_t count) {
    total -= count;
    count_of[tuple] -= count;
    if (count_of[tuple] == 0) gone = true;
    for (std::size_t j = 0; j < tallies.size(); ++j) {
        const Column& column = space.columns[j];
        Tally& tally = tallies[j];
        const auto value = static_cast<std::size_t>(column.codes[tuple]);
        tally.count[value] -= count;
        if (column.measure == Measure::kEquality) {
            if (value == tally.at) tally.stale = true;
        } else if (column.measure == Measure::kLine) {
            if (value < tally.at) tally.below -= count;
        } else {
            for (std::size_t c = 0; c < column.n_candidates; ++c)
                tally.cost[c] -= count * column.table[c * column.n_values + value];
        }
    }
}

const std::vector<std::size_t>& Remainder::tuples() {
    if (gone) {
        alive.erase(std::remove_if(alive.begin(), alive.end(), [&](std::size_t t) { return count_of[t] == 0; }),
                    alive.end());
        gone = false;
    }
    return alive;
}

Centre Remainder::centroid() {
    Centre centre(tallies.size());
    for (std::size_t j = 0; j < tallies.size(); ++j) {
        Tally& tally = tallies[j];
        switch (space.columns[j].measure) {
            case Measure::kEquality:
                // Counts only fall, so the mode stays the mode until one of its own goes.
                if (tally.stale) tally.at = most(tally.count);
                tally.stale = false;
                break;
            case Measure::kLine:
                while (tally.at > 0 && 2 * tally.below >= total) tally.below -= tally.count[--tally.at];
                while (2 * (tally.below + tally.count[tally.at]) < total) tally.below += tally.count[tally.at++];
                break;
            default:
                tally.at = least(tally.cost);
        }
        centre[j] = static_cast<std::int64_t>(tally.at);
    }
    return centre;
}

std::size_t least(const std::vector<std::int64_t>& numbers) {
    return static_cast<std::size_t>(std::min_element(numbers.begin(), numbers.end()) - numbers.begin());
}

std::size_t most(const std::vector<std::int64_t>& numbers) {
    return static_cast<std::size_t>(std::max_element(numbers.begin(), numbers.end()) - numbers.begin());
}

}  // namespace microagg
