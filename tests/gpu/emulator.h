// Kernels on a processor, for tests where no device is: every thread of a block is a fiber, and fibers take turns
// wherever threads wait for each other. Blocks run one after the other, or, where they talk to each other, each on a
// thread of its own. It stands in the place of intrinsics.cuh.
#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

typedef unsigned long long u64;
typedef unsigned int u32;
#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ static thread_local
#define DYNAMIC_SHARED(name) static thread_local __align__(16) char name[232448]
using std::max;
using std::min;

namespace emulator {
constexpr std::size_t stack_bytes = 64 << 10;
struct Index { int x, y; };
struct Barrier { int arrived = 0; unsigned generation = 0; };
struct Warp {
    Barrier barriers[32];  // by the first lane that takes part
    u64 values[2][32];
};
struct Fiber {
    Index thread;
    int number;
    bool started = false, ended = false;
    jmp_buf state;
    char* stack;
};
struct Block {
    std::vector<Fiber> fibers;
    std::vector<Warp> warps;
    std::vector<char> stacks;
    Barrier whole;
    int running = 0;
    jmp_buf scheduler;
    ucontext_t home;
};
inline thread_local Block* block;
inline thread_local Fiber* fiber;
inline thread_local Index block_index, block_size, grid_size;
inline thread_local void (*body)(void*);
inline thread_local void* arguments;

inline void rest() {
    if (_setjmp(fiber->state) == 0) _longjmp(block->scheduler, 1);
}
inline void wait(Barrier& barrier, int all) {
    const unsigned generation = barrier.generation;
    if (++barrier.arrived == all) { barrier.arrived = 0; ++barrier.generation; return; }
    while (barrier.generation == generation) rest();
}
inline void enter() {
    body(arguments);
    fiber->ended = true;
    --block->running;
    _longjmp(block->scheduler, 1);
}
inline void resume(Fiber& next) {
    fiber = &next;
    if (_setjmp(block->scheduler)) return;
    if (next.started) _longjmp(next.state, 1);
    next.started = true;
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = next.stack;
    context.uc_stack.ss_size = stack_bytes;
    context.uc_link = &block->home;
    makecontext(&context, enter, 0);
    setcontext(&context);
}
inline void run_block(Index size) {
    Block here;
    const int count = size.x * size.y;
    here.fibers.resize(count);
    here.warps.resize((count + 31) / 32);
    here.stacks.resize(stack_bytes * count);
    here.running = count;
    for (int t = 0; t < count; ++t) {
        here.fibers[t].thread = {t % size.x, t / size.x};
        here.fibers[t].number = t;
        here.fibers[t].stack = here.stacks.data() + stack_bytes * t;
    }
    block = &here;
    while (here.running) {
        for (Fiber& each : here.fibers) if (!each.ended) resume(each);
        std::this_thread::yield();
    }
}

template <class... A, std::size_t... I>
void launch(void (*kernel)(A...), bool together, Index grid, Index size, void** given, std::index_sequence<I...>) {
    struct Call { void (*kernel)(A...); void** given; } call{kernel, given};
    const auto one = [&](int b) {
        body = [](void* at) { const Call& c = *static_cast<Call*>(at); c.kernel(*static_cast<std::remove_reference_t<A>*>(c.given[I])...); };
        arguments = &call;
        block_index = {b, 0}; block_size = size; grid_size = grid;
        run_block(size);
    };
    if (!together) { for (int b = 0; b < grid.x; ++b) one(b); return; }
    std::vector<std::thread> threads;
    for (int b = 0; b < grid.x; ++b) threads.emplace_back(one, b);
    for (std::thread& each : threads) each.join();
}
template <class... A>
void launch(void (*kernel)(A...), bool together, Index grid, Index size, void** given) { launch(kernel, together, grid, size, given, std::index_sequence_for<A...>()); }

template <class T>
T exchange(u32 mask, T value, int source) {  // source: a lane of the warp
    static_assert(sizeof(T) <= 8);
    const int lane = fiber->number % 32;
    Warp& warp = block->warps[fiber->number / 32];
    Barrier& barrier = warp.barriers[__builtin_ctz(mask)];
    const int side = barrier.generation & 1;
    std::memcpy(&warp.values[side][lane], &value, sizeof(T));
    wait(barrier, __builtin_popcount(mask));
    std::memcpy(&value, &warp.values[side][source], sizeof(T));
    return value;
}
}  // namespace emulator

