#include "bindings/door.h"
#include "kernels/adjoin.h"

namespace microagg {

using namespace nb::literals;

void bind_incremental(nb::module_& m) {
    nb::enum_<Split>(m, "Split").value("none", Split::kNone).value("middle", Split::kMiddle).value("end", Split::kEnd);
    m.def(
        "adjoin",
        [](Matrix X, std::size_t n_base, std::size_t k, Split split, bool inertia, IntegersOut labels,
           nb::object progress) {
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            adjoin(view(X), n_base, k, split, inertia, labels.data(), report);
        },
        "X"_a, "n_base"_a, "k"_a, "split"_a, "inertia"_a, "labels"_a, "progress"_a.none());
}

}  // namespace microagg
