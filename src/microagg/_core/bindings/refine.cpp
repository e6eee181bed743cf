#include "bindings/door.h"
#include "kernels/blocks.h"

namespace microagg {

using namespace nb::literals;

void bind_refine(nb::module_& m) {
    m.def(
        "refine_local",
        [](Matrix X, std::size_t k, std::size_t max_passes, std::uint64_t seed, std::size_t threads, double time_limit,
           IntegersOut labels, nb::object progress) {
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            refine_local(view(X), k, max_passes, seed, threads, time_limit, report, labels.data());
        },
        "X"_a, "k"_a, "max_passes"_a, "seed"_a, "threads"_a, "time_limit"_a, "labels"_a, "progress"_a.none());
}

}  // namespace microagg
