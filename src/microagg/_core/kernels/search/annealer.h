// Annealing of all records as one problem, from any partition, by any number of threads at the same time.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "kernels/base/records.h"
#include "kernels/promises/promises.h"
#include "kernels/search/grouping.h"

namespace microagg {

class Annealer {
  public:
    // `labels`: a partition into groups of at least k, which keep the promises where there are any. Some promises need
    // groups as large as its largest.
    Annealer(Records X, std::size_t k, const Promises* promises, const std::vector<std::uint32_t>& labels);

    std::size_t n_records() const { return block_.n; }
    const Limits& limits() const { return limits_; }

    // Warms a partition up to `heat`, a multiple of each record's own scale, and cools it in `sweeps` moves for each
    // record. Gives true, and the partition in place, unless it was told to stop.
    bool anneal(std::vector<std::uint32_t>& labels, double heat, double sweeps, std::uint64_t seed) const;

    // Takes those parts of `other` into `best` that are better, and gives the decrease of the sum of squared errors.
    double combine(std::vector<std::uint32_t>& best, const std::vector<std::uint32_t>& other) const;

    // Ends all annealing, now and later.
    void stop() { stop_ = true; }

  private:
    Block block_;
    Limits limits_;
    std::atomic<bool> stop_{false};
};

}  // namespace microagg
