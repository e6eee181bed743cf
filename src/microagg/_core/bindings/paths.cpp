// Orders of the records: paths/, neighbours/nearest_neighbours.h.
#include "bindings/checks.h"
#include "bindings/door.h"
#include "kernels/neighbours/nearest_neighbours.h"
#include "kernels/paths/greedy_edge_path.h"
#include "kernels/paths/held_karp_bound.h"
#include "kernels/paths/improve_path.h"
#include "kernels/paths/insertion_path.h"
#include "kernels/paths/nearest_neighbour_path.h"
#include "kernels/paths/path_in_cells.h"

namespace microagg {

using namespace nb::literals;

void bind_paths(nb::module_& m) {
    m.def(
        "nearest_neighbours",
        [](Matrix X, std::size_t count, std::size_t threads, IntegerMatrixOut rows, MatrixOut distances,
           nb::object progress) {
            check_records(X);
            const std::size_t listed = std::min(count, X.shape(0) - 1);
            check_shape("rows", rows.shape(0), rows.shape(1), X.shape(0), listed);
            check_shape("distances", distances.shape(0), distances.shape(1), X.shape(0), listed);
            check_threads(threads);
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            const Neighbours lists = nearest_neighbours(view(X), count, threads, report);
            std::copy(lists.rows.begin(), lists.rows.end(), rows.data());
            std::copy(lists.distances.begin(), lists.distances.end(), distances.data());
        },
        as_is("X"), "count"_a, "threads"_a, as_is("rows"), as_is("distances"), "progress"_a.none());
    m.def(
        "nearest_neighbour_path",
        [](Matrix X, std::size_t start, std::size_t threads, IntegersOut order, nb::object progress) {
            check_records(X);
            check_size("order", order.shape(0), X.shape(0), "row of X");
            check_between("start", start, 0, X.shape(0) - 1);
            check_threads(threads);
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            nearest_neighbour_path(view(X), start, threads, order.data(), report);
        },
        as_is("X"), "start"_a, "threads"_a, as_is("order"), "progress"_a.none());
    m.def(
        "nearest_neighbour_paths",
        [](Matrix X, std::size_t first, std::size_t threads, IntegerMatrixOut orders, nb::object progress) {
            check_records(X);
            check_between("first", first, 0, X.shape(0));
            check_between("the number of rows of orders", orders.shape(0), 0, X.shape(0) - first);
            check_shape("orders", orders.shape(0), orders.shape(1), orders.shape(0), X.shape(0));
            check_threads(threads);
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            nearest_neighbour_paths(view(X), first, first + orders.shape(0), threads, orders.data(), report);
        },
        as_is("X"), "first"_a, "threads"_a, as_is("orders"), "progress"_a.none());
    m.def(
        "best_nearest_neighbour_path",
        [](Matrix X, Integers firsts, Integers lasts, std::size_t threads, IntegersOut order, nb::object progress) {
            check_records(X);
            check_size("order", order.shape(0), X.shape(0), "row of X");
            check_at_least("the number of firsts", firsts.shape(0), 1);
            check_size("lasts", lasts.shape(0), firsts.shape(0), "number in firsts");
            check_positions("firsts", firsts.data(), firsts.shape(0), X.shape(0));
            check_positions("lasts", lasts.data(), lasts.shape(0), X.shape(0));
            check_threads(threads);
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            best_nearest_neighbour_path(view(X), firsts.data(), lasts.data(), firsts.shape(0), threads, order.data(),
                                        report);
        },
        as_is("X"), as_is("firsts"), as_is("lasts"), "threads"_a, as_is("order"), "progress"_a.none());
    m.def(
        "insertion_path",
        [](Matrix X, int rule, int dummy, std::size_t start, Integers priority, IntegersOut order,
           nb::object progress) {
            check_records(X);
            check_size("order", order.shape(0), X.shape(0), "row of X");
            check_between("rule", rule, 0, static_cast<int>(NextCity::kArbitrary));
            check_between("dummy", dummy, 0, static_cast<int>(Dummy::kEnd));
            check_between("start", start, 0, X.shape(0) - 1);
            check_size("priority", priority.shape(0), X.shape(0) + 1, "row of X and the dummy");
            check_order("priority", priority.data(), priority.shape(0));
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            insertion_path(view(X), static_cast<NextCity>(rule), static_cast<Dummy>(dummy), start, priority.data(),
                           order.data(), report);
        },
        as_is("X"), "rule"_a, "dummy"_a, "start"_a, as_is("priority"), as_is("order"), "progress"_a.none());
    m.def(
        "greedy_edge_path",
        [](Matrix X, std::size_t threads, IntegersOut order, nb::object progress) {
            check_records(X);
            check_size("order", order.shape(0), X.shape(0), "row of X");
            check_threads(threads);
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            greedy_edge_path(view(X), threads, order.data(), report);
        },
        as_is("X"), "threads"_a, as_is("order"), "progress"_a.none());
    m.def(
        "improve_path",
        [](Matrix X, std::size_t neighbours, std::size_t exchange, std::size_t depth, std::uint64_t kicks,
           std::uint64_t seed, double seconds, double cap, bool from_greedy, bool from_start, std::size_t threads,
           IntegersOut order, nb::object progress, bool near) {
            check_records(X);
            check_size("order", order.shape(0), X.shape(0), "row of X");
            if (!from_greedy) check_order("order", order.data(), order.shape(0));
            check_at_least("neighbours", neighbours, 1);
            check_between("exchange", exchange, 2, 3);
            check_threads(threads);
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            improve_path(
                view(X),
                {neighbours, exchange, depth, kicks, seed, seconds, cap, from_greedy, from_start, threads, near},
                order.data(), report);
        },
        as_is("X"), "neighbours"_a, "exchange"_a, "depth"_a, "kicks"_a, "seed"_a, "seconds"_a, "cap"_a, "from_greedy"_a,
        "from_start"_a, "threads"_a, as_is("order"), "progress"_a.none(), "near"_a = false);
    m.def(
        "path_in_cells",
        [](Matrix X, std::size_t neighbours, std::size_t exchange, std::size_t depth, std::uint64_t kicks,
           std::uint64_t seed, double seconds, double cap, std::size_t cell, std::size_t threads, IntegersOut order,
           nb::object progress) {
            check_records(X);
            check_size("order", order.shape(0), X.shape(0), "row of X");
            check_at_least("neighbours", neighbours, 1);
            check_between("exchange", exchange, 2, 3);
            check_at_least("cell", cell, 2);
            check_threads(threads);
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            path_in_cells(view(X), {neighbours, exchange, depth, kicks, seed, seconds, cap, true, false, threads, true},
                          cell, order.data(), report);
        },
        as_is("X"), "neighbours"_a, "exchange"_a, "depth"_a, "kicks"_a, "seed"_a, "seconds"_a, "cap"_a, "cell"_a,
        "threads"_a, as_is("order"), "progress"_a.none());
    m.def(
        "held_karp_bound",
        [](Matrix X, std::size_t start, double upper, std::size_t steps, nb::object progress) {
            check_records(X);
            check_between("start", start, 0, X.shape(0));
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            return held_karp_bound(view(X), start, upper, steps, report);
        },
        as_is("X"), "start"_a, "upper"_a, "steps"_a, "progress"_a.none());
}

}  // namespace microagg
