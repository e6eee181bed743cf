// Classes of equal rows.
//
//   hash every row; a table of open addresses holds one row of each class; rows of equal hash are compared
#include "kernels/equal_rows.h"

#include <vector>

namespace microagg {
namespace {

std::uint64_t mix(std::uint64_t h) {
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93U;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93U;
    return h ^ (h >> 32);
}

}  // namespace

std::size_t equal_rows(const std::int64_t* keys, std::size_t n, std::size_t m, std::int64_t* classes) {
    struct Slot {
        std::uint64_t hash;
        std::int64_t row_class;  // -1: free
        std::size_t row;
    };
    std::size_t capacity = 16;
    while (capacity < 2 * n) capacity *= 2;
    std::vector<Slot> table(capacity, Slot{0, -1, 0});
    std::int64_t n_classes = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t* row = keys + i * m;
        std::uint64_t hash = 0x9e3779b97f4a7c15U;
        for (std::size_t j = 0; j < m; ++j) hash = mix(hash ^ static_cast<std::uint64_t>(row[j])) + j;
        std::size_t at = hash & (capacity - 1);
        for (;; at = (at + 1) & (capacity - 1)) {
            Slot& slot = table[at];
            if (slot.row_class < 0) {
                slot = {hash, n_classes++, i};
                break;
            }
            if (slot.hash != hash) continue;
            const std::int64_t* other = keys + slot.row * m;
            std::size_t j = 0;
            while (j < m && row[j] == other[j]) ++j;
            if (j == m) break;
        }
        classes[i] = table[at].row_class;
    }
    return static_cast<std::size_t>(n_classes);
}

}  // namespace microagg
