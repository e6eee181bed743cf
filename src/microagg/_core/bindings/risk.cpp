#include "bindings/door.h"
#include "kernels/risk/link_by_patterns.h"
#include "kernels/risk/link_records.h"

namespace microagg {

using namespace nb::literals;

void bind_risk(nb::module_& m) {
    m.def(
        "link_records",
        [](Matrix original, Matrix released, Integers classes, Integers counts, std::size_t threads,
           nb::object progress, IntegersOut ties) {
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            link_records(view(original), view(released), classes.data(), counts.data(), threads, report, ties.data());
        },
        "original"_a, "released"_a, "classes"_a, "counts"_a, "threads"_a, "progress"_a.none(), "ties"_a);
    m.def(
        "count_patterns",
        [](Matrix original, Matrix columns, Integers counts, Vector reach, std::size_t threads, nb::object progress,
           IntegersOut totals) {
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            count_patterns(view(original), {view(columns), counts.data(), reach.data()}, threads, report,
                           totals.data());
        },
        "original"_a, "columns"_a, "counts"_a, "reach"_a, "threads"_a, "progress"_a.none(), "totals"_a);
    m.def(
        "link_by_patterns",
        [](Matrix original, Matrix columns, Integers counts, Vector reach, Integers classes, Integers ranks,
           std::size_t threads, nb::object progress, IntegersOut ties) {
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            link_by_patterns(view(original), {view(columns), counts.data(), reach.data()}, classes.data(), ranks.data(),
                             threads, report, ties.data());
        },
        "original"_a, "columns"_a, "counts"_a, "reach"_a, "classes"_a, "ranks"_a, "threads"_a, "progress"_a.none(),
        "ties"_a);
}

}  // namespace microagg
