// Means of groups, classes of equal rows: groups/group_means.h, groups/equal_rows.h.
#include "bindings/checks.h"
#include "bindings/door.h"
#include "kernels/groups/equal_rows.h"
#include "kernels/groups/group_means.h"

namespace microagg {

using namespace nb::literals;

void bind_groups(nb::module_& m) {
    m.def(
        "group_means",
        [](Matrix X, Integers labels, std::optional<Vector> weights, MatrixOut means) {
            check_size("labels", labels.shape(0), X.shape(0), "row of X");
            if (weights) check_size("weights", weights->shape(0), X.shape(0), "row of X");
            const std::size_t n_groups = check_labels("labels", labels.data(), labels.shape(0));
            check_shape("means", means.shape(0), means.shape(1), n_groups, X.shape(1));
            const double* weight = weights ? weights->data() : nullptr;
            nb::gil_scoped_release release;
            group_means(view(X), labels.data(), means.shape(0), weight, means.data());
        },
        as_is("X"), as_is("labels"), as_is("weights").none(), as_is("means"));
    m.def(
        "equal_rows",
        [](IntegerMatrix keys, IntegersOut classes) {
            check_size("classes", classes.shape(0), keys.shape(0), "row of keys");
            nb::gil_scoped_release release;
            return equal_rows(keys.data(), keys.shape(0), keys.shape(1), classes.data());
        },
        as_is("keys"), as_is("classes"));
}

}  // namespace microagg
