// What exchanges between two groups of categories and numbers cost (mixed_costs.cpp).
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "kernels/semantic/mixed_loss.h"

namespace microagg {

// A space laid out for exchanges: numbers whose common value is the mean, in units in which their squares are losses,
// and the codes of the other columns that count.
class MixedColumns {
  public:
    MixedColumns(const Space& space, const std::vector<double>& scale, const bool* means);

    std::size_t n_numbers() const { return numbers_.size(); }
    std::size_t n_codes() const { return others_.size(); }
    std::size_t n_columns() const { return numbers_.size() + others_.size(); }
    void row_of(std::size_t tuple, float* numbers, std::int32_t* codes) const;

    struct Other {
        std::size_t column;
        Measure measure;
        std::size_t n_values, n_candidates;
        double unit;                 // equality: what a record with another value costs; table: of a square
        std::vector<double> places;  // line: of each value
        std::vector<double> apart;   // table: from each value to each candidate, whole numbers

        const double* row(std::int32_t code) const { return &apart[static_cast<std::size_t>(code) * n_candidates]; }
    };
    const std::vector<Other>& others() const { return others_; }

  private:
    const Space& space_;
    std::vector<std::pair<std::size_t, double>> numbers_;  // column, unit
    std::vector<Other> others_;                            // equality, then lines, then tables
};

// The rows of a group, and what is known of it.
struct MixedGroup {
    const float* numbers;       // size x n_numbers
    const std::int32_t* codes;  // size x n_codes
    std::size_t size;
    const float* centre;  // the means of the numbers
    const float* losses;  // of the numbers together, then of each other column
};

// One for each thread: it has places of its own to count in.
class MixedCosts {
  public:
    explicit MixedCosts(const MixedColumns& columns);

    // The means and losses of a group.
    void measure(const float* numbers, const std::int32_t* codes, std::size_t size, float* centre, float* losses);

    // That member of B with which x of A changes places at the least cost, if it is below `limit`, which it then
    // becomes; else the size of B. Ties go to the first.
    std::size_t cheapest_member(const MixedGroup& A, std::size_t x, const MixedGroup& B, float& limit);
    // What it costs that x of A joins B.
    double move_cost(const MixedGroup& A, std::size_t x, const MixedGroup& B);

  private:
    using Other = MixedColumns::Other;
    using Tally = std::vector<std::pair<std::int32_t, double>>;  // codes and how often they occur
    // Codes of one column of A without x, and of B with x.
    bool gather(const MixedGroup& A, std::size_t x, const MixedGroup& B, std::size_t column);
    double most_gain(const MixedGroup& A, const MixedGroup& B, std::size_t column) const;
    double loss(const Other& column, const std::vector<std::int32_t>& codes);
    double equality(const Other& column, const std::vector<std::int32_t>& codes);
    double line(const Other& column, const std::vector<std::int32_t>& codes);
    double table(const Other& column, const std::vector<std::int32_t>& codes);
    static void tally(const std::vector<std::int32_t>& codes, Tally& tally);
    static void sum_up(const Other& column, const Tally& tally, std::vector<double>& sums);
    static double squares(const Other& column, const Tally& tally, std::size_t candidate);
    void swap_equality(const Other& column, std::size_t n_partners, double before);
    void swap_line(const Other& column, std::size_t n_partners, double before);
    void swap_table(const Other& column, std::size_t n_partners, double before, double too_much);

    const MixedColumns& columns_;
    std::vector<std::int32_t> home_, away_;  // home: A without x; away: the codes of B, then that of x
    std::vector<std::int32_t> count_;        // of each code: zero between calls
    std::vector<double> places_[2];
    std::vector<double> sums_[2];
    Tally tallies_[2];
    std::vector<double> cost_, known_;
    std::vector<std::int32_t> codes_seen_;
};

// For groups of tuples: what the cheapest swap of member x of `home` costs, with whom, and what it costs that x joins.
std::tuple<double, std::size_t, double> exchange_costs(const MixedColumns& columns, const std::int64_t* home,
                                                       std::size_t n_home, const std::int64_t* other,
                                                       std::size_t n_other, std::size_t x);

}  // namespace microagg