#define threadIdx (emulator::fiber->thread)
#define blockIdx (emulator::block_index)
#define blockDim (emulator::block_size)
#define gridDim (emulator::grid_size)

struct __align__(16) float4 { float x, y, z, w; };
struct __align__(16) uint4 { u32 x, y, z, w; };
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

inline int lane_of(int in_width, int width) { const int lane = emulator::fiber->number % 32; return lane / width * width + in_width % width; }
template <class T> T __shfl_sync(u32 mask, T v, int from, int width = 32) { return emulator::exchange(mask, v, lane_of(from, width)); }
template <class T> T __shfl_xor_sync(u32 mask, T v, int bits, int = 32) { return emulator::exchange(mask, v, (emulator::fiber->number % 32) ^ bits); }
template <class T> T __shfl_down_sync(u32 mask, T v, int by) { const int lane = emulator::fiber->number % 32; return emulator::exchange(mask, v, lane + by < 32 ? lane + by : lane); }
template <class T, class F> T folded(T v, F f) { for (int bits = 16; bits; bits >>= 1) v = f(v, __shfl_xor_sync(~0u, v, bits)); return v; }
template <class T> T __reduce_min_sync(u32, T v) { return folded(v, [](T a, T b) { return a < b ? a : b; }); }
template <class T> T __reduce_max_sync(u32, T v) { return folded(v, [](T a, T b) { return a > b ? a : b; }); }
inline u32 __ballot_sync(u32, bool is) { return folded(is ? 1u << emulator::fiber->number % 32 : 0u, [](u32 a, u32 b) { return a | b; }); }
inline void __syncwarp(u32 mask = ~0u) { emulator::exchange(mask, 0, emulator::fiber->number % 32); }
inline void __syncthreads() { emulator::wait(emulator::block->whole, (int)emulator::block->fibers.size()); }

inline int __popc(u32 x) { return __builtin_popcount(x); }
inline int __clzll(long long x) { return x ? __builtin_clzll((u64)x) : 64; }
template <class To, class From> To same_bits(From from) { To to; static_assert(sizeof(To) == sizeof(From)); std::memcpy(&to, &from, sizeof(To)); return to; }
inline u32 __float_as_uint(float x) { return same_bits<u32>(x); }
inline float __uint_as_float(u32 x) { return same_bits<float>(x); }
inline float __int_as_float(int x) { return same_bits<float>(x); }
inline long long __double_as_longlong(double x) { return same_bits<long long>(x); }
inline double __longlong_as_double(u64 x) { return same_bits<double>(x); }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __ull2double_rn(u64 a) { return (double)a; }
template <class T> T __ldg(const T* p) { return *p; }
inline u64 atomicMax(u64* at, u64 value) { const u64 was = *at; if (value > was) *at = value; return was; }
inline int atomicAdd(int* at, int value) { const int was = *at; *at += value; return was; }

inline void put(u64* p, u32 epoch, u32 v) { reinterpret_cast<std::atomic<u64>*>(p)->store(((u64)epoch << 32) | v); }
inline u64 peek(const u64* p) { emulator::rest(); return reinterpret_cast<const std::atomic<u64>*>(p)->load(); }
inline void peek2(const u64* p, u64& v, u64& w) { v = peek(p); w = peek(p + 1); }
inline void prefetch(const void*) {}
inline float root_of(float x) { return std::sqrt(x); }
inline float log_of(float x) { return std::log(x); }
inline float quotient(float x, float y) { return x / y; }
