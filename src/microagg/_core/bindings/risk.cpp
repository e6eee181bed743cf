#include "bindings/door.h"
#include "kernels/linkage.h"

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
}

}  // namespace microagg
