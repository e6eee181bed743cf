// Mondrian for numbers (LeFevre, DeWitt and Ramakrishnan 2006).
//
//   split(part): for each column, the widest range first:
//                    strict:  of the cuts between different values that leave k records on both sides, the one that
//                             is nearest to the middle, the lower one on a tie
//                    relaxed: the middle, equal values divided by row number
//                    if there is one: split both sides; done
//                the part is a group
#include "kernels/partition/mondrian.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "kernels/base/box.h"
#include "kernels/base/split.h"

namespace microagg {

void mondrian(Records X, std::size_t k, bool strict, std::int64_t* labels, const Progress& progress) {
    std::vector<std::size_t> columns(X.m);
    std::vector<double> lower(X.m), upper(X.m);
    const auto range = [&](std::size_t j) { return upper[j] - lower[j]; };
    label_parts(X.n, labels, progress, [&](std::size_t* begin, std::size_t* end) {
        const auto size = static_cast<std::size_t>(end - begin);
        if (size < 2 * k) return end;
        enclose(X, begin, end, lower.data(), upper.data());
        std::iota(columns.begin(), columns.end(), std::size_t{0});
        std::stable_sort(columns.begin(), columns.end(),
                         [&](std::size_t a, std::size_t b) { return range(a) > range(b); });
        for (const std::size_t j : columns) {
            if (strict && range(j) == 0.0) break;
            std::sort(begin, end,
                      [&](std::size_t a, std::size_t b) { return X[a][j] < X[b][j] || (X[a][j] == X[b][j] && a < b); });
            const std::size_t middle = size / 2;
            const auto allowed = [&](std::size_t at) {
                return at >= k && at + k <= size && (!strict || X[begin[at - 1]][j] < X[begin[at]][j]);
            };
            for (std::size_t away = 0; away + k <= size; ++away) {
                if (away <= middle && allowed(middle - away)) return begin + (middle - away);
                if (allowed(middle + away)) return begin + middle + away;
            }
        }
        return end;
    });
}

}  // namespace microagg
