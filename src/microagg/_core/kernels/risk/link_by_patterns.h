// Record linkage by the attributes that agree (link_by_patterns.cpp).
#pragma once

#include <cstdint>

#include "kernels/base/records.h"

namespace microagg {

// Different releases, column by column (`columns` has a row for each), release r standing for counts[r] records. Two
// values of column j agree where they are at most reach[j] apart. A pattern has bit j set where column j agrees.
struct Releases {
    Records columns;
    const std::int64_t* counts;
    const double* reach;
};

// Adds to totals[p], for all 2^m patterns p, the pairs of an original and a released record of that pattern.
void count_patterns(Records original, const Releases& released, std::size_t threads, const Progress& progress,
                    std::int64_t* totals);

// For each original record, whose own release is classes[i]: how many released records have a pattern of the same rank
// as its own; 0 where a release has a higher one.
void link_by_patterns(Records original, const Releases& released, const std::int64_t* classes,
                      const std::int64_t* ranks, std::size_t threads, const Progress& progress, std::int64_t* ties);

}  // namespace microagg
