// Mondrian for numbers (LeFevre, DeWitt and Ramakrishnan 2006).
//
//   split(part): for each column, the widest range first:
//                    strict:  of the cuts between different values that leave k records on both sides, the one that
//                             is nearest to the middle, the lower one on a tie
//                    relaxed: the middle, equal values divided by row number
//                    if there is one: split both sides; done
//                the part is a group
#include "kernels/mondrian.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace microagg {

void mondrian(Records X, std::size_t k, bool strict, std::int64_t* labels, const Progress& progress) {
    std::vector<std::size_t> rows(X.n);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    struct Part {
        std::size_t begin, end;
    };
    std::vector<Part> waiting{{0, X.n}};
    std::vector<std::size_t> columns(X.m);
    std::vector<double> range(X.m);
    std::int64_t group = 0;
    std::size_t done = 0;
    while (!waiting.empty()) {
        const Part part = waiting.back();
        waiting.pop_back();
        const std::size_t size = part.end - part.begin;
        std::size_t cut = 0;
        if (size >= 2 * k) {
            for (std::size_t j = 0; j < X.m; ++j) {
                double low = X[rows[part.begin]][j], high = low;
                for (std::size_t i = part.begin; i < part.end; ++i) {
                    low = std::min(low, X[rows[i]][j]);
                    high = std::max(high, X[rows[i]][j]);
                }
                range[j] = high - low;
            }
            std::iota(columns.begin(), columns.end(), std::size_t{0});
            std::stable_sort(columns.begin(), columns.end(),
                             [&](std::size_t a, std::size_t b) { return range[a] > range[b]; });
            for (const std::size_t j : columns) {
                if (strict && range[j] == 0.0) break;
                std::sort(rows.begin() + static_cast<std::ptrdiff_t>(part.begin),
                          rows.begin() + static_cast<std::ptrdiff_t>(part.end), [&](std::size_t a, std::size_t b) {
                              return X[a][j] < X[b][j] || (X[a][j] == X[b][j] && a < b);
                          });
                const std::size_t middle = size / 2;
                const auto allowed = [&](std::size_t at) {
                    return at >= k && at + k <= size &&
                           (!strict || X[rows[part.begin + at - 1]][j] < X[rows[part.begin + at]][j]);
                };
                for (std::size_t away = 0; cut == 0 && away + k <= size; ++away) {
                    if (away <= middle && allowed(middle - away))
                        cut = middle - away;
                    else if (allowed(middle + away))
                        cut = middle + away;
                }
                if (cut != 0) break;
            }
        }
        if (cut != 0) {
            waiting.push_back({part.begin + cut, part.end});
            waiting.push_back({part.begin, part.begin + cut});
            continue;
        }
        for (std::size_t i = part.begin; i < part.end; ++i) labels[rows[i]] = group;
        ++group;
        done += size;
        progress(static_cast<double>(done) / static_cast<double>(X.n));
    }
}

}  // namespace microagg
