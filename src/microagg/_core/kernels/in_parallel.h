// The same work for every number 0..count-1, by several threads; the calling one reports and may be interrupted.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace microagg {

// make_worker() gives each thread its own function of the number, with buffers of its own; report(number) is called
// by the calling thread after each of its numbers. Results must be stored by number, so that they do not depend on
// which thread did what.
template <class MakeWorker, class Report>
void in_parallel(std::size_t count, std::size_t threads, const MakeWorker& make_worker, const Report& report) {
    std::atomic<std::size_t> next{0};
    std::vector<std::thread> others;
    for (std::size_t t = 1; t < threads && t < count; ++t) {
        others.emplace_back([&] {
            auto worker = make_worker();
            for (std::size_t number = next++; number < count; number = next++) worker(number);
        });
    }
    try {
        auto worker = make_worker();
        for (std::size_t number = next++; number < count; number = next++) {
            worker(number);
            report(number);
        }
    } catch (...) {
        next = count;
        for (std::thread& other : others) other.join();
        throw;
    }
    for (std::thread& other : others) other.join();
}

}  // namespace microagg
