// What several kernels share: random numbers that follow from a stream and a place, and claims of groups.
#define MOST (2 * K - 1)  // records of a group
#define QUADS ((COLS + 3) / 4)
#define NOTHING (-1)
#define HUGE 3e38f

// The place-th number of a stream (splitmix64).
__device__ __forceinline__ u32 draw(u64 stream, u64 place) {
    u64 x = stream + (place + 1) * 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return (u32)((x ^ (x >> 31)) >> 32);
}

// How much worse a change may be: exponentially distributed, with the heat as its mean.
__device__ __forceinline__ float allowance(u64 stream, u64 place, float heat) {
    const float u = ((float)(draw(stream, place) >> 8) + 0.5f) * (1.0f / 16777216.0f);
    return -heat * log_of(u);
}

// What claims a group for a change: later rounds first, then at random, then the higher group that proposes it.
// 16 bits of the round, 20 random ones, 28 of the group.
__device__ __forceinline__ u64 claim(u32 round, u32 random, int group) {
    return ((u64)round << 48) | ((u64)(random & 0xfffffu) << 28) | (u64)group;
}
__device__ __forceinline__ bool holds(u64 key, u32 round, int group) {
    return (u32)(key >> 48) == round && (int)(key & 0xfffffffu) == group;
}

// A record near another one: of one of its landmarks, which are cells of records that lay together at the start.
struct Landmarks {
    const int* near;   // n x n_near: the nearest landmarks of each record
    const int* first;  // where the records of each landmark begin
    const int* order;  // the records, landmark by landmark
};
__device__ __forceinline__ int near_record(const Landmarks& at, long long row, int n_near, u32 which, u32 member) {
    const int landmark = at.near[row * n_near + which];
    if (landmark < 0) return NOTHING;
    const int begin = at.first[landmark], size = at.first[landmark + 1] - begin;
    return size > 0 ? at.order[begin + (int)(member % (u32)size)] : NOTHING;
}

__device__ __forceinline__ float sum_of_warp(float value) {
#pragma unroll
    for (int step = 16; step; step >>= 1) value += __shfl_xor_sync(~0u, value, step, 32);
    return value;
}
