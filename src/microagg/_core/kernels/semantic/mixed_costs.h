// What exchanges between two groups of categories and numbers cost (mixed_costs.cpp).
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "kernels/base/fetch.h"
#include "kernels/semantic/space.h"

namespace microagg {

// A space laid out for exchanges: what lies on a line as numbers, in units in which their squares are losses, and the
// codes of the other columns that count.
class MixedColumns {
  public:
    MixedColumns(const Space& space, const std::vector<double>& scale, const bool* means);

    struct Line {
        std::size_t column;
        double unit;
    };
    struct Equality {
        std::size_t column, n_values;
        double unit;  // what a record with another value costs
    };
    struct Table {
        std::size_t column, n_candidates;
        double unit;                // of a square
        double widest;              // the greatest distance
        std::vector<double> apart;  // from each value to each candidate, whole numbers

        const double* row(std::int32_t code) const { return &apart[static_cast<std::size_t>(code) * n_candidates]; }
    };
    // Those whose common value is the mean, then those where it is the median.
    const std::vector<Line>& numbers() const { return numbers_; }
    std::size_t n_means() const { return n_means_; }
    std::size_t n_medians() const { return numbers_.size() - n_means_; }
    const std::vector<Equality>& equalities() const { return equalities_; }
    const std::vector<Table>& tables() const { return tables_; }
    std::size_t n_codes() const { return equalities_.size() + tables_.size(); }

    double number(std::size_t which, std::size_t tuple) const {
        const Column& column = space_.columns[numbers_[which].column];
        return numbers_[which].unit * static_cast<double>(column.table[column.codes[tuple]]);
    }
    // Of the equalities, then of the tables.
    std::int32_t code(std::size_t which, std::size_t tuple) const {
        const std::size_t n = equalities_.size();
        const std::size_t column = which < n ? equalities_[which].column : tables_[which - n].column;
        return static_cast<std::int32_t>(space_.columns[column].codes[tuple]);
    }

  private:
    const Space& space_;
    std::size_t n_means_ = 0;
    std::vector<Line> numbers_;
    std::vector<Equality> equalities_;
    std::vector<Table> tables_;
};

using Tally = std::vector<std::pair<std::int32_t, double>>;  // codes and how often they occur

// Sums the distances from each candidate to what is counted; gives the least sum.
double sum_up(const MixedColumns::Table& table, const Tally& tally, std::vector<double>& sums);
// The squared distances to the first candidate with the least sum. sums: a place to work in.
double table_loss(const MixedColumns::Table& table, const Tally& tally, std::vector<double>& sums);

// What is known of a group. Members lie side by side, column by column, `room` apart.
struct MixedGroup {
    std::size_t size;
    const float* numbers;
    const float* centre;    // the means of all numbers
    const float* sorted;    // members of the columns of medians, ascending
    const float* off_mean;  // of these columns: what it costs that their common value is not the mean
    const std::int32_t* codes;
    const std::int32_t* often;  // how often the code of each member occurs; in tables 0 where one before it has it
    const std::int32_t* modes;  // of columns of equality: how often the mode occurs, and how many codes occur as often
    const float* losses;        // of all columns together, then of each table
};

// Groups of up to `most` records, one after the other.
class MixedGroups {
  public:
    MixedGroups(const MixedColumns& columns, std::size_t n_groups, std::size_t most);

    std::size_t size(std::size_t group) const { return sizes_[group]; }
    std::size_t room() const { return room_; }
    MixedGroup operator[](std::size_t group) const;
    // Asks for its memory before it is needed.
    void fetch(std::size_t group) const {
        constexpr std::size_t kLine = 16;  // numbers in a line of the cache
        for (std::size_t i = 0; i < n_floats_; i += kLine) microagg::fetch(&floats_[group * n_floats_ + i]);
        for (std::size_t i = 0; i < n_integers_; i += kLine) microagg::fetch(&integers_[group * n_integers_ + i]);
    }

    // Members come and go; what is known of a group is so after MixedCosts::measure alone.
    void add(std::size_t group, std::size_t tuple);
    void move(std::size_t from, std::size_t x, std::size_t to);  // the last member takes the place of x
    void swap(std::size_t one, std::size_t x, std::size_t other, std::size_t y);

  private:
    friend class MixedCosts;
    void copy(std::size_t from, std::size_t x, std::size_t to, std::size_t y);
    float* floats_of(std::size_t group) { return floats_.data() + group * n_floats_; }
    std::int32_t* integers_of(std::size_t group) { return integers_.data() + group * n_integers_; }

    const MixedColumns& columns_;
    std::size_t room_;
    // Where in the numbers of a group: members, sorted members, then these; where in its codes: members, then these.
    std::size_t sorted_at_, centre_at_, off_mean_at_, losses_at_, n_floats_;
    std::size_t often_at_, modes_at_, n_integers_;
    std::vector<float> floats_;
    std::vector<std::int32_t> integers_;
    std::vector<std::uint32_t> sizes_;
};

// One for each thread: it has places of its own to count in.
class MixedCosts {
  public:
    MixedCosts(const MixedColumns& columns, std::size_t room);

    // What is known of a group, from its members.
    void measure(MixedGroups& groups, std::size_t group);

    // That member of B with which x of A changes places at the least cost, if it is below `limit`, which it then
    // becomes; else the size of B. Ties go to the first.
    std::size_t cheapest_member(const MixedGroup& A, std::size_t x, const MixedGroup& B, float& limit);
    // What it costs that x of A joins B.
    double move_cost(const MixedGroup& A, std::size_t x, const MixedGroup& B);

  private:
    struct Joining {                             // x, and the codes of equality in A and B
        std::int32_t own, home_most, away_most;  // A without x, B with x
        std::int32_t n_away_modes;
        float most_gain;
        bool all_agree;
    };
    Joining join(const MixedGroup& A, std::size_t x, const MixedGroup& B, std::size_t column) const;
    void swap_equality(const MixedGroup& A, const MixedGroup& B, std::size_t column, const Joining& x);
    void swap_median(const MixedGroup& A, std::size_t x, const MixedGroup& B, std::size_t column);
    void swap_table(const MixedGroup& A, std::size_t x, const MixedGroup& B, std::size_t which, float too_much);
    float least_cost(std::size_t n_padded) const;

    static void tally(const std::int32_t* codes, const std::int32_t* often, std::size_t size, Tally& tally);
    bool tally_both(const MixedGroup& A, std::size_t x, const MixedGroup& B, std::size_t column);

    const MixedColumns& columns_;
    std::size_t room_;
    std::vector<std::int32_t> count_;  // of each code: zero between calls
    std::vector<std::int32_t> often_;  // of each partner's code in A
    std::vector<float> cost_;
    std::vector<Joining> joining_;
    std::vector<double> sums_[2];
    std::vector<std::uint32_t> candidates_[2];
    Tally tallies_[2];
    std::vector<std::pair<std::int32_t, float>> known_;  // tables: codes of partners and what they cost
};

// For groups of tuples: what the cheapest swap of member x of `home` costs, with whom, and what it costs that x joins.
std::tuple<double, std::size_t, double> exchange_costs(const MixedColumns& columns, const std::int64_t* home,
                                                       std::size_t n_home, const std::int64_t* other,
                                                       std::size_t n_other, std::size_t x);

}  // namespace microagg
