// The MDAV family, and optimal cuts: mdav/, partition/.
#include "bindings/checks.h"
#include "bindings/door.h"
#include "kernels/mdav/cbfs.h"
#include "kernels/mdav/md.h"
#include "kernels/mdav/mdav.h"
#include "kernels/mdav/vmdav.h"
#include "kernels/partition/cut_order.h"
#include "kernels/partition/cut_sorted.h"
#include "kernels/partition/exact_partition.h"

namespace microagg {

using namespace nb::literals;

namespace {

constexpr std::int64_t kMostExact = 30;  // memory grows with 2^n

using FixedSize = void (*)(Records, std::size_t, std::size_t, std::int64_t*, const Progress&);

void bind_fixed_size(nb::module_& m, const char* name, FixedSize kernel) {
    m.def(
        name,
        [kernel](Matrix X, std::size_t k, IntegersOut labels, std::size_t threads, nb::object progress) {
            check_partition(X, k, labels);
            check_threads(threads);
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            kernel(view(X), k, threads, labels.data(), report);
        },
        as_is("X"), "k"_a, as_is("labels"), "threads"_a, "progress"_a.none());
}

}  // namespace

void bind_partition(nb::module_& m) {
    bind_fixed_size(m, "mdav", mdav);
    bind_fixed_size(m, "cbfs", cbfs);
    bind_fixed_size(m, "md", md);
    nb::enum_<Seeds>(m, "Seeds")
        .value("single", Seeds::kSingle)
        .value("moving", Seeds::kMoving)
        .value("pairs", Seeds::kPairs);
    m.def(
        "vmdav",
        [](Matrix X, std::size_t k, double gamma, Seeds seeds, IntegersOut labels, std::size_t threads,
           nb::object progress) {
            check_partition(X, k, labels);
            check_threads(threads);
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            vmdav(view(X), k, gamma, seeds, threads, labels.data(), report);
        },
        as_is("X"), "k"_a, "gamma"_a, "seeds"_a, as_is("labels"), "threads"_a, "progress"_a.none());
    m.def(
        "cut_order",
        [](Matrix X, Integers order, std::size_t k, IntegersOut labels, nb::object progress) {
            check_partition(X, k, labels);
            check_size("order", order.shape(0), X.shape(0), "row of X");
            check_order("order", order.data(), order.shape(0));
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            cut_order(view(X), order.data(), k, labels.data(), report);
        },
        as_is("X"), as_is("order"), "k"_a, as_is("labels"), "progress"_a.none());
    m.def(
        "cut_sorted",
        [](Vector values, std::size_t k, IntegersOut labels) {
            check_size("labels", labels.shape(0), values.shape(0), "value");
            check_between("k", k, 2, values.shape(0));
            nb::gil_scoped_release release;
            cut_sorted(values.data(), values.shape(0), k, labels.data());
        },
        as_is("values"), "k"_a, as_is("labels"));
    m.def(
        "exact_partition",
        [](Matrix X, std::size_t k, IntegersOut labels, nb::object progress) {
            check_partition(X, k, labels);
            check_between("the number of rows of X", X.shape(0), 2, kMostExact);
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            exact_partition(view(X), k, labels.data(), report);
        },
        as_is("X"), "k"_a, as_is("labels"), "progress"_a.none());
}

}  // namespace microagg
