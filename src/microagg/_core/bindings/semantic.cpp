// Methods for categories and mixed data, and Mondrian: semantic/, partition/mondrian.h.
#include <nanobind/stl/tuple.h>

#include "bindings/checks.h"
#include "bindings/door.h"
#include "kernels/partition/mondrian.h"
#include "kernels/semantic/k_modes.h"
#include "kernels/semantic/mixed_costs.h"
#include "kernels/semantic/mixed_exchange.h"
#include "kernels/semantic/mixed_search.h"
#include "kernels/semantic/mixed_start.h"
#include "kernels/semantic/piece_loss.h"
#include "kernels/semantic/semantic_mdav.h"
#include "kernels/semantic/semantic_mondrian.h"
#include "kernels/semantic/space.h"

namespace microagg {

using namespace nb::literals;

namespace {

Space space_of(const IntegerMatrix& shapes, const Integers& tables, const IntegerMatrix& codes,
               const Integers& counts) {
    return Space(shapes.data(), shapes.shape(0), tables.data(), codes.data(), counts.data(), counts.shape(0));
}

struct Totals {
    std::int64_t records;
    std::size_t values;  // of all columns together
};

// Shapes, tables, codes and counts as space.h describes them.
Totals check_space(const IntegerMatrix& shapes, const Integers& tables, const IntegerMatrix& codes,
                   const Integers& counts) {
    const std::size_t m = shapes.shape(0), n = counts.shape(0);
    check_at_least("the number of columns", m, 1);
    check_at_least("the number of tuples", n, 1);
    check_shape("shapes", m, shapes.shape(1), m, 3);
    check_shape("codes", codes.shape(0), codes.shape(1), m, n);
    constexpr std::int64_t kMost = std::int64_t{1} << 31;  // so that no product overflows
    Totals totals{0, 0};
    std::size_t numbers = 0;
    for (std::size_t j = 0; j < m; ++j) {
        const std::int64_t* shape = shapes.data() + 3 * j;
        check_between("the measure of a column", shape[0], 0, static_cast<std::int64_t>(Measure::kTable));
        const auto measure = static_cast<Measure>(shape[0]);
        check_between("the number of values of a column", shape[1], 1, kMost);
        check_between("the number of candidates of a column", shape[2], shape[1], kMost);
        const auto values = static_cast<std::size_t>(shape[1]), candidates = static_cast<std::size_t>(shape[2]);
        numbers += measure == Measure::kEquality ? 1 : measure == Measure::kLine ? values : values * candidates;
        totals.values += values;
        check_positions("codes", codes.data() + j * n, n, values);
    }
    check_size("tables", tables.shape(0), numbers, "place or pair of values");
    for (std::size_t t = 0; t < n; ++t) {
        check_between("the number of records of a tuple", counts.data()[t], 1, kMost);
        totals.records += counts.data()[t];
    }
    return totals;
}

// What every kernel on mixed columns asks of its groups: labels of records, and how much each column counts.
void check_mixed(const Totals& totals, const IntegerMatrix& shapes, std::int64_t k, const Vector& weights,
                 const Flags& means, const IntegersOut& labels, std::size_t threads) {
    check_between("k", k, 1, totals.records);
    check_size("labels", labels.shape(0), static_cast<std::size_t>(totals.records), "record");
    check_size("weights", weights.shape(0), shapes.shape(0), "column");
    check_size("means", means.shape(0), shapes.shape(0), "column");
    check_threads(threads);
}

}  // namespace

void bind_semantic(nb::module_& m) {
    m.def(
        "semantic_mdav",
        [](IntegerMatrix shapes, Integers tables, IntegerMatrix codes, Integers counts, std::int64_t k,
           bool whole_tuples, bool recompute, bool weighted, IntegersOut labels, nb::object progress) {
            const Totals totals = check_space(shapes, tables, codes, counts);
            check_between("k", k, 1, totals.records);
            check_size("labels", labels.shape(0),
                       whole_tuples ? counts.shape(0) : static_cast<std::size_t>(totals.records),
                       whole_tuples ? "tuple" : "record");
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            semantic_mdav(space_of(shapes, tables, codes, counts), k, whole_tuples, recompute, weighted, labels.data(),
                          report);
        },
        as_is("shapes"), as_is("tables"), as_is("codes"), as_is("counts"), "k"_a, "whole_tuples"_a, "recompute"_a,
        "weighted"_a, as_is("labels"), "progress"_a.none());
    m.def(
        "mdav_generic",
        [](IntegerMatrix shapes, Integers tables, IntegerMatrix codes, Integers counts, std::int64_t k,
           IntegersOut labels, nb::object progress) {
            const Totals totals = check_space(shapes, tables, codes, counts);
            check_between("k", k, 1, totals.records);
            check_size("labels", labels.shape(0), static_cast<std::size_t>(totals.records), "record");
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            mdav_generic(space_of(shapes, tables, codes, counts), k, labels.data(), report);
        },
        as_is("shapes"), as_is("tables"), as_is("codes"), as_is("counts"), "k"_a, as_is("labels"), "progress"_a.none());
    m.def(
        "k_modes",
        [](IntegerMatrix shapes, Integers tables, IntegerMatrix codes, Integers counts, std::int64_t k,
           Integers initial, std::size_t most_rounds, IntegersOut labels, nb::object progress) {
            const Totals totals = check_space(shapes, tables, codes, counts);
            check_between("k", k, 1, totals.records);
            check_size("labels", labels.shape(0), counts.shape(0), "tuple");
            check_at_least("the number of initial tuples", initial.shape(0), 1);
            check_positions("initial", initial.data(), initial.shape(0), counts.shape(0));
            check_at_least("most_rounds", most_rounds, 1);
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            k_modes(space_of(shapes, tables, codes, counts), k, initial.data(), initial.shape(0), most_rounds,
                    labels.data(), report);
        },
        as_is("shapes"), as_is("tables"), as_is("codes"), as_is("counts"), "k"_a, as_is("initial"), "most_rounds"_a,
        as_is("labels"), "progress"_a.none());
    m.def(
        "semantic_mondrian",
        [](IntegerMatrix shapes, Integers tables, IntegerMatrix codes, Integers counts, std::int64_t k,
           std::int64_t rule, bool literal, Integers ranks, IntegersOut labels, nb::object progress) {
            const Totals totals = check_space(shapes, tables, codes, counts);
            check_between("k", k, 1, totals.records);
            check_size("labels", labels.shape(0), counts.shape(0), "tuple");
            check_size("ranks", ranks.shape(0), totals.values, "value of each column");
            check_between("rule", rule, 0, static_cast<std::int64_t>(CutRule::kMedian));
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            semantic_mondrian(space_of(shapes, tables, codes, counts), k, static_cast<CutRule>(rule), literal,
                              ranks.data(), labels.data(), report);
        },
        as_is("shapes"), as_is("tables"), as_is("codes"), as_is("counts"), "k"_a, "rule"_a, "literal"_a, as_is("ranks"),
        as_is("labels"), "progress"_a.none());
    m.def(
        "mixed_search",
        [](IntegerMatrix shapes, Integers tables, IntegerMatrix codes, Integers counts, std::int64_t k,
           std::size_t neighbours, std::size_t exhaustive, std::size_t rounds, bool joint, std::size_t threads,
           Vector weights, Flags means, IntegersOut labels, nb::object progress, const Promises* promises) {
            check_mixed(check_space(shapes, tables, codes, counts), shapes, k, weights, means, labels, threads);
            check_positions("labels", labels.data(), labels.shape(0), labels.shape(0));
            if (promises != nullptr) check_size("promises", promises->n_records(), counts.shape(0), "tuple");
            check_at_least("neighbours", neighbours, 1);
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            mixed_search(space_of(shapes, tables, codes, counts),
                         {k, neighbours, exhaustive, rounds, joint, threads, promises}, weights.data(), means.data(),
                         labels.data(), report);
        },
        as_is("shapes"), as_is("tables"), as_is("codes"), as_is("counts"), "k"_a, "neighbours"_a, "exhaustive"_a,
        "rounds"_a, "joint"_a, "threads"_a, as_is("weights"), as_is("means"), as_is("labels"), "progress"_a.none(),
        "promises"_a.none() = nb::none());
    m.def(
        "mixed_start",
        [](IntegerMatrix shapes, Integers tables, IntegerMatrix codes, Integers counts, std::int64_t k,
           std::size_t threads, Vector weights, Flags means, IntegersOut labels, nb::object progress) {
            check_mixed(check_space(shapes, tables, codes, counts), shapes, k, weights, means, labels, threads);
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            const Space space = space_of(shapes, tables, codes, counts);
            mixed_start(space, MixedLoss(space, weights.data(), means.data(), false).scales(),
                        static_cast<std::size_t>(k), threads, labels.data(), report);
        },
        as_is("shapes"), as_is("tables"), as_is("codes"), as_is("counts"), "k"_a, "threads"_a, as_is("weights"),
        as_is("means"), as_is("labels"), "progress"_a.none());
    m.def(
        "mixed_exchange",
        [](IntegerMatrix shapes, Integers tables, IntegerMatrix codes, Integers counts, std::int64_t k,
           std::size_t neighbours, std::size_t exhaustive, std::size_t rounds, double sweeps, double heat,
           std::uint64_t seed, std::size_t threads, Vector weights, Flags means, IntegersOut labels,
           nb::object progress, const Promises* promises) {
            check_mixed(check_space(shapes, tables, codes, counts), shapes, k, weights, means, labels, threads);
            check_positions("labels", labels.data(), labels.shape(0), labels.shape(0));
            if (promises != nullptr) check_size("promises", promises->n_records(), counts.shape(0), "tuple");
            check_at_least("neighbours", neighbours, 1);
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            mixed_exchange(
                space_of(shapes, tables, codes, counts),
                {static_cast<std::size_t>(k), neighbours, exhaustive, rounds, sweeps, heat, seed, threads, promises},
                weights.data(), means.data(), labels.data(), report);
        },
        as_is("shapes"), as_is("tables"), as_is("codes"), as_is("counts"), "k"_a, "neighbours"_a, "exhaustive"_a,
        "rounds"_a, "sweeps"_a, "heat"_a, "seed"_a, "threads"_a, as_is("weights"), as_is("means"), as_is("labels"),
        "progress"_a.none(), "promises"_a.none() = nb::none());
    m.def(
        "mixed_costs",
        [](IntegerMatrix shapes, Integers tables, IntegerMatrix codes, Integers counts, Vector weights, Flags means,
           Integers home, Integers other, std::size_t x) {
            check_space(shapes, tables, codes, counts);
            check_size("weights", weights.shape(0), shapes.shape(0), "column");
            check_size("means", means.shape(0), shapes.shape(0), "column");
            for (const Integers* tuples : {&home, &other}) {
                check_at_least("the number of tuples of a group", tuples->shape(0), 1);
                check_positions("tuples", tuples->data(), tuples->shape(0), counts.shape(0));
            }
            check_between("x", x, 0, home.shape(0) - 1);
            const Space space = space_of(shapes, tables, codes, counts);
            const MixedLoss loss(space, weights.data(), means.data(), false);
            const MixedColumns columns(space, loss.scales(), means.data());
            Pieces pieces;
            for (std::size_t i = 0; i < home.shape(0); ++i)
                pieces.push_back({static_cast<std::size_t>(home.data()[i]), 1});
            return std::tuple_cat(exchange_costs(columns, home.data(), home.shape(0), other.data(), other.shape(0), x),
                                  std::make_tuple(PieceLoss(MixedRows(columns, space.n, 1))(pieces)));
        },
        as_is("shapes"), as_is("tables"), as_is("codes"), as_is("counts"), as_is("weights"), as_is("means"),
        as_is("home"), as_is("other"), "x"_a);
    m.def(
        "mondrian",
        [](Matrix X, std::size_t k, bool strict, IntegersOut labels, nb::object progress) {
            check_partition(X, k, labels);
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            mondrian(view(X), k, strict, labels.data(), report);
        },
        as_is("X"), "k"_a, "strict"_a, as_is("labels"), "progress"_a.none());
}

}  // namespace microagg
