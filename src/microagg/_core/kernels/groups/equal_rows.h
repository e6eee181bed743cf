// Classes of equal rows (equal_rows.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace microagg {

// Numbers the distinct rows of an n x m matrix of whole numbers in order of first appearance; gives their count.
std::size_t equal_rows(const std::int64_t* keys, std::size_t n, std::size_t m, std::int64_t* classes);

}  // namespace microagg
