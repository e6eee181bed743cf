// Threads that wait for rounds of work.
//
//   run(work):  wake the threads; each, the caller too, takes the next number until none is left; wait for the last
//   serve:      wait for a round; take numbers; say so when done
#include "kernels/base/pool.h"

#include <algorithm>

namespace microagg {

Pool::~Pool() {
    {
        const std::lock_guard<std::mutex> lock(mutex);
        closing = true;
    }
    called.notify_all();
    for (std::thread& worker : workers) worker.join();
}

void Pool::start(std::size_t others) {
    workers.reserve(others);
    while (workers.size() < others) workers.emplace_back([this, thread = workers.size() + 1] { serve(thread); });
}

void Pool::serve(std::size_t thread) {
    std::size_t seen = 0;
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
        called.wait(lock, [&] { return closing || round != seen; });
        if (closing) return;
        seen = round;
        if (task == nullptr) continue;  // came too late: the round is over
        ++busy;
        lock.unlock();
        take_numbers(thread);
        lock.lock();
        if (--busy == 0) finished.notify_one();
    }
}

void Pool::take_numbers(std::size_t thread) {
    try {
        for (std::size_t number = next++; number < total; number = next++) (*task)(number, thread);
    } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!failure) failure = std::current_exception();
        next = total;
    }
}

void Pool::run(std::size_t count, const Work& work) {
    const std::size_t threads = std::min(wanted, count);
    if (threads <= 1) {
        for (std::size_t number = 0; number < count; ++number) work(number, 0);
        return;
    }
    start(threads - 1);
    {
        const std::lock_guard<std::mutex> lock(mutex);
        task = &work;
        total = count;
        next = 0;
        failure = nullptr;
        ++round;
    }
    called.notify_all();
    take_numbers(0);
    std::unique_lock<std::mutex> lock(mutex);
    finished.wait(lock, [&] { return busy == 0; });
    task = nullptr;
    if (failure) std::rethrow_exception(failure);
}

void in_parallel(std::size_t count, std::size_t grain, std::size_t threads, const Progress& progress,
                 const Work& work) {
    const std::size_t pieces = (count + grain - 1) / grain;
    Pool(threads).run(pieces, [&](std::size_t piece, std::size_t thread) {
        const std::size_t end = std::min(count, (piece + 1) * grain);
        for (std::size_t number = piece * grain; number < end; ++number) work(number, thread);
        if (thread == 0) progress(static_cast<double>(piece) / static_cast<double>(pieces));
    });
}

}  // namespace microagg
