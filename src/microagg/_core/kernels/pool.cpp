#include "kernels/pool.h"

namespace microagg {

Pool::~Pool() {
    {
        const std::lock_guard<std::mutex> lock(mutex);
        closing = true;
    }
    called.notify_all();
    for (std::thread& worker : workers) worker.join();
}

void Pool::start() {
    while (workers.size() + 1 < wanted) workers.emplace_back([this] { serve(); });
}

void Pool::serve() {
    std::size_t seen = 0;
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
        called.wait(lock, [&] { return closing || round != seen; });
        if (closing) return;
        seen = round;
        if (task == nullptr) continue;  // came too late: the round is over
        ++busy;
        lock.unlock();
        take_pieces();
        lock.lock();
        if (--busy == 0) finished.notify_one();
    }
}

void Pool::take_pieces() {
    try {
        for (std::size_t piece = next++; piece < total; piece = next++) (*task)(piece);
    } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!failure) failure = std::current_exception();
        next = total;
    }
}

void Pool::run(std::size_t pieces, const std::function<void(std::size_t)>& work) {
    if (wanted == 1 || pieces == 1) {
        for (std::size_t piece = 0; piece < pieces; ++piece) work(piece);
        return;
    }
    start();
    {
        const std::lock_guard<std::mutex> lock(mutex);
        task = &work;
        total = pieces;
        next = 0;
        failure = nullptr;
        ++round;
    }
    called.notify_all();
    take_pieces();
    std::unique_lock<std::mutex> lock(mutex);
    finished.wait(lock, [&] { return busy == 0; });
    task = nullptr;
    if (failure) std::rethrow_exception(failure);
}

}  // namespace microagg
