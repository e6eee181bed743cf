// What the calling thread watches while work goes on: progress, the deadline, and the user's wish to stop.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <utility>

#include "kernels/base/records.h"

namespace microagg {

class Watch {
  public:
    // time_limit in seconds from now; infinity for none.
    Watch(Progress progress, double time_limit) : progress_(std::move(progress)), time_limit_(time_limit) {}

    double elapsed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
    double time_limit() const { return time_limit_; }
    bool expired() const { return elapsed() >= time_limit_; }
    bool stopped() const { return stop_.load(std::memory_order_relaxed); }
    const std::atomic<bool>& stop() const { return stop_; }

    // From the calling thread only; it never goes back, whichever task reports.
    void report(double fraction) {
        tell(progress_, furthest_ = std::max(furthest_, fraction));
        if (expired()) stop_ = true;
    }
    // Tells `listener` something, from the calling thread only. What it throws is kept for `rethrow`, so that work can
    // end in order.
    void tell(const Progress& listener, double value) {
        if (stopped()) return;
        try {
            listener(value);
        } catch (...) {
            thrown_ = std::current_exception();
            stop_ = true;
        }
    }
    void rethrow() const {
        if (thrown_) std::rethrow_exception(thrown_);
    }

  private:
    Progress progress_;
    double time_limit_;
    double furthest_ = 0.0;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::atomic<bool> stop_{false};
    std::exception_ptr thrown_;
};

}  // namespace microagg
