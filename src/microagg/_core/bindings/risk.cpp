// Record linkage: risk/link_records.h, risk/link_by_patterns.h.
#include "bindings/checks.h"
#include "bindings/door.h"
#include "kernels/risk/link_by_patterns.h"
#include "kernels/risk/link_records.h"

namespace microagg {

using namespace nb::literals;

namespace {

constexpr std::int64_t kMostColumns = 31;  // a pattern has a bit for each

// Releases lie column by column: `columns` has a row for each column of `original`. Gives the number of patterns.
std::size_t check_patterns(const Matrix& original, const Matrix& columns, const Integers& counts, const Vector& reach) {
    check_records(original);
    check_records(columns);
    check_between("the number of columns of original", original.shape(1), 1, kMostColumns);
    check_shape("columns", columns.shape(0), columns.shape(1), original.shape(1), columns.shape(1));
    check_size("counts", counts.shape(0), columns.shape(1), "column of columns");
    check_size("reach", reach.shape(0), original.shape(1), "column of original");
    return std::size_t{1} << original.shape(1);
}

}  // namespace

void bind_risk(nb::module_& m) {
    m.def(
        "link_records",
        [](Matrix original, Matrix released, Integers classes, Integers counts, std::size_t threads,
           nb::object progress, IntegersOut ties) {
            check_records(original);
            check_records(released);
            check_shape("released", released.shape(0), released.shape(1), released.shape(0), original.shape(1));
            check_size("classes", classes.shape(0), original.shape(0), "row of original");
            check_positions("classes", classes.data(), classes.shape(0), released.shape(0));
            check_size("counts", counts.shape(0), released.shape(0), "row of released");
            check_size("ties", ties.shape(0), original.shape(0), "row of original");
            check_threads(threads);
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            link_records(view(original), view(released), classes.data(), counts.data(), threads, report, ties.data());
        },
        as_is("original"), as_is("released"), as_is("classes"), as_is("counts"), "threads"_a, "progress"_a.none(),
        as_is("ties"));
    m.def(
        "count_patterns",
        [](Matrix original, Matrix columns, Integers counts, Vector reach, std::size_t threads, nb::object progress,
           IntegersOut totals) {
            const std::size_t patterns = check_patterns(original, columns, counts, reach);
            check_size("totals", totals.shape(0), patterns, "pattern");
            check_threads(threads);
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            count_patterns(view(original), {view(columns), counts.data(), reach.data()}, threads, report,
                           totals.data());
        },
        as_is("original"), as_is("columns"), as_is("counts"), as_is("reach"), "threads"_a, "progress"_a.none(),
        as_is("totals"));
    m.def(
        "link_by_patterns",
        [](Matrix original, Matrix columns, Integers counts, Vector reach, Integers classes, Integers ranks,
           std::size_t threads, nb::object progress, IntegersOut ties) {
            const std::size_t patterns = check_patterns(original, columns, counts, reach);
            check_size("classes", classes.shape(0), original.shape(0), "row of original");
            check_positions("classes", classes.data(), classes.shape(0), columns.shape(1));
            check_size("ranks", ranks.shape(0), patterns, "pattern");
            check_size("ties", ties.shape(0), original.shape(0), "row of original");
            check_threads(threads);
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            link_by_patterns(view(original), {view(columns), counts.data(), reach.data()}, classes.data(), ranks.data(),
                             threads, report, ties.data());
        },
        as_is("original"), as_is("columns"), as_is("counts"), as_is("reach"), as_is("classes"), as_is("ranks"),
        "threads"_a, "progress"_a.none(), as_is("ties"));
}

}  // namespace microagg
