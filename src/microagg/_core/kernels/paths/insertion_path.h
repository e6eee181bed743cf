// Paths that grow by insertion (insertion_path.cpp).
#pragma once

#include "kernels/base/records.h"

namespace microagg {

enum class NextCity { kNearest, kFarthest, kCheapest, kArbitrary };

// What becomes of the dummy city, which has distance 0 to every record and where the tour is cut.
enum class Dummy {
    kCity,  // a city like the others: chosen and inserted by the rule
    kLast,  // inserted last, which cuts the tour of the records at its longest edge
    kEnd,   // the tour starts as (start, dummy) and stays open at start; the rule looks at records only
};

// An insertion tour of the n records and the dummy city, from `start`, cut at the dummy. `priority` holds n + 1
// different numbers: of cities that the rule likes equally the one with the lowest is next, the dummy's being the last
// of them; for kArbitrary it is the order of insertion. Writes the order.
void insertion_path(Records X, NextCity rule, Dummy dummy, std::size_t start, const std::int64_t* priority,
                    std::int64_t* order, const Progress& progress);

}  // namespace microagg
