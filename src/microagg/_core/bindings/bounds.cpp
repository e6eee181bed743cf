#include <nanobind/stl/tuple.h>

#include <tuple>
#include <utility>

#include "bindings/door.h"
#include "kernels/bounds/nearest_bound.h"
#include "kernels/bounds/price_groups.h"

namespace microagg {

using namespace nb::literals;

namespace {

using VectorOut = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

}  // namespace

void bind_bounds(nb::module_& m) {
    m.def(
        "nearest_bound",
        [](Matrix X, std::size_t k, std::size_t neighbours, std::size_t rounds, double seconds, VectorOut prices,
           std::size_t threads, nb::object progress) {
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            return nearest_bound(view(X), k, {neighbours, rounds, seconds, threads}, prices.data(), report);
        },
        "X"_a, "k"_a, "neighbours"_a, "rounds"_a, "seconds"_a, "prices"_a, "threads"_a, "progress"_a.none());
    m.def(
        "price_groups",
        [](Matrix X, std::size_t k, Vector prices, IntegerMatrix triples, Vector penalties, double tolerance,
           std::size_t per_seed, std::size_t nodes, std::size_t threads, nb::object progress) {
            const Progress report = report_to(progress);
            PricedGroups priced;
            {
                nb::gil_scoped_release release;
                const Cuts cuts(X.shape(0), triples.data(), penalties.data(), penalties.shape(0));
                priced = price_groups(view(X), k, prices.data(), cuts, {tolerance, per_seed, nodes, threads}, report);
            }
            return std::make_tuple(give(std::move(priced.members)), give(std::move(priced.starts)),
                                   give(std::move(priced.costs)), give(std::move(priced.reduced_costs)),
                                   give(std::move(priced.least)), give(std::move(priced.cut_short)));
        },
        "X"_a, "k"_a, "prices"_a, "triples"_a, "penalties"_a, "tolerance"_a, "per_seed"_a, "nodes"_a, "threads"_a,
        "progress"_a.none());
}

}  // namespace microagg
