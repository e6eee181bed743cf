// Groups that a search has seen, each once: what a better partition may be made of.
#pragma once

#include <unordered_set>
#include <vector>

#include "kernels/base/records.h"

namespace microagg {

class SeenGroups {
  public:
    // Beyond `most` groups, the older half is forgotten.
    SeenGroups(Records X, std::size_t most);

    std::size_t size() const { return costs_.size(); }
    std::size_t n_records() const { return n_; }

    // Takes the groups of a partition that are new: labels below n.
    void note(const std::vector<std::uint32_t>& labels);
    // Takes a group, if it is new: its rows in ascending order.
    void add(const std::uint32_t* rows, std::size_t size);

    // Groups one after the other: rows ascending, where each starts (and the last ends), sums of squared errors.
    struct Some {
        std::vector<std::int64_t> rows, starts;
        std::vector<double> costs;
    };

    // The groups whose rows are all among these.
    Some within(const std::int64_t* rows, std::size_t n_rows) const;

  private:
    double cost(const std::uint32_t* rows, std::size_t size) const;
    void forget_half();

    std::size_t n_, m_, most_;
    std::vector<double> values_;
    std::vector<std::uint64_t> keys_;          // of records; that of a group is their sum
    std::unordered_set<std::uint64_t> known_;  // keys of groups
    std::vector<std::uint64_t> group_keys_;
    std::vector<std::uint32_t> rows_;
    std::vector<std::size_t> starts_{0};
    std::vector<double> costs_;
};

}  // namespace microagg
