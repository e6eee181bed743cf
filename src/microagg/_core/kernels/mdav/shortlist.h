// The best few of many candidates whose distances are first known within an error.
//
//   offer(interval):  keep it unless it lies beyond the limit;  when there are too many, shrink
//   shrink:           limit = the wanted-th smallest upper end; drop what begins beyond it
//                     still too many (ties, or digits that do not suffice): measure all exactly, keep the best
//   settle:           measure all exactly, keep the best in order
//
// "Best" is the least key, then the lowest row. The key is the squared distance for the nearest records and its
// negative for the farthest ones.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/base/constants.h"
#include "kernels/base/ranked.h"
#include "kernels/base/records.h"

namespace microagg {

class Shortlist {
  public:
    Shortlist() = default;
    // sign: +1 for the nearest, -1 for the farthest to `asked`.
    Shortlist(Records X, std::size_t asked, std::size_t wanted, double sign);

    bool open() const { return wanted > 0; }
    double sign() const { return direction; }
    // Nothing with a greater (key, row) can still be among the best.
    const Ranked& limit() const { return beyond; }

    // These different rows will be offered, so nothing beyond the best of them is needed.
    void limit_by(const std::vector<std::size_t>& rows);
    void offer(double low, double high, std::size_t row) {
        if (low > beyond.distance) return;
        found.push_back({low, high, row});
        if (found.size() >= capacity) shrink();
    }
    void shrink();
    // The best, in order, with their squared distances. Fewer than wanted if no more were offered.
    std::vector<Ranked> settle();

  private:
    struct Candidate {
        double low, high;  // equal when measured
        std::size_t row;
    };
    void keep_best_measured();

    Records X{nullptr, 0, 0};
    std::size_t asked = 0, wanted = 0, capacity = 0;
    double direction = 1.0;
    Ranked beyond{kInfinity, kNowhere};
    std::vector<Candidate> found;
};

}  // namespace microagg
