// Cutting numbered things in two, and the parts again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/base/records.h"

namespace microagg {

// Reorders rows so that those before `middle` have the lowest values of key(row); ties by row. soon(row) is told some
// time before its key is asked for.
template <class Row, class Key, class Soon>
void divide(Row* begin, Row* middle, Row* end, const Key& key, const Soon& soon) {
    constexpr std::ptrdiff_t kAhead = 12;
    std::vector<std::pair<decltype(key(*begin)), Row>> keyed;
    keyed.reserve(static_cast<std::size_t>(end - begin));
    for (const Row* row = begin; row != end; ++row) {
        if (end - row > kAhead) soon(row[kAhead]);
        keyed.emplace_back(key(*row), *row);
    }
    std::nth_element(keyed.begin(), keyed.begin() + (middle - begin), keyed.end());
    for (const auto& each : keyed) *begin++ = each.second;
}
template <class Row, class Key>
void divide(Row* begin, Row* middle, Row* end, const Key& key) {
    divide(begin, middle, end, key, [](Row) {});
}

// split(begin, end) reorders a part and gives where its second half begins, or
// end where it stays whole: then keep(begin, end) has it, the first parts first.
template <class Row, class Split, class Keep>
void split_parts(Row* begin, Row* end, const Split& split, const Keep& keep) {
    std::vector<std::pair<Row*, Row*>> waiting{{begin, end}};
    while (!waiting.empty()) {
        const auto [first, last] = waiting.back();
        waiting.pop_back();
        Row* cut = split(first, last);
        if (cut == last) {
            keep(first, last);
        } else {
            waiting.emplace_back(cut, last);
            waiting.emplace_back(first, cut);
        }
    }
}

// Splits 0..n-1 so and numbers the parts: labels[i] is the part that i stays in.
template <class Split>
void label_parts(std::size_t n, std::int64_t* labels, const Progress& progress, const Split& split) {
    std::vector<std::size_t> rows(n);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    std::int64_t label = 0;
    split_parts(rows.data(), rows.data() + n, split, [&](const std::size_t* begin, const std::size_t* end) {
        for (const std::size_t* row = begin; row != end; ++row) labels[*row] = label;
        ++label;
        progress(static_cast<double>(end - rows.data()) / static_cast<double>(n));
    });
}

}  // namespace microagg
