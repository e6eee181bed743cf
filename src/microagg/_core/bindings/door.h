// What every binding needs: array types, and progress that lets Python's signals through.
//
//   a binding:  take arrays as they are (as_is), never a converted copy of them
//               check sizes, and numbers that are used as positions (checks.h): or a ValueError, and nothing is written
//               let go of the GIL; call the kernel with plain views
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/base/records.h"

namespace microagg {

namespace nb = nanobind;

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Integers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using IntegerMatrix = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
// Python allocates what a kernel fills.
using IntegersOut = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using IntegerMatrixOut = nb::ndarray<std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using VectorOut = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using MatrixOut = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// An array of another type, order or number of dimensions is a TypeError: a kernel would fill a copy that nobody sees.
inline auto as_is(const char* name) { return nb::arg(name).noconvert(); }

inline Records view(const Matrix& X) { return {X.data(), X.shape(0), X.shape(1)}; }

// A vector that Python owns from here on.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> give(std::vector<T> values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

// Ten times a second: take the GIL back, let Ctrl-C through, tell the caller's function how far we are. Where that
// function has an attribute `every`, it is told every so many seconds; 0 for each time that the kernel looks up.
inline Progress report_to(const nb::object& callback) {
    using Clock = std::chrono::steady_clock;
    const std::chrono::duration<double> every(nb::cast<double>(nb::getattr(callback, "every", nb::float_(0.1))));
    auto last = std::make_shared<Clock::time_point>(Clock::now());
    nb::handle function = callback;
    return [last, function, every](double fraction) {
        const auto now = Clock::now();
        if (now - *last < every) return;
        *last = now;
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!function.is_none()) function(fraction);
    };
}

void bind_bounds(nb::module_& m);
void bind_groups(nb::module_& m);
void bind_incremental(nb::module_& m);
void bind_partition(nb::module_& m);
void bind_semantic(nb::module_& m);
void bind_refine(nb::module_& m);
void bind_paths(nb::module_& m);
void bind_promises(nb::module_& m);
void bind_risk(nb::module_& m);

}  // namespace microagg
