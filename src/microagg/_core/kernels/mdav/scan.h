// The inner loops over blocks of records, compiled for several kinds of processor and chosen at run time.
//
// They only filter: what they let through is confirmed with squared_distance, so the roundings of these loops
// (single precision, fused or not) never reach a label.
#pragma once

#include <cstddef>
#include <cstdint>

namespace microagg {

constexpr std::size_t kLanes = 64;    // records in a block
constexpr std::size_t kQueries = 16;  // points that are asked about together

struct Scan {
    // For each point, the least and the greatest squared distance to a box. points: m rows of kQueries.
    void (*bounds)(const double* lower, const double* upper, const double* points, std::size_t m, double* least,
                   double* greatest);
    // The points as seen from a block: local = -2 * (point - centre) * scale, m rows of kQueries, and the squared
    // norms of (point - centre) * scale.
    void (*localise)(const double* centre, double scale, const double* points, std::size_t m, float* local,
                     double* norms);
    // values[lane] = |record|^2 - 2 <record, point>: with the point's squared norm, the squared distance. block: one
    // row of kLanes squared norms, then m rows of coordinates; local: of one point, kQueries apart. Gives one bit for
    // each lane that is below `near` or above `far`, and fills the values of those. A lane whose norm is NaN is
    // empty.
    std::uint64_t (*scan)(const float* block, const float* local, std::size_t m, float near, float far, float* values);
};

extern const Scan kPlainScan;
#ifdef MICROAGG_X86
extern const Scan kAvx2Scan;
extern const Scan kAvx512Scan;
#endif

// The fastest that this processor runs.
const Scan& choose_scan();

}  // namespace microagg
