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
        [](Matrix X, std::size_t n_base, std::size_t k, Split split, bool inertia, Search search, IntegersOut labels,
           nb::object progress) {
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            adjoin(view(X), n_base, k, split, inertia, search, labels.data(), report);
        },
        "X"_a, "n_base"_a, "k"_a, "split"_a, "inertia"_a, "search"_a, "labels"_a, "progress"_a.none());
    m.def(
        "closest_groups",
        [](Matrix X, Integers labels, std::size_t first, IntegerMatrixOut closest, nb::object progress) {
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            closest_groups(view(X), labels.data(), labels.shape(0), first, closest.shape(1), closest.data(), report);
        },
        "X"_a, "labels"_a, "first"_a, "closest"_a, "progress"_a.none());
}

}  // namespace microagg
