#include "bindings/door.h"
#include "kernels/partition/mondrian.h"
#include "kernels/semantic/k_modes.h"
#include "kernels/semantic/mixed_search.h"
#include "kernels/semantic/semantic_mdav.h"
#include "kernels/semantic/semantic_mondrian.h"
#include "kernels/semantic/space.h"

namespace microagg {

using namespace nb::literals;

namespace {

using Flags = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Space space_of(const IntegerMatrix& shapes, const Integers& tables, const IntegerMatrix& codes,
               const Integers& counts) {
    return Space(shapes.data(), shapes.shape(0), tables.data(), codes.data(), counts.data(), counts.shape(0));
}

}  // namespace

void bind_semantic(nb::module_& m) {
    m.def(
        "semantic_mdav",
        [](IntegerMatrix shapes, Integers tables, IntegerMatrix codes, Integers counts, std::int64_t k,
           bool whole_tuples, bool recompute, IntegersOut labels, nb::object progress) {
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            semantic_mdav(space_of(shapes, tables, codes, counts), k, whole_tuples, recompute, labels.data(), report);
        },
        "shapes"_a, "tables"_a, "codes"_a, "counts"_a, "k"_a, "whole_tuples"_a, "recompute"_a, "labels"_a,
        "progress"_a.none());
    m.def(
        "mdav_generic",
        [](IntegerMatrix shapes, Integers tables, IntegerMatrix codes, Integers counts, std::int64_t k,
           IntegersOut labels, nb::object progress) {
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            mdav_generic(space_of(shapes, tables, codes, counts), k, labels.data(), report);
        },
        "shapes"_a, "tables"_a, "codes"_a, "counts"_a, "k"_a, "labels"_a, "progress"_a.none());
    m.def(
        "k_modes",
        [](IntegerMatrix shapes, Integers tables, IntegerMatrix codes, Integers counts, std::int64_t k,
           Integers initial, std::size_t most_rounds, IntegersOut labels, nb::object progress) {
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            k_modes(space_of(shapes, tables, codes, counts), k, initial.data(), initial.shape(0), most_rounds,
                    labels.data(), report);
        },
        "shapes"_a, "tables"_a, "codes"_a, "counts"_a, "k"_a, "initial"_a, "most_rounds"_a, "labels"_a,
        "progress"_a.none());
    m.def(
        "semantic_mondrian",
        [](IntegerMatrix shapes, Integers tables, IntegerMatrix codes, Integers counts, std::int64_t k,
           std::int64_t rule, Integers ranks, IntegersOut labels, nb::object progress) {
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            semantic_mondrian(space_of(shapes, tables, codes, counts), k, static_cast<CutRule>(rule), ranks.data(),
                              labels.data(), report);
        },
        "shapes"_a, "tables"_a, "codes"_a, "counts"_a, "k"_a, "rule"_a, "ranks"_a, "labels"_a, "progress"_a.none());
    m.def(
        "mixed_search",
        [](IntegerMatrix shapes, Integers tables, IntegerMatrix codes, Integers counts, std::int64_t k,
           std::size_t neighbours, std::size_t exhaustive, std::size_t rounds, bool joint, std::size_t threads,
           Vector weights, Flags means, IntegersOut labels, nb::object progress) {
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            mixed_search(space_of(shapes, tables, codes, counts), {k, neighbours, exhaustive, rounds, joint, threads},
                         weights.data(), means.data(), labels.data(), report);
        },
        "shapes"_a, "tables"_a, "codes"_a, "counts"_a, "k"_a, "neighbours"_a, "exhaustive"_a, "rounds"_a, "joint"_a,
        "threads"_a, "weights"_a, "means"_a, "labels"_a, "progress"_a.none());
    m.def(
        "mondrian",
        [](Matrix X, std::size_t k, bool strict, IntegersOut labels, nb::object progress) {
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            mondrian(view(X), k, strict, labels.data(), report);
        },
        "X"_a, "k"_a, "strict"_a, "labels"_a, "progress"_a.none());
}

}  // namespace microagg
