// A few threads that stay for the length of a kernel, and share out numbered pieces of work.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace microagg {

class Pool {
  public:
    // `threads` in all, the caller's included. They start when there is first something to share.
    explicit Pool(std::size_t threads) : wanted(threads) {}
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    std::size_t threads() const { return wanted; }

    // Calls work(piece) for each of 0..pieces-1, on any thread and in any order, and returns when all are done. The
    // first exception of any piece is thrown again here.
    void run(std::size_t pieces, const std::function<void(std::size_t)>& work);

  private:
    void start();
    void serve();
    void take_pieces();

    std::size_t wanted;
    std::vector<std::thread> workers;
    std::mutex mutex;
    std::condition_variable called, finished;
    const std::function<void(std::size_t)>* task = nullptr;
    std::size_t total = 0, round = 0, busy = 0;
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    bool closing = false;
};

}  // namespace microagg
