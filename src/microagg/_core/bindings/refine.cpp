// What improves a partition, and the searches built on it: search/.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "bindings/checks.h"
#include "bindings/door.h"
#include "kernels/base/members.h"
#include "kernels/neighbours/near_neighbours.h"
#include "kernels/pairs/pair_up.h"
#include "kernels/search/annealer.h"
#include "kernels/search/chains.h"
#include "kernels/search/exchange.h"
#include "kernels/search/exchange_costs.h"
#include "kernels/search/improve_blocks.h"
#include "kernels/search/partition_fast.h"
#include "kernels/search/seen_groups.h"
#include "kernels/search/start_groups.h"

namespace microagg {

using namespace nb::literals;

namespace {

// One row of promises for each row of X, where there are promises.
void check_promises(const Promises* promises, const Matrix& X) {
    if (promises != nullptr) check_size("promises", promises->n_records(), X.shape(0), "row of X");
}

template <class Real>
std::pair<std::size_t, double> cheapest_swap(Records own, Records others, std::size_t x) {
    const std::size_t stride = (own.m + 3) / 4 * 4;
    const auto padded = [&](Records rows) {
        std::vector<Real> values(rows.n * stride, 0);
        for (std::size_t i = 0; i < rows.n; ++i)
            for (std::size_t c = 0; c < rows.m; ++c) values[i * stride + c] = static_cast<Real>(rows[i][c]);
        return values;
    };
    const std::vector<Real> mine = padded(own), theirs = padded(others);
    std::vector<Real> own_centroid(stride), centroid(stride), v(stride);
    centre_of(mine.data(), own.n, stride, own_centroid.data());
    centre_of(theirs.data(), others.n, stride, centroid.data());
    const Real share = 1 / static_cast<Real>(own.n) + 1 / static_cast<Real>(others.n);
    const Exchange<Real> seen =
        look_at(&mine[x * stride], own_centroid.data(), centroid.data(), stride, share, v.data());
    Real cost = std::numeric_limits<Real>::infinity();
    const std::size_t member =
        cheapest_member(v.data(), centroid.data(), theirs.data(), others.n, stride, seen.base, share, cost);
    return {member, static_cast<double>(cost)};
}

// A partition that an annealer can work on: its groups have as many records as they may.
std::vector<std::uint32_t> groups_within(const Annealer& annealer, const char* name, const Integers& labels) {
    check_size(name, labels.shape(0), annealer.n_records(), "record");
    check_groups(name, labels.data(), labels.shape(0), annealer.limits().least);
    std::vector<std::uint32_t> groups(labels.data(), labels.data() + labels.shape(0));
    std::vector<std::size_t> sizes(renumber(groups), 0);
    for (const std::uint32_t row : annealer.rows())
        check_between("the size of a group", ++sizes[groups[row]], 1, annealer.limits().most);
    return groups;
}

}  // namespace

void bind_refine(nb::module_& m) {
    m.def(
        "refine_local",
        [](Matrix X, std::size_t k, std::size_t max_passes, std::uint64_t seed, std::size_t threads, double time_limit,
           IntegersOut labels, nb::object progress, const Promises* promises) {
            check_improvable(X, k, labels);
            check_promises(promises, X);
            check_threads(threads);
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            return refine_local(view(X), k, promises, max_passes, seed, threads, time_limit, report, labels.data());
        },
        as_is("X"), "k"_a, "max_passes"_a, "seed"_a, "threads"_a, "time_limit"_a, as_is("labels"), "progress"_a.none(),
        "promises"_a.none() = nb::none());
    m.def(
        "near_neighbours",
        [](Matrix X, std::size_t count, std::uint64_t seed, std::size_t threads, IntegersOut rows) {
            check_records(X);
            check_size("rows", rows.shape(0), X.shape(0) * std::min(count, X.shape(0) - 1),
                       "neighbour of each row of X");
            check_threads(threads);
            nb::gil_scoped_release release;
            Watch watch([](double) {}, std::numeric_limits<double>::infinity());
            const Graph graph = near_neighbours(view(X), count, seed, threads, watch, [](double) {});
            std::copy(graph.rows.begin(), graph.rows.end(), rows.data());
        },
        as_is("X"), "count"_a, "seed"_a, "threads"_a, as_is("rows"));
    m.def(
        "pair_up",
        [](Matrix X, std::uint64_t seed, std::size_t threads, IntegersOut labels, VectorOut prices) {
            check_partition(X, 2, labels);
            check_between("rows of X", X.shape(0), kLeastToPair, std::numeric_limits<std::uint32_t>::max());
            check_size("prices", prices.shape(0), X.shape(0), "row of X");
            check_threads(threads);
            nb::gil_scoped_release release;
            Watch watch([](double) {}, std::numeric_limits<double>::infinity());
            const Graph graph = neighbours_to_pair(view(X), seed, threads, watch, [](double) {});
            const Paired paired = pair_up(view(X), graph, watch, [](double) {});
            std::copy(paired.labels.begin(), paired.labels.end(), labels.data());
            std::copy(paired.prices.begin(), paired.prices.end(), prices.data());
        },
        as_is("X"), "seed"_a, "threads"_a, as_is("labels"), as_is("prices"));
    // For tests: the member of `others` with which row x of `own` changes places at the least cost, and that cost.
    m.def(
        "cheapest_swap",
        [](Matrix own, Matrix others, std::size_t x, bool in_single) {
            check_records(own);
            check_records(others);
            check_size("columns", others.shape(1), own.shape(1), "column of own");
            check_between("x", x, 0, own.shape(0) - 1);
            const auto [member, cost] = in_single ? cheapest_swap<float>(view(own), view(others), x)
                                                  : cheapest_swap<double>(view(own), view(others), x);
            return std::make_tuple(member, cost);
        },
        as_is("own"), as_is("others"), "x"_a, "in_single"_a);
    m.def(
        "exchange",
        [](Matrix X, std::size_t k, std::size_t sweeps, double heat, std::size_t n_near, std::uint64_t seed,
           std::size_t threads, IntegersOut labels, const Promises* promises) {
            check_improvable(X, k, labels);
            check_promises(promises, X);
            check_threads(threads);
            nb::gil_scoped_release release;
            Watch watch([](double) {}, std::numeric_limits<double>::infinity());
            const Graph graph = near_neighbours(view(X), n_near, seed, threads, watch, [](double) {});
            std::vector<std::uint32_t> groups(labels.data(), labels.data() + labels.shape(0));
            const Limits limits = limits_for(k, promises, groups, most_in_block(k));
            const ExchangePlan plan{limits, static_cast<double>(sweeps), heat, threads, seed};
            const double decrease = exchange(view(X), plan, graph, watch, groups, [](double) {});
            std::copy(groups.begin(), groups.end(), labels.data());
            return decrease;
        },
        as_is("X"), "k"_a, "sweeps"_a, "heat"_a, "n_near"_a, "seed"_a, "threads"_a, as_is("labels"),
        "promises"_a.none() = nb::none());
    m.def(
        "chains",
        [](Matrix X, std::size_t k, std::size_t longest, std::size_t n_near, std::size_t threads, IntegersOut labels,
           const Promises* promises) {
            check_improvable(X, k, labels);
            check_promises(promises, X);
            check_threads(threads);
            nb::gil_scoped_release release;
            std::vector<std::uint32_t> groups(labels.data(), labels.data() + labels.shape(0)), rows(X.shape(0));
            std::iota(rows.begin(), rows.end(), 0U);
            const Block block(view(X), rows.data(), rows.size(), n_near);
            Grouping grouping(block, limits_for(k, promises, groups, rows.size()), groups.data());
            const std::atomic<bool> stop{false};
            Chains search(grouping, longest, threads);
            for (const std::uint32_t row : rows) search.touch(row);
            const double change = search.run(stop, [](double) {});
            std::copy(grouping.labels().begin(), grouping.labels().end(), labels.data());
            return change;
        },
        as_is("X"), "k"_a, "longest"_a, "n_near"_a, "threads"_a, as_is("labels"), "promises"_a.none() = nb::none());
    m.def(
        "start_groups",
        [](Matrix X, std::size_t k, std::size_t threads, IntegersOut labels) {
            check_partition(X, k, labels);
            check_threads(threads);
            nb::gil_scoped_release release;
            start_groups(view(X), k, threads, labels.data());
        },
        as_is("X"), "k"_a, "threads"_a, as_is("labels"));
    nb::class_<SeenGroups>(m, "SeenGroups")
        .def(
            "__init__",
            [](SeenGroups* self, Matrix X, std::size_t most) {
                check_records(X);
                new (self) SeenGroups(view(X), most);
            },
            as_is("X"), "most"_a)
        .def("__len__", &SeenGroups::size)
        .def(
            "note",
            [](SeenGroups& self, Integers labels) {
                check_size("labels", labels.shape(0), self.n_records(), "record");
                check_positions("labels", labels.data(), labels.shape(0), self.n_records());
                self.note(std::vector<std::uint32_t>(labels.data(), labels.data() + labels.shape(0)));
            },
            as_is("labels"))
        .def(
            "add",
            [](SeenGroups& self, Integers rows) {
                check_at_least("the number of rows", rows.shape(0), 1);
                check_positions("rows", rows.data(), rows.shape(0), self.n_records());
                self.add(std::vector<std::uint32_t>(rows.data(), rows.data() + rows.shape(0)).data(), rows.shape(0));
            },
            as_is("rows"))
        .def(
            "within",
            [](const SeenGroups& self, Integers rows) {
                check_positions("rows", rows.data(), rows.shape(0), self.n_records());
                SeenGroups::Some some = self.within(rows.data(), rows.shape(0));
                return std::make_tuple(give(std::move(some.rows)), give(std::move(some.starts)),
                                       give(std::move(some.costs)));
            },
            as_is("rows"));
    nb::class_<Annealer>(m, "Annealer")
        .def(
            "__init__",
            [](Annealer* self, Matrix X, std::size_t k, IntegersOut labels, std::size_t threads,
               const Promises* promises) {
                check_improvable(X, k, labels);
                check_promises(promises, X);
                check_threads(threads);
                nb::gil_scoped_release release;
                std::vector<std::uint32_t> groups(labels.data(), labels.data() + labels.shape(0));
                split_large(view(X), k, promises, groups);
                std::copy(groups.begin(), groups.end(), labels.data());
                new (self) Annealer(view(X), k, promises, groups, threads);
            },
            as_is("X"), "k"_a, as_is("labels"), "threads"_a, "promises"_a.none() = nb::none(), nb::keep_alive<1, 6>())
        // The annealed partition, and the work that it took: comparisons by local search, and steps of looks for
        // chains; nothing where it was stopped.
        .def(
            "anneal",
            [](const Annealer& self, Integers labels, double heat, double sweeps, std::size_t longest,
               std::uint64_t seed) -> std::optional<std::tuple<nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>,
                                                               std::size_t, std::size_t>> {
                std::vector<std::uint32_t> groups = groups_within(self, "labels", labels);
                WorkDone work;
                {
                    nb::gil_scoped_release release;
                    if (!self.anneal(groups, {heat, sweeps, longest, seed}, work)) return std::nullopt;
                }
                return std::make_tuple(give(std::vector<std::int64_t>(groups.begin(), groups.end())), work.n_compared,
                                       work.n_steps);
            },
            as_is("labels"), "heat"_a, "sweeps"_a, "longest"_a, "seed"_a)
        .def(
            "kick",
            [](const Annealer& self, Integers labels, std::size_t count, double heat, double begin, double end,
               std::size_t longest, std::uint64_t seed)
                -> std::optional<
                    std::tuple<nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>, std::size_t, std::size_t>> {
                std::vector<std::uint32_t> groups = groups_within(self, "labels", labels);
                WorkDone work;
                {
                    nb::gil_scoped_release release;
                    if (!self.kick(groups, {count, heat, begin, end}, longest, seed, work)) return std::nullopt;
                }
                return std::make_tuple(give(std::vector<std::int64_t>(groups.begin(), groups.end())), work.n_compared,
                                       work.n_steps);
            },
            as_is("labels"), "count"_a, "heat"_a, "begin"_a, "end"_a, "longest"_a, "seed"_a)
        .def(
            "combine",
            [](const Annealer& self, Integers best, Integers other) {
                std::vector<std::uint32_t> better = groups_within(self, "best", best);
                const std::vector<std::uint32_t> rival = groups_within(self, "other", other);
                double decrease;
                {
                    nb::gil_scoped_release release;
                    decrease = self.combine(better, rival);
                }
                return std::make_tuple(give(std::vector<std::int64_t>(better.begin(), better.end())), decrease);
            },
            as_is("best"), as_is("other"))
        .def("stop", &Annealer::stop);
    m.def(
        "partition_fast",
        [](Matrix X, std::size_t k, std::size_t sweeps, std::size_t longest, std::size_t passes, std::uint64_t seed,
           std::size_t threads, IntegersOut labels, nb::object progress, const Promises* promises) {
            check_partition(X, k, labels);
            check_promises(promises, X);
            if (promises != nullptr) check_improvable(X, k, labels);
            check_threads(threads);
            const Progress report = report_to(progress);
            nb::gil_scoped_release release;
            partition_fast(view(X), k, promises, {sweeps, longest, passes, seed, threads}, report, labels.data());
        },
        as_is("X"), "k"_a, "sweeps"_a, "longest"_a, "passes"_a, "seed"_a, "threads"_a, as_is("labels"),
        "progress"_a.none(), "promises"_a.none() = nb::none());
}

}  // namespace microagg
