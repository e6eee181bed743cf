// Labels of groups, turned round: the rows of each group.
//
//   count the rows of each group; a group starts where those before it end; put each row where its group goes on
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "kernels/base/constants.h"

namespace microagg {

// Rows of each group, ascending, one group after the other.
struct Members {
    std::vector<std::uint32_t> rows;
    std::vector<std::size_t> starts;  // of each group, and the end of the last
};

// Labels are below n_groups; groups may be empty.
inline Members members_of(const std::vector<std::uint32_t>& labels, std::size_t n_groups) {
    Members members;
    members.starts.assign(n_groups + 1, 0);
    for (const std::uint32_t g : labels) ++members.starts[g + 1];
    std::partial_sum(members.starts.begin(), members.starts.end(), members.starts.begin());
    std::vector<std::size_t> next(members.starts.begin(), members.starts.end() - 1);
    members.rows.resize(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) members.rows[next[labels[i]]++] = static_cast<std::uint32_t>(i);
    return members;
}

// Labels 0..G-1 in the order of first appearance; gives G.
inline std::size_t renumber(std::vector<std::uint32_t>& labels) {
    std::vector<std::uint32_t> number(*std::max_element(labels.begin(), labels.end()) + std::size_t{1}, kNobody);
    std::uint32_t n_groups = 0;
    for (std::uint32_t& label : labels) {
        if (number[label] == kNobody) number[label] = n_groups++;
        label = number[label];
    }
    return n_groups;
}

}  // namespace microagg
