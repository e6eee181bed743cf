// What a search on tuples does with the pieces of a group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/semantic/mixed_loss.h"

namespace microagg {

inline void put(Pieces& pieces, std::size_t tuple, std::int64_t count) {
    for (Piece& piece : pieces)
        if (piece.tuple == tuple) {
            piece.count += count;
            return;
        }
    pieces.push_back({tuple, count});
}

inline void take(Pieces& pieces, std::size_t tuple, std::int64_t count) {
    for (std::size_t i = 0; i < pieces.size(); ++i)
        if (pieces[i].tuple == tuple) {
            pieces[i].count -= count;
            if (pieces[i].count == 0) pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(i));
            return;
        }
}

inline std::int64_t count_in(const Pieces& pieces, std::size_t tuple) {
    for (const Piece& piece : pieces)
        if (piece.tuple == tuple) return piece.count;
    return 0;
}

// The labels of all records, tuple by tuple; groups are numbered as they appear. groups_of: of each tuple, ascending.
template <class Group>
void write_labels(const std::vector<Group>& groups, const std::vector<std::vector<std::size_t>>& groups_of,
                  std::int64_t* labels) {
    std::vector<std::int64_t> number(groups.size(), -1);
    std::int64_t next = 0;
    std::size_t at = 0;
    for (std::size_t t = 0; t < groups_of.size(); ++t)
        for (const std::size_t g : groups_of[t]) {
            if (number[g] < 0) number[g] = next++;
            for (std::int64_t i = 0; i < count_in(groups[g].pieces, t); ++i) labels[at++] = number[g];
        }
}

}  // namespace microagg
