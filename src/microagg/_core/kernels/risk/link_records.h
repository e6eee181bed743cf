// Record linkage by distance (link_records.cpp).
#pragma once

#include <cstdint>

#include "kernels/base/records.h"

namespace microagg {

// For each original record, whose own release is row classes[i] of `released`, rows all different, row r standing for
// counts[r] records: how many released records are as near as its own; 0 where one is nearer.
void link_records(Records original, Records released, const std::int64_t* classes, const std::int64_t* counts,
                  std::size_t threads, const Progress& progress, std::int64_t* ties);

}  // namespace microagg
