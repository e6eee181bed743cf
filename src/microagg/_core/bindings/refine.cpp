#include <nanobind/stl/tuple.h>

#include <limits>
#include <tuple>
#include <utility>

#include "bindings/door.h"
#include "kernels/neighbours/near_neighbours.h"
#include "kernels/search/improve_blocks.h"
#include "kernels/search/partition_fast.h"
#include "kernels/search/search.h"
#include "kernels/search/seen_groups.h"

namespace microagg {

using namespace nb::literals;

void bind_refine(nb::module_& m) {
    m.def(
        "refine_local",
        [](Matrix X, std::size_t k, std::size_t max_passes, std::uint64_t seed, std::size_t threads, double time_limit,
           IntegersOut labels, nb::object progress) {
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            return refine_local(view(X), k, max_passes, seed, threads, time_limit, report, labels.data());
        },
        "X"_a, "k"_a, "max_passes"_a, "seed"_a, "threads"_a, "time_limit"_a, "labels"_a, "progress"_a.none());
    m.def(
        "near_neighbours",
        [](Matrix X, std::size_t count, std::uint64_t seed, std::size_t threads, IntegersOut rows) {
            nb::gil_scoped_release release;
            Watch watch([](double) {}, std::numeric_limits<double>::infinity());
            const Graph graph = near_neighbours(view(X), count, seed, threads, watch, [](double) {});
            std::copy(graph.rows.begin(), graph.rows.end(), rows.data());
        },
        "X"_a, "count"_a, "seed"_a, "threads"_a, "rows"_a);
    m.def(
        "start_groups",
        [](Matrix X, std::size_t k, std::size_t threads, IntegersOut labels) {
            nb::gil_scoped_release release;
            start_groups(view(X), k, threads, labels.data());
        },
        "X"_a, "k"_a, "threads"_a, "labels"_a);
    nb::class_<SeenGroups>(m, "SeenGroups")
        .def(
            "__init__", [](SeenGroups* self, Matrix X, std::size_t most) { new (self) SeenGroups(view(X), most); },
            "X"_a, "most"_a)
        .def("__len__", &SeenGroups::size)
        .def(
            "note",
            [](SeenGroups& self, Integers labels) {
                self.note(std::vector<std::uint32_t>(labels.data(), labels.data() + labels.shape(0)));
            },
            "labels"_a)
        .def(
            "add",
            [](SeenGroups& self, Integers rows) {
                self.add(std::vector<std::uint32_t>(rows.data(), rows.data() + rows.shape(0)).data(), rows.shape(0));
            },
            "rows"_a)
        .def(
            "within",
            [](const SeenGroups& self, Integers rows) {
                SeenGroups::Some some = self.within(rows.data(), rows.shape(0));
                return std::make_tuple(give(std::move(some.rows)), give(std::move(some.starts)),
                                       give(std::move(some.costs)));
            },
            "rows"_a);
    // Where Ctrl-C ends the search, labels hold the best so far.
    m.def(
        "search",
        [](Matrix X, std::size_t k, std::uint64_t seed, std::size_t threads, double time_limit, std::size_t iterations,
           IntegersOut labels, nb::object progress, nb::object tell_loss, SeenGroups* seen, bool goes_on) {
            const Listeners listeners{report_to(progress), report_to(tell_loss)};
            const SearchPlan plan{k, seed, threads, time_limit, iterations, goes_on};
            try {
                nb::gil_scoped_release release;
                return search(view(X), plan, listeners, labels.data(), seen);
            } catch (nb::python_error& error) {
                if (!error.matches(PyExc_KeyboardInterrupt)) throw;
                return std::numeric_limits<double>::quiet_NaN();
            }
        },
        "X"_a, "k"_a, "seed"_a, "threads"_a, "time_limit"_a, "iterations"_a, "labels"_a, "progress"_a.none(),
        "tell_loss"_a.none(), "seen"_a.none() = nb::none(), "goes_on"_a = false);
    m.def(
        "partition_fast",
        [](Matrix X, std::size_t k, std::size_t passes, std::uint64_t seed, std::size_t threads, IntegersOut labels,
           nb::object progress) {
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            partition_fast(view(X), k, passes, seed, threads, report, labels.data());
        },
        "X"_a, "k"_a, "passes"_a, "seed"_a, "threads"_a, "labels"_a, "progress"_a.none());
}

}  // namespace microagg
