// What no partition can be below: bounds/nearest_bound.h, bounds/price_groups.h.
#include <nanobind/stl/tuple.h>

#include <tuple>
#include <utility>

#include "bindings/checks.h"
#include "bindings/door.h"
#include "kernels/bounds/nearest_bound.h"
#include "kernels/bounds/price_groups.h"

namespace microagg {

using namespace nb::literals;

void bind_bounds(nb::module_& m) {
    m.def(
        "nearest_bound",
        [](Matrix X, std::size_t k, std::size_t neighbours, std::size_t rounds, double seconds, VectorOut prices,
           std::size_t threads, nb::object progress) {
            check_records(X);
            check_between("k", k, 2, X.shape(0));
            check_size("prices", prices.shape(0), X.shape(0), "row of X");
            check_at_least("neighbours", neighbours, 1);
            check_threads(threads);
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            return nearest_bound(view(X), k, {neighbours, rounds, seconds, threads}, prices.data(), report);
        },
        as_is("X"), "k"_a, "neighbours"_a, "rounds"_a, "seconds"_a, as_is("prices"), "threads"_a, "progress"_a.none());
    m.def(
        "price_groups",
        [](Matrix X, std::size_t k, Vector prices, IntegerMatrix cut_records, IntegerMatrix multiples,
           Integers divisors, Vector penalties, IntegerMatrix together, IntegerMatrix apart, double tolerance,
           std::size_t per_seed, std::size_t nodes, bool every, std::size_t threads, nb::object progress) {
            check_records(X);
            check_between("k", k, 2, X.shape(0));
            check_size("prices", prices.shape(0), X.shape(0), "row of X");
            check_positions("cut_records", cut_records.data(), cut_records.size(), X.shape(0));
            check_shape("multiples", multiples.shape(0), multiples.shape(1), cut_records.shape(0),
                        cut_records.shape(1));
            check_positions("multiples", multiples.data(), multiples.size(), 1000);
            check_size("divisors", divisors.shape(0), cut_records.shape(0), "cut");
            for (std::size_t cut = 0; cut < divisors.shape(0); ++cut)
                check_whole_between("divisors", divisors(cut), 1, 1000);
            check_size("penalties", penalties.shape(0), cut_records.shape(0), "cut");
            check_shape("together", together.shape(0), together.shape(1), together.shape(0), 2);
            check_positions("together", together.data(), together.size(), X.shape(0));
            check_shape("apart", apart.shape(0), apart.shape(1), apart.shape(0), 2);
            check_positions("apart", apart.data(), apart.size(), X.shape(0));
            check_at_least("per_seed", per_seed, 1);
            check_threads(threads);
            const Progress report = report_to(progress);
            PricedGroups priced;
            {
                nb::gil_scoped_release release;
                const Cuts cuts(X.shape(0), {cut_records.data(), multiples.data(), divisors.data(), penalties.data(),
                                             cut_records.shape(0), cut_records.shape(1)});
                const Decisions decisions(X.shape(0), together.data(), together.shape(0), apart.data(), apart.shape(0));
                priced = price_groups(view(X), k, prices.data(), cuts, decisions,
                                      {tolerance, per_seed, nodes, every, threads}, report);
            }
            return std::make_tuple(give(std::move(priced.members)), give(std::move(priced.starts)),
                                   give(std::move(priced.costs)), give(std::move(priced.reduced_costs)),
                                   give(std::move(priced.least)), give(std::move(priced.cut_short)));
        },
        as_is("X"), "k"_a, as_is("prices"), as_is("cut_records"), as_is("multiples"), as_is("divisors"),
        as_is("penalties"), as_is("together"), as_is("apart"), "tolerance"_a, "per_seed"_a, "nodes"_a, "every"_a,
        "threads"_a, "progress"_a.none());
}

}  // namespace microagg
