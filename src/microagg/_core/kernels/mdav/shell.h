// The outermost records, for the one farthest from a point that moves little from one question to the next.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/base/ranked.h"
#include "kernels/base/records.h"

namespace microagg {

class Shell {
  public:
    // `present` says which records remain; it is read at every question.
    Shell(Records X, const std::vector<char>& present);

    // The remaining record farthest from the point, the lowest row on a tie. At least one must remain.
    std::size_t farthest(const std::vector<double>& point);

    // Calls take(row) for the outermost remaining records, from the outside in, until it says false.
    template <class Take>
    void outermost(const Take& take) const {
        for (std::size_t i = head; i < outer.size(); ++i)
            if (present[outer[i].row] && !take(outer[i].row)) return;
    }

  private:
    void rebuild(const std::vector<double>& point);

    Records X;
    const std::vector<char>& present;
    std::vector<double> centre;
    std::vector<Ranked> outer;  // negated squared distances to the centre, ascending, from `head` on
    std::vector<double> roots;  // the distances themselves
    double inner = 0.0;         // no record that is not in outer is farther from the centre than this
    std::size_t head = 0, looked_at = 0, cost = 0;
};

}  // namespace microagg
