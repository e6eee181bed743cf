// Classes of equal rows.
//
//   hash every row; a table of open addresses holds one row of each class; rows of equal hash are compared
//   a few rows at a time: what they will look up is fetched ahead, because the table is larger than any cache
#include "kernels/groups/equal_rows.h"

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/base/fetch.h"

namespace microagg {
namespace {

constexpr std::size_t kAtOnce = 32;

struct Slot {
    std::uint64_t hash;
    std::int64_t row_class;  // -1: free
    std::size_t row;
};

std::uint64_t mix(std::uint64_t h) {
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93U;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93U;
    return h ^ (h >> 32);
}

std::uint64_t hash_of(const std::int64_t* row, std::size_t m) {
    std::uint64_t hash = 0x9e3779b97f4a7c15U;
    for (std::size_t j = 0; j < m; ++j) hash = mix(hash ^ static_cast<std::uint64_t>(row[j])) + j;
    return hash;
}

}  // namespace

std::size_t equal_rows(const std::int64_t* keys, std::size_t n, std::size_t m, std::int64_t* classes) {
    constexpr std::size_t kLine = 8;  // numbers in a cache line
    std::size_t capacity = 16;
    while (capacity < 2 * n) capacity *= 2;
    std::vector<Slot> table(capacity, Slot{0, -1, 0});
    std::array<std::uint64_t, kAtOnce> hashes;
    std::int64_t n_classes = 0;
    for (std::size_t begin = 0; begin < n; begin += kAtOnce) {
        const std::size_t count = std::min(kAtOnce, n - begin);
        for (std::size_t i = 0; i < count; ++i) {
            hashes[i] = hash_of(keys + (begin + i) * m, m);
            fetch(&table[hashes[i] & (capacity - 1)]);
        }
        for (std::size_t i = 0; i < count; ++i) {
            const Slot& slot = table[hashes[i] & (capacity - 1)];
            if (slot.row_class < 0 || slot.hash != hashes[i]) continue;
            for (std::size_t j = 0; j < m; j += kLine) fetch(keys + slot.row * m + j);
        }
        for (std::size_t i = 0; i < count; ++i) {
            const std::int64_t* row = keys + (begin + i) * m;
            std::size_t at = hashes[i] & (capacity - 1);
            for (;; at = (at + 1) & (capacity - 1)) {
                Slot& slot = table[at];
                if (slot.row_class < 0) {
                    slot = {hashes[i], n_classes++, begin + i};
                    break;
                }
                if (slot.hash == hashes[i] && std::equal(row, row + m, keys + slot.row * m)) break;
            }
            classes[begin + i] = table[at].row_class;
        }
    }
    return static_cast<std::size_t>(n_classes);
}

}  // namespace microagg
