#include "bindings/door.h"
#include "kernels/mhm.h"
#include "kernels/univariate.h"

namespace microagg {

using namespace nb::literals;

void bind_partition(nb::module_& m) {
    m.def(
        "cut_order",
        [](Matrix X, Integers order, std::size_t k, IntegersOut labels, nb::object progress) {
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            cut_order(view(X), order.data(), k, labels.data(), report);
        },
        "X"_a, "order"_a, "k"_a, "labels"_a, "progress"_a.none());
    m.def(
        "cut_sorted",
        [](Vector values, std::size_t k, IntegersOut labels) {
            nb::gil_scoped_release release;
            cut_sorted(values.data(), values.shape(0), k, labels.data());
        },
        "values"_a, "k"_a, "labels"_a);
}

}  // namespace microagg
