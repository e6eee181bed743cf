// Annealing of all records, from any partition, by any number of threads at the same time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/base/records.h"
#include "kernels/promises/promises.h"
#include "kernels/search/grouping.h"
#include "kernels/search/kicks.h"

namespace microagg {

// How to warm a partition up, and what follows.
struct Warming {
    double heat;          // a multiple of each record's own scale
    double sweeps;        // moves for each record until it is cold
    std::size_t longest;  // steps of a chain (chains.h) afterwards; none for 0
    std::uint64_t seed;
};

// What was done beside moves and kicks: the same on any machine, and about in proportion to the time that it took.
struct WorkDone {
    std::size_t n_compared = 0;  // by local search (descent.h)
    std::size_t n_steps = 0;     // of looks for chains (chains.h)
};

class Annealer {
  public:
    // `labels`: a partition into groups of at least k, which keep the promises where there are any. Some promises need
    // groups as large as its largest; of many records, groups that are too large to take part stay as they are.
    // `threads` are there now, and for kicks and chains; the same partitions come out on any number of them.
    Annealer(Records X, std::size_t k, const Promises* promises, const std::vector<std::uint32_t>& labels,
             std::size_t threads);

    std::size_t n_records() const { return n_records_; }
    const Limits& limits() const { return limits_; }
    const std::vector<std::uint32_t>& rows() const { return block_.rows; }  // that take part

    // Warms a partition up, and cools it. Gives true, and the partition in place, better or not, unless it was told to
    // stop.
    bool anneal(std::vector<std::uint32_t>& labels, const Warming& warming, WorkDone& work) const;

    // Kicks (kicks.h), and chains afterwards; otherwise like anneal.
    bool kick(std::vector<std::uint32_t>& labels, const Kicks& kicks, std::size_t longest, std::uint64_t seed,
              WorkDone& work) const;

    // Takes those parts of `other` into `best` that are better, and gives the decrease of the sum of squared errors.
    double combine(std::vector<std::uint32_t>& best, const std::vector<std::uint32_t>& other) const;

    // Ends all annealing, now and later.
    void stop() { stop_ = true; }

  private:
    // Groups the records as they are, lets `change` change that, and looks for chains where it has.
    bool work_on(std::vector<std::uint32_t>& labels, std::size_t longest, WorkDone& work,
                 const std::function<std::size_t(Grouping&)>& change) const;

    std::size_t n_records_;
    Limits limits_;
    Block block_;
    std::size_t threads_;
    std::atomic<bool> stop_{false};
};

}  // namespace microagg
