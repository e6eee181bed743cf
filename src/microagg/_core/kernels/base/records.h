// Views that Python owns and kernels read: no copies, no Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>

namespace microagg {

// n records of m numbers, row by row.
struct Records {
    const double* data;
    std::size_t n;
    std::size_t m;
    const double* operator[](std::size_t row) const { return data + row * m; }
};

// Squared Euclidean distance, columns in order, nothing fused: THE distance that decides. Whatever filters
// candidates faster must confirm them with this one, so that labels are the same on every machine.
inline double squared_distance(const double* a, const double* b, std::size_t m) {
    double sum = 0.0;
    for (std::size_t j = 0; j < m; ++j) {
        const double gap = a[j] - b[j];
        sum += gap * gap;
    }
    return sum;
}

// Called by long kernels with the fraction done, as often as they like and from the calling thread only.
// It may throw: kernels let that pass through, which is how the user interrupts.
using Progress = std::function<void(double)>;

// What one step of several tells its progress to: its 0..1 becomes begin..end of the whole.
inline Progress part_of(const Progress& progress, double begin, double end) {
    return [&progress, begin, end](double fraction) { progress(begin + fraction * (end - begin)); };
}

}  // namespace microagg
