// What the confidential values of a group must be like: promises beside k.
//
// A promise is judged from the counts of the values in a group. Each says how much a group lacks, nothing where the
// promise is kept, and is such that two groups together never lack more than the two apart: merging never hurts, so a
// partition that keeps all promises exists where all records as one group keep them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/base/constants.h"

namespace microagg {

// The numbers are those of the constraints in Python.
enum class PromiseKind : std::int64_t {
    kDistinct = 0,   // at least `level` different values
    kEntropy = 1,    // the exponential of the entropy is at least `level`
    kRecursive = 2,  // r1 < factor * (rl + ... + rm): counts in descending order, l = level
    kEqual = 3,      // earth mover's distance to all records at most `level`, all values equally far apart
    kOrdered = 4,    // the same, values as far apart as the steps between them in their order
};

struct Promise {
    PromiseKind kind;
    std::size_t column;
    double level, factor;
};

class Promises {
  public:
    // codes: n records of n_columns values each, row by row, below the number of values of the column. counts: how many
    // of all records have each value, one column after the other; of the whole table, of which these may be a part.
    Promises(const std::int64_t* codes, std::size_t n_records, std::size_t n_columns, const std::int64_t* counts,
             const std::vector<std::size_t>& n_values, std::vector<Promise> promises);

    std::size_t n_records() const { return n_records_; }
    std::uint32_t code(std::size_t record, std::size_t column) const { return codes_[record * n_columns_ + column]; }
    const std::vector<Promise>& list() const { return promises_; }

    // The distance of a group of one record of a value to all records, for a promise of closeness; 0 for others.
    double distance_alone(const Promise& promise, std::uint32_t value) const;
    // At most so much does the distance of a group change for each record that another takes the place of.
    double reach(const Promise& promise, std::uint32_t one, std::uint32_t other) const;

    // A value and how many records of a group have it.
    using Count = std::pair<std::uint32_t, std::uint32_t>;
    // What a group lacks of one promise, of its values in ascending order.
    double lack(const Promise& promise, const std::vector<Count>& counts, std::vector<std::uint32_t>& scratch) const;

    // How far a group is from all records, for a promise of closeness.
    double distance(const Promise& promise, const std::vector<Count>& counts, double size) const;

  private:
    struct Column {
        std::vector<double> shares;       // of all records, by value
        std::vector<double> cumulative;   // up to and with each value
        std::vector<double> prefix;       // sums of `cumulative` before each value, and of all
        std::vector<std::uint32_t> jump;  // the first value with a cumulative share of at least q / (their number - 1)
    };
    std::size_t n_records_, n_columns_;
    std::vector<std::uint32_t> codes_;
    std::vector<Column> columns_;
    std::vector<Promise> promises_;
};

// Judges groups: one for each thread, since it has a place of its own to count in.
class Judge {
  public:
    // rows[i] is the row of Promises that record i is; null where they are the same.
    Judge(const Promises& promises, const std::uint32_t* rows) : promises_(promises), rows_(rows) {}

    // What a group lacks of all promises, without one of its members and with another record, where they are given.
    double lack(const std::uint32_t* members, std::size_t size, std::uint32_t without = kNobody,
                std::uint32_t with = kNobody);
    // Whether it lacks nothing: ends at the first promise that is broken.
    bool keeps(const std::uint32_t* members, std::size_t size, std::uint32_t without = kNobody,
               std::uint32_t with = kNobody);
    // The same for records that come in numbers: pieces of (record, count).
    template <class Pieces>
    bool keeps_pieces(const Pieces& pieces) {
        for (const Promise& promise : promises_.list()) {
            counts_.clear();
            for (const auto& piece : pieces)
                counts_.emplace_back(promises_.code(row_of(piece.tuple), promise.column),
                                     static_cast<std::uint32_t>(piece.count));
            tidy();
            if (promises_.lack(promise, counts_, scratch_) > 0.0) return false;
        }
        return true;
    }

    // Groups that are asked about again and again, by number: what is known of each is kept until it is forgotten.
    // Whether a group keeps the promises without a member and with another record; where both are given, it is taken
    // for granted that it keeps them as it is.
    bool keeps(std::uint32_t group, const std::uint32_t* members, std::size_t size, std::uint32_t without,
               std::uint32_t with);
    void remember(std::size_t n_groups) {
        known_.assign(n_groups, false);
        kept_.resize(n_groups * promises_.list().size());
    }
    void forget(std::uint32_t group) { known_[group] = false; }

  private:
    struct Known {
        std::vector<std::uint32_t> codes;  // ascending
        double distance = 0.0;             // of a promise of closeness
    };
    void know(std::uint32_t group, const std::uint32_t* members, std::size_t size);
    bool keeps_changed(const Promise& promise, const Known& group, std::uint32_t leaves, std::uint32_t joins);

    std::size_t row_of(std::size_t record) const { return rows_ == nullptr ? record : rows_[record]; }
    void count(const Promise& promise, const std::uint32_t* members, std::size_t size, std::uint32_t without,
               std::uint32_t with);
    void tidy();

    const Promises& promises_;
    const std::uint32_t* rows_;
    std::vector<Promises::Count> counts_;
    std::vector<std::uint32_t> codes_, scratch_;
    std::vector<char> known_;  // of each group
    std::vector<Known> kept_;  // of each group, promise by promise
};

}  // namespace microagg
