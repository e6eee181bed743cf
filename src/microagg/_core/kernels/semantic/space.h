// Distinct tuples of codes with their counts, and how far codes lie apart: what the categorical methods share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace microagg {

// How two values of a column differ. Distances are whole numbers (multiples of a fixed unit), so sums are exact.
enum class Measure { kEquality, kLine, kTable };

struct Column {
    Measure measure;
    std::size_t n_values, n_candidates;
    // equality: one number; line: the place of each value; table: [candidate * n_values + value].
    const std::int64_t* table;
    const std::int64_t* codes;  // of each tuple

    std::int64_t distance(std::int64_t value, std::int64_t candidate) const {
        switch (measure) {
            case Measure::kEquality:
                return value == candidate ? 0 : table[0];
            case Measure::kLine: {
                const std::int64_t gap = table[value] - table[candidate];
                return gap < 0 ? -gap : gap;
            }
            default:
                return table[static_cast<std::size_t>(candidate) * n_values + static_cast<std::size_t>(value)];
        }
    }
};

using Centre = std::vector<std::int64_t>;  // one candidate for each column

struct Space {
    std::vector<Column> columns;
    const std::int64_t* counts;
    std::size_t n;  // tuples

    // shapes: measure, values and candidates of each column; tables and codes one column after the other.
    Space(const std::int64_t* shapes, std::size_t m, const std::int64_t* tables, const std::int64_t* codes,
          const std::int64_t* counts, std::size_t n);

    Centre of(std::size_t tuple) const;
    std::int64_t distance(std::size_t tuple, const Centre& centre) const;
    // The distances of some tuples to a centre.
    void distances(const std::vector<std::size_t>& tuples, const Centre& centre, std::vector<std::int64_t>& out) const;
    std::int64_t n_records() const;
};

// Records of few tuples, and the centroid of them: in each column the candidate with the least summed distance, the
// lower one on a tie; on a line the lower median, which is one of these.
class Cluster {
  public:
    explicit Cluster(const Space& space);
    void clear();
    void add(std::size_t tuple, std::int64_t count);
    // Clear, and take all records of these tuples.
    void assign(const std::size_t* begin, const std::size_t* end);
    std::int64_t size() const { return total; }
    // How many different values a column has.
    std::size_t n_values(std::size_t column) const { return values[column].size(); }
    Centre centroid() const;

  private:
    const Space& space;
    std::int64_t total = 0;
    std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> values;  // sorted (value, count) of each column
};

// All records that no cluster has taken: they only become fewer. The same centroid.
class Remainder {
  public:
    explicit Remainder(const Space& space);
    void remove(std::size_t tuple, std::int64_t count);
    std::int64_t size() const { return total; }
    std::int64_t left(std::size_t tuple) const { return count_of[tuple]; }
    // Tuples of which something is left, ascending.
    const std::vector<std::size_t>& tuples();
    Centre centroid();

  private:
    struct Tally {
        std::vector<std::int64_t> count;  // of each value
        std::vector<std::int64_t> cost;   // table: summed distance of each candidate
        std::size_t at = 0;               // equality: the mode; line: the median
        std::int64_t below = 0;           // line: records before the median
        bool stale = true;
    };

    const Space& space;
    std::int64_t total = 0;
    std::vector<std::int64_t> count_of;
    std::vector<std::size_t> alive;
    bool gone = false;
    std::vector<Tally> tallies;
};

// The position of the least (most) number, the first on a tie.
std::size_t least(const std::vector<std::int64_t>& numbers);
std::size_t most(const std::vector<std::int64_t>& numbers);

}  // namespace microagg
