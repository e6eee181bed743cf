// What a kernel takes for granted, checked before it runs: sizes that must agree, and numbers that it uses as
// positions.
//
//   each check passes in silence or throws std::invalid_argument, which Python sees as a ValueError
//
// Users never see these: the package checks their data with better words before it comes here. They keep a mistake of
// ours, or of somebody who calls the kernels directly, from writing where nothing is ours.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bindings/door.h"

namespace microagg {

// `name` holds `size` numbers, one for each of `what`.
void check_size(const char* name, std::size_t size, std::size_t wanted, const char* what);
void check_shape(const char* name, std::size_t rows, std::size_t columns, std::size_t wanted_rows,
                 std::size_t wanted_columns);
// A number between two others, both allowed.
void check_whole_between(const char* name, std::int64_t value, std::int64_t least, std::int64_t most);
template <class Value, class Least, class Most>
void check_between(const char* name, Value value, Least least, Most most) {
    check_whole_between(name, static_cast<std::int64_t>(value), static_cast<std::int64_t>(least),
                        static_cast<std::int64_t>(most));
}
void check_at_least(const char* name, std::size_t value, std::size_t least);
// Numbers that say where something lies: 0 to end - 1.
void check_positions(const char* name, const std::int64_t* values, std::size_t size, std::size_t end);
// All of 0 to size - 1, each once.
void check_order(const char* name, const std::int64_t* values, std::size_t size);
// Labels 0 to G-1, of each group at least one; gives G.
std::size_t check_labels(const char* name, const std::int64_t* labels, std::size_t size);
// Labels 0 to size - 1, not necessarily all, of groups of at least k.
void check_groups(const char* name, const std::int64_t* labels, std::size_t size, std::size_t k);

// At least one record of at least one column.
void check_records(const Matrix& X);
// The same, groups of k of them, and a label for each.
void check_partition(const Matrix& X, std::size_t k, const IntegersOut& labels);
// The same, where the labels are groups of at least k already.
void check_improvable(const Matrix& X, std::size_t k, const IntegersOut& labels);
inline void check_threads(std::size_t threads) { check_at_least("threads", threads, 1); }

}  // namespace microagg
