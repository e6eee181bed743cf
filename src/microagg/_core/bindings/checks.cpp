// The checks of checks.h: one pass over what is checked, and a message of one line with the name, the rule and the
// value.
#include "bindings/checks.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace microagg {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw std::invalid_argument(message); }

std::string times(std::size_t rows, std::size_t columns) {
    return std::to_string(rows) + " x " + std::to_string(columns);
}

}  // namespace

void check_size(const char* name, std::size_t size, std::size_t wanted, const char* what) {
    if (size == wanted) return;
    refuse(std::string(name) + " must hold " + std::to_string(wanted) + " numbers, one for each " + what + "; got " +
           std::to_string(size) + ".");
}

void check_shape(const char* name, std::size_t rows, std::size_t columns, std::size_t wanted_rows,
                 std::size_t wanted_columns) {
    if (rows == wanted_rows && columns == wanted_columns) return;
    refuse(std::string(name) + " must be " + times(wanted_rows, wanted_columns) + "; got " + times(rows, columns) +
           ".");
}

void check_whole_between(const char* name, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (least <= value && value <= most) return;
    refuse(std::string(name) + " must be between " + std::to_string(least) + " and " + std::to_string(most) + "; got " +
           std::to_string(value) + ".");
}

void check_at_least(const char* name, std::size_t value, std::size_t least) {
    if (value >= least) return;
    refuse(std::string(name) + " must be at least " + std::to_string(least) + "; got " + std::to_string(value) + ".");
}

void check_positions(const char* name, const std::int64_t* values, std::size_t size, std::size_t end) {
    for (std::size_t i = 0; i < size; ++i) {
        if (values[i] >= 0 && static_cast<std::size_t>(values[i]) < end) continue;
        refuse(std::string(name) + " must hold numbers of at least 0 and below " + std::to_string(end) +
               "; the one at " + std::to_string(i) + " is " + std::to_string(values[i]) + ".");
    }
}

void check_order(const char* name, const std::int64_t* values, std::size_t size) {
    check_positions(name, values, size, size);
    std::vector<bool> met(size, false);
    for (std::size_t i = 0; i < size; ++i) {
        const auto value = static_cast<std::size_t>(values[i]);
        if (met[value]) {
            refuse(std::string(name) + " must hold every number below " + std::to_string(size) + " once; " +
                   std::to_string(value) + " is there twice.");
        }
        met[value] = true;
    }
}

std::size_t check_labels(const char* name, const std::int64_t* labels, std::size_t size) {
    check_positions(name, labels, size, size);
    if (size == 0) return 0;
    const auto n_groups = static_cast<std::size_t>(*std::max_element(labels, labels + size)) + 1;
    std::vector<bool> met(n_groups, false);
    for (std::size_t i = 0; i < size; ++i) met[static_cast<std::size_t>(labels[i])] = true;
    const auto missing = std::find(met.begin(), met.end(), false);
    if (missing != met.end()) {
        refuse(std::string(name) + " must number groups without gaps; no record has label " +
               std::to_string(missing - met.begin()) + ".");
    }
    return n_groups;
}

void check_groups(const char* name, const std::int64_t* labels, std::size_t size, std::size_t k) {
    check_positions(name, labels, size, size);
    std::vector<std::size_t> sizes(size, 0);
    for (std::size_t i = 0; i < size; ++i) ++sizes[static_cast<std::size_t>(labels[i])];
    for (const std::size_t members : sizes) {
        if (members == 0 || members >= k) continue;
        refuse(std::string(name) + " must be groups of at least " + std::to_string(k) + " records; one has " +
               std::to_string(members) + ".");
    }
}

void check_records(const Matrix& X) {
    if (X.shape(0) > 0 && X.shape(1) > 0) return;
    refuse("X must have at least one row and one column; got " + times(X.shape(0), X.shape(1)) + ".");
}

void check_partition(const Matrix& X, std::size_t k, const IntegersOut& labels) {
    check_records(X);
    check_size("labels", labels.shape(0), X.shape(0), "row of X");
    if (k < 2 || k > X.shape(0)) {
        refuse("k must be between 2 and the number of rows of X (" + std::to_string(X.shape(0)) + "); got " +
               std::to_string(k) + ".");
    }
}

void check_improvable(const Matrix& X, std::size_t k, const IntegersOut& labels) {
    check_partition(X, k, labels);
    check_groups("labels", labels.data(), labels.shape(0), k);
}

}  // namespace microagg
