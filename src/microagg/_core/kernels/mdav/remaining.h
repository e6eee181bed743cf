// The records that no group has taken yet, and what the MDAV family asks of them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/base/constants.h"
#include "kernels/base/exact_sum.h"
#include "kernels/base/pool.h"
#include "kernels/base/ranked.h"
#include "kernels/base/records.h"
#include "kernels/mdav/shell.h"
#include "kernels/mdav/tree.h"

namespace microagg {

class Remaining {
  public:
    // What will be asked of a record that seeds a group: how many nearest records, and whether the farthest next.
    struct Wanted {
        std::size_t nearest;
        bool farthest;
        std::size_t threads;
    };

    Remaining(Records X, Wanted wanted);

    std::size_t size() const { return count; }
    bool holds(std::size_t row) const { return present[row] != 0; }
    // Ascending.
    std::vector<std::size_t> rows() const;
    void remove(std::size_t row);

    // The mean of the remaining records: exact sums, rounded once, divided by their number.
    std::vector<double> centroid() const;

    // The record farthest from a point or from a record; ties go to the lower row number.
    std::size_t farthest_from_centroid() { return shell.farthest(centroid()); }
    std::size_t farthest_from(const std::vector<double>& point) { return shell.farthest(point); }
    Ranked farthest(std::size_t row);
    // Finds out together what `farthest` will be asked for each of these.
    void prepare_farthest(const std::vector<std::size_t>& rows);

    // The `size` records nearest to a record, without that record, by (distance, row number).
    std::vector<Ranked> nearest(std::size_t row, std::size_t size);

    // For each of these, which may have left, the one remaining record nearest to it.
    std::vector<Ranked> nearest_of_each(const std::vector<std::size_t>& rows);

  private:
    // What was found out about a record: its nearest and farthest ones at that time, in order. While enough of them
    // remain, they still are the nearest and the farthest.
    struct Known {
        std::size_t row;
        std::vector<Ranked> nearest, farthest;
        bool all_near, all_far;  // nothing was left out
    };

    struct Ask {
        std::size_t row;
        std::size_t nearest, farthest;  // how many
    };

    enum Mark : char { kNothing, kAsked, kTaken };  // taken: by a group that we expect to come

    Known* known(std::size_t row) { return slot[row] == kNobody ? nullptr : &knowledge[slot[row]]; }
    bool drop_gone(std::vector<Ranked>& list, bool all, std::size_t size) const;
    bool answers(std::size_t row, std::size_t near, std::size_t far);
    void find_out(const std::vector<Ask>& asked);
    void look_ahead(const Ask& first);
    void mark(std::size_t row, Mark what);
    void foresee_group(std::size_t seed);
    std::size_t foresee_opposite(std::size_t seed) const;
    void forget_gone(const std::vector<std::size_t>& but);

    Records X;
    Wanted wanted;
    std::size_t count;
    std::vector<char> present;
    std::vector<ExactSum> sums;
    Shell shell;
    Pool pool;
    std::unique_ptr<Tree> tree;
    std::vector<Known> knowledge;
    std::vector<std::uint32_t> slot;  // of a row in knowledge
    std::vector<Mark> marked;         // of each row, while looking ahead
    std::vector<std::size_t> unmark;  // those rows, to be unmarked
    std::size_t crowded = 256;        // when knowledge grows beyond this, that of records that left is forgotten
};

}  // namespace microagg
