#include "bindings/door.h"
#include "kernels/groups/equal_rows.h"
#include "kernels/groups/group_means.h"

namespace microagg {

using namespace nb::literals;

void bind_groups(nb::module_& m) {
    m.def(
        "group_means",
        [](Matrix X, Integers labels, std::optional<Vector> weights, MatrixOut means) {
            const double* weight = weights ? weights->data() : nullptr;
            nb::gil_scoped_release release;
            group_means(view(X), labels.data(), means.shape(0), weight, means.data());
        },
        "X"_a, "labels"_a, "weights"_a.none(), "means"_a);
    m.def(
        "equal_rows",
        [](IntegerMatrix keys, IntegersOut classes) {
            nb::gil_scoped_release release;
            return equal_rows(keys.data(), keys.shape(0), keys.shape(1), classes.data());
        },
        "keys"_a, "classes"_a);
}

}  // namespace microagg
