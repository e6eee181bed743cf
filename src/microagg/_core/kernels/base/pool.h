// Threads: the one way to spread work. A Pool for a kernel that has work again and again, in_parallel for work that
// comes once.
//
// Work is numbered. A thread takes the next number when it has done with one, so results must be stored by number, and
// not depend on which thread did what. What any thread throws, the caller's progress included (that is how the user
// interrupts), ends the others after the number they are at, and is thrown again from the call.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "kernels/base/records.h"

namespace microagg {

// work(number, thread): thread 0 is the calling one, which alone may report; the others have numbers too, so that each
// can have buffers of its own.
using Work = std::function<void(std::size_t, std::size_t)>;

// Its threads stay until it goes. MDAV has a round of work for every few groups: with new threads for each round it
// takes up to a fifth more processor time.
class Pool {
  public:
    // `threads` in all, the caller's included. They start when there is first something to share.
    explicit Pool(std::size_t threads) : wanted(threads) {}
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    std::size_t threads() const { return wanted; }

    // Does the work of all numbers below count, in any order.
    void run(std::size_t count, const Work& work);

  private:
    void start(std::size_t others);
    void serve(std::size_t thread);
    void take_numbers(std::size_t thread);

    std::size_t wanted;
    std::vector<std::thread> workers;
    std::mutex mutex;
    std::condition_variable called, finished;
    const Work* task = nullptr;
    std::size_t total = 0, round = 0, busy = 0;
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    bool closing = false;
};

// The same once, `grain` numbers at a time; the calling thread tells how far it has come after each such piece.
void in_parallel(std::size_t count, std::size_t grain, std::size_t threads, const Progress& progress, const Work& work);

}  // namespace microagg
