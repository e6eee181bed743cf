// New records join groups that exist: incremental/adjoin.h.
#include "bindings/checks.h"
#include "bindings/door.h"
#include "kernels/incremental/adjoin.h"

namespace microagg {

using namespace nb::literals;

void bind_incremental(nb::module_& m) {
    nb::enum_<Split>(m, "Split").value("none", Split::kNone).value("middle", Split::kMiddle).value("end", Split::kEnd);
    nb::enum_<Search>(m, "Search")
        .value("auto", Search::kAuto)
        .value("scan", Search::kScan)
        .value("boxes", Search::kBoxes);
    m.def(
        "adjoin",
        [](Matrix X, std::size_t n_base, std::size_t k, Split split, bool inertia, bool moving, Search search,
           IntegersOut labels, nb::object progress) {
            check_partition(X, k, labels);
            check_between("n_base", n_base, 1, X.shape(0));
            check_labels("labels", labels.data(), n_base);
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            adjoin(view(X), n_base, k, split, inertia, moving, search, labels.data(), report);
        },
        as_is("X"), "n_base"_a, "k"_a, "split"_a, "inertia"_a, "moving"_a, "search"_a, as_is("labels"),
        "progress"_a.none());
    m.def(
        "closest_groups",
        [](Matrix X, Integers labels, std::size_t first, IntegerMatrixOut closest, nb::object progress) {
            check_records(X);
            check_between("the number of labels", labels.shape(0), 1, X.shape(0));
            const std::size_t n_groups = check_labels("labels", labels.data(), labels.shape(0));
            check_between("first", first, 0, X.shape(0));
            check_between("the number of columns of closest", closest.shape(1), 1, n_groups);
            check_shape("closest", closest.shape(0), closest.shape(1), X.shape(0) - first, closest.shape(1));
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            closest_groups(view(X), labels.data(), labels.shape(0), first, closest.shape(1), closest.data(), report);
        },
        as_is("X"), as_is("labels"), "first"_a, as_is("closest"), "progress"_a.none());
}

}  // namespace microagg
