// Promises on confidential values: promises/.
#include "kernels/promises/promises.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "bindings/checks.h"
#include "bindings/door.h"
#include "kernels/base/members.h"
#include "kernels/promises/published.h"
#include "kernels/promises/repair.h"

namespace microagg {

using namespace nb::literals;

void bind_promises(nb::module_& m) {
    // kinds: one row for each promise, its kind and its column; levels: its level and its factor.
    nb::class_<Promises>(m, "Promises")
        .def(
            "__init__",
            [](Promises* self, IntegerMatrix codes, Integers n_values, Integers counts, IntegerMatrix kinds,
               Matrix levels) {
                const std::size_t n = codes.shape(0), n_columns = codes.shape(1);
                check_at_least("the number of records", n, 1);
                check_size("n_values", n_values.shape(0), n_columns, "column");
                std::size_t total = 0;
                for (std::size_t c = 0; c < n_columns; ++c) {
                    check_between("n_values", n_values(c), 1, std::int64_t{1} << 31);
                    for (std::size_t i = 0; i < n; ++i) check_between("codes", codes(i, c), 0, n_values(c) - 1);
                    total += static_cast<std::size_t>(n_values(c));
                }
                check_size("counts", counts.shape(0), total, "value of each column");
                for (std::size_t v = 0; v < total; ++v)
                    check_at_least("counts", static_cast<std::size_t>(counts(v)), 1);
                check_at_least("the number of promises", kinds.shape(0), 1);
                check_shape("kinds", kinds.shape(0), kinds.shape(1), kinds.shape(0), 2);
                check_shape("levels", levels.shape(0), levels.shape(1), kinds.shape(0), 2);
                std::vector<Promise> promises;
                for (std::size_t p = 0; p < kinds.shape(0); ++p) {
                    check_between("kinds", kinds(p, 0), 0, static_cast<std::int64_t>(PromiseKind::kOrdered));
                    check_between("columns", kinds(p, 1), 0, static_cast<std::int64_t>(n_columns) - 1);
                    const auto kind = static_cast<PromiseKind>(kinds(p, 0));
                    if (kind == PromiseKind::kRecursive)
                        check_between("levels", static_cast<std::int64_t>(levels(p, 0)), 1, std::int64_t{1} << 31);
                    promises.push_back({kind, static_cast<std::size_t>(kinds(p, 1)), levels(p, 0), levels(p, 1)});
                }
                const std::vector<std::size_t> sizes(n_values.data(), n_values.data() + n_columns);
                new (self) Promises(codes.data(), n, n_columns, counts.data(), sizes, std::move(promises));
            },
            as_is("codes"), as_is("n_values"), as_is("counts"), as_is("kinds"), as_is("levels"))
        .def("__len__", &Promises::n_records)
        // What each group lacks of all promises together.
        .def(
            "lacks",
            [](const Promises& self, Integers labels) {
                check_size("labels", labels.shape(0), self.n_records(), "record");
                const std::size_t n_groups = check_labels("labels", labels.data(), labels.shape(0));
                const std::vector<std::uint32_t> groups(labels.data(), labels.data() + labels.shape(0));
                const Members members = members_of(groups, n_groups);
                std::vector<double> lacks(n_groups);
                Judge judge(self, nullptr);
                for (std::size_t g = 0; g < n_groups; ++g)
                    lacks[g] = judge.lack(&members.rows[members.starts[g]], members.starts[g + 1] - members.starts[g]);
                return give(std::move(lacks));
            },
            as_is("labels"));
    m.def(
        "repair_promises",
        [](Matrix X, std::size_t k, const Promises& promises, std::uint64_t seed, std::size_t threads,
           IntegersOut labels, nb::object progress) {
            check_improvable(X, k, labels);
            check_size("promises", promises.n_records(), X.shape(0), "row of X");
            check_threads(threads);
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            repair_promises(view(X), k, promises, seed, threads, report, labels.data());
        },
        as_is("X"), "k"_a, "promises"_a, "seed"_a, "threads"_a, as_is("labels"), "progress"_a.none());
    m.def(
        "merge_until_kept",
        [](Matrix X, const Promises& promises, IntegersOut labels, nb::object progress) {
            check_improvable(X, 2, labels);
            check_size("promises", promises.n_records(), X.shape(0), "row of X");
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            merge_until_kept(view(X), promises, report, labels.data());
        },
        as_is("X"), "promises"_a, as_is("labels"), "progress"_a.none());
    m.def(
        "one_of_each",
        [](Matrix X, Integers parts, IntegersOut labels, nb::object progress) {
            check_partition(X, 2, labels);
            check_size("parts", parts.shape(0), X.shape(0), "row of X");
            const std::size_t n_parts = check_labels("parts", parts.data(), parts.shape(0));
            std::vector<std::size_t> sizes(n_parts, 0);
            for (std::size_t i = 0; i < parts.shape(0); ++i) ++sizes[static_cast<std::size_t>(parts(i))];
            const std::size_t n_groups = *std::min_element(sizes.begin(), sizes.end());
            check_between("what does not divide evenly", parts.shape(0) - n_parts * n_groups, 0, n_groups);
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            one_of_each(view(X), parts.data(), n_parts, report, labels.data());
        },
        as_is("X"), as_is("parts"), as_is("labels"), "progress"_a.none());
    m.def(
        "k_anonymity_first",
        [](Matrix X, std::size_t k, const Promises& promises, IntegersOut labels, nb::object progress) {
            check_partition(X, k, labels);
            check_size("promises", promises.n_records(), X.shape(0), "row of X");
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            k_anonymity_first(view(X), k, promises, report, labels.data());
        },
        as_is("X"), "k"_a, "promises"_a, as_is("labels"), "progress"_a.none());
}

}  // namespace microagg
