// Exact MDAV in one kernel that stays on the device until the end, with one block on each multiprocessor.
// COLS columns, THREADS threads of a block, ITER groups of four records kept in registers (0: measured twice),
// HEAD bytes for Shared, CAP candidates that a block may publish of each kind.
//
// Block b owns the records i with i % blocks == b, one column after the other in single precision, around an origin and
// scaled by a power of two; the first S of them lie in shared memory, the rest in global memory. A record that leaves is
// overwritten by the block's last one.
// Two steps a round, each: scan; exchange minima and maxima of the blocks; gather the few records that can matter and
// measure them in double precision; exchange them; every block ranks them for itself, in the same way.
//   A  distances to r:                          the group of r, and s
//   B  distances to s and to where c will be:   the group of s, and the next r
// The sums of the remaining records are kept without rounding as 256-bit integers in units of 2^-160.
// What blocks tell each other carries the number of the step in each word of 8 bytes: no fences, no barriers of the grid.
// Where too many records could matter (many equal ones), it stops with an error, and the processor goes on from the
// last whole round.
#define LIST 1024      // far ones that all blocks may publish together
#define NEAR_LIST 256  // likewise, near ones
#define KMAX 128
#define MOST_BLOCKS 160
#define COPIES 8            // of what blocks tell each other, so that not all read the same lines
#define PARTS (THREADS / 256)  // threads that fetch the candidates of one block
#define INF __int_as_float(0x7f800000)

struct Exact { u64 limb[4]; };

struct __align__(16) Shared {
    u32 ends[2][MOST_BLOCKS];  // minima and maxima of the blocks, single precision, the last 8 bits replaced by the block
    u32 warp_min[32], warp_max[32];
    Exact sum[16];
    double q[16], c[16];       // the query; the centroid when the round began, then the new one
    float qf[16], cf[16];      // in single precision; where the centroid will be
    double near_d[NEAR_LIST], far_d[LIST];
    int near_row[NEAR_LIST], near_pos[NEAR_LIST], far_row[LIST];
    short near_block[NEAR_LIST], few[LIST];
    int member_row[2][KMAX], member_pos[KMAX]; short member_block[KMAX];
    u32 near, far, top;
    int count[2], total[2], cnt, next, error;
};

static_assert(sizeof(Shared) <= HEAD, "the records that a block shares begin behind what it knows");

__device__ __forceinline__ u32 get(const u64* p, u32 epoch) {
    u64 v;
    do { v = peek(p); } while ((u32)(v >> 32) != epoch);
    return (u32)v;
}
__device__ __forceinline__ void get2(const u64* p, u32 epoch, u32& a, u32& b) {
    u64 v, w;
    do { peek2(p, v, w); } while ((u32)(v >> 32) != epoch || (u32)(w >> 32) != epoch);
    a = (u32)v; b = (u32)w;
}

// As the CPU measures: columns in order, no fused multiply-add.
__device__ __forceinline__ double measure(const double* __restrict__ x, const double* q) {
    double v[COLS];
#pragma unroll
    for (int j = 0; j < COLS; ++j) v[j] = __ldg(x + j);
    double sum = 0.0;
#pragma unroll
    for (int j = 0; j < COLS; ++j) { const double gap = __dsub_rn(v[j], q[j]); sum = __dadd_rn(sum, __dmul_rn(gap, gap)); }
    return sum;
}

// ---- exact sums

__device__ __forceinline__ void accumulate(Exact& s, double x, bool subtract) {
    const u64 bits = (u64)__double_as_longlong(x);
    const int e = (int)((bits >> 52) & 2047);
    if (e == 0) return;                         // zero (the host has checked that no others are that small)
    const u64 mantissa = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
    const int at = e - 1075 + 160;              // x = mantissa * 2^(e - 1075); 0 <= at by the host's check
    const int limb = at >> 6, shift = at & 63;
    const u64 low = mantissa << shift, high = shift ? mantissa >> (64 - shift) : 0;
    const bool minus = ((bits >> 63) != 0) != subtract;
    u64 carry = 0;
#pragma unroll
    for (int l = 0; l < 4; ++l) {
        const u64 t = l == limb ? low : (l == limb + 1 ? high : 0), a = s.limb[l];
        u64 r;
        if (minus) { r = a - t; const u64 b = a < t; const u64 r2 = r - carry; carry = b | (r < carry); r = r2; }
        else { r = a + t; const u64 b = r < a; const u64 r2 = r + carry; carry = b | (r2 < r); r = r2; }
        s.limb[l] = r;
    }
}

__device__ __forceinline__ double rounded(Exact s) {
    const bool negative = s.limb[3] >> 63;
    if (negative) {
        u64 carry = 1;
#pragma unroll
        for (int l = 0; l < 4; ++l) { const u64 r = ~s.limb[l] + carry; carry = carry && r == 0; s.limb[l] = r; }
    }
    int top = 3;
#pragma unroll
    for (int l = 0; l < 3; ++l) {  // bring the leading limb to place 3
        if (s.limb[3] == 0) { s.limb[3] = s.limb[2]; s.limb[2] = s.limb[1]; s.limb[1] = s.limb[0]; s.limb[0] = 0; --top; }
    }
    if (s.limb[3] == 0) return 0.0;
    const int zeros = __clzll((long long)s.limb[3]);
    u64 lead = s.limb[3], rest = s.limb[1] | s.limb[0];
    if (zeros) { lead = (s.limb[3] << zeros) | (s.limb[2] >> (64 - zeros)); rest |= s.limb[2] << zeros; } else rest |= s.limb[2];
    if (rest) lead |= 1;
    const double magnitude = __ull2double_rn(lead) * __longlong_as_double((u64)(1023 + top * 64 - zeros - 160) << 52);
    return negative ? -magnitude : magnitude;
}

extern "C" __global__ void init_sums(const double* X, int n, u64* partial) {  // grid: parts; block: 32 x COLS; partial: parts x COLS x 4
    const int j = threadIdx.y, lane = threadIdx.x;
    Exact s = {};
    for (int i = blockIdx.x * 32 + lane; i < n; i += gridDim.x * 32) accumulate(s, X[(long long)i * COLS + j], false);
    for (int step = 16; step; step >>= 1) {
        Exact o;
        for (int l = 0; l < 4; ++l) o.limb[l] = __shfl_down_sync(~0u, s.limb[l], step);
        u64 carry = 0;
        for (int l = 0; l < 4; ++l) { const u64 r = s.limb[l] + o.limb[l], b = r < o.limb[l], r2 = r + carry; carry = b | (r2 < r); s.limb[l] = r2; }
    }
    if (lane == 0) for (int l = 0; l < 4; ++l) partial[((long long)blockIdx.x * COLS + j) * 4 + l] = s.limb[l];
}

// More than |single - double| of a squared distance near d can be; R is at least the norm of every record.
__device__ __forceinline__ float error_of(float d, float R) {
    const float u = 5.9604645e-8f, delta = 2.2f * u * R;
    return 2.3f * root_of(d) * delta + 1.2f * delta * delta + (COLS + 8) * 1.2f * u * d;
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
mdav(const double* __restrict__ X, float* __restrict__ columns, int* __restrict__ ids, int* __restrict__ labels, u64* ex1, u64* ex2,
     u64* cands, const u64* __restrict__ sums, const double* __restrict__ origin, double scale,
     int n, int C, int S, int SI, int k, int stop, int first_r, float R, int* out) {
    DYNAMIC_SHARED(memory);
    Shared& sh = *reinterpret_cast<Shared*>(memory);
    float* own = reinterpret_cast<float*>(memory + HEAD);  // columns x S
    int* own_id = reinterpret_cast<int*>(own + COLS * S);                               // SI
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, me = blockIdx.x, NB = gridDim.x;
    float* mine = columns + (long long)me * COLS * C;
    int* id = ids + (long long)me * C;
    int remaining = n, group = 0, seed = first_r, failure = 0;
    float radius_a = 0;
    u32 epoch = 0;
    bool second = false;
    const int least = stop > 3 * k ? stop : 3 * k;
    for (int j = 0; j < COLS; ++j) for (int p = tid; p < S; p += THREADS) own[j * S + p] = mine[(long long)j * C + p];
    for (int p = tid; p < SI; p += THREADS) own_id[p] = id[p];
    for (int i = tid; i < MOST_BLOCKS; i += THREADS) { sh.ends[0][i] = ~0u; sh.ends[1][i] = 0; }
    if (tid == 0) { sh.cnt = n / NB + (me < n % NB); sh.error = 0; }
    if (warp == 1 && lane < COLS) {
        Exact sum;
        for (int l = 0; l < 4; ++l) sum.limb[l] = sums[lane * 4 + l];
        sh.sum[lane] = sum;
        sh.c[lane] = __ddiv_rn(rounded(sum), (double)n);
        const double v = X[(long long)seed * COLS + lane];
        sh.q[lane] = v; sh.qf[lane] = (float)((v - origin[lane]) * scale);
    }
    __syncthreads();

    while (remaining >= least || second) {
        // ---- scan
        const int cnt = sh.cnt;
        const auto distances = [&](int p, float* x, float* y) {  // of the four records from p on
            const bool inside = p < S;
            const float* at = inside ? own + p : mine + p;
            const int stride = inside ? S : C;
#pragma unroll
            for (int e = 0; e < 4; ++e) x[e] = y[e] = 0.0f;
            if (second) {
#pragma unroll
                for (int j = 0; j < COLS; ++j) {
                    const float4 v = *reinterpret_cast<const float4*>(at + (long long)j * stride);
                    const float q = sh.qf[j], c = sh.cf[j];
                    float g = v.x - q; x[0] = fmaf(g, g, x[0]); g = v.y - q; x[1] = fmaf(g, g, x[1]);
                    g = v.z - q; x[2] = fmaf(g, g, x[2]); g = v.w - q; x[3] = fmaf(g, g, x[3]);
                    g = v.x - c; y[0] = fmaf(g, g, y[0]); g = v.y - c; y[1] = fmaf(g, g, y[1]);
                    g = v.z - c; y[2] = fmaf(g, g, y[2]); g = v.w - c; y[3] = fmaf(g, g, y[3]);
                }
            } else {
#pragma unroll
                for (int j = 0; j < COLS; ++j) {
                    const float4 v = *reinterpret_cast<const float4*>(at + (long long)j * stride);
                    const float q = sh.qf[j];
                    float g = v.x - q; x[0] = fmaf(g, g, x[0]); g = v.y - q; x[1] = fmaf(g, g, x[1]);
                    g = v.z - q; x[2] = fmaf(g, g, x[2]); g = v.w - q; x[3] = fmaf(g, g, x[3]);
                }
#pragma unroll
                for (int e = 0; e < 4; ++e) y[e] = x[e];
            }
        };
        u32 low = 0x7f7fffffu, high = 0;
#if ITER > 0
        float near_d[ITER * 4], far_d[ITER * 4];
#pragma unroll
        for (int it = 0; it < ITER; ++it) {
            const int p = (it * THREADS + tid) * 4;
            float x[4] = {INF, INF, INF, INF}, y[4] = {-1, -1, -1, -1};
            if (p < cnt) {
                distances(p, x, y);
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    if (p + e < cnt) { low = min(low, __float_as_uint(x[e])); high = max(high, __float_as_uint(y[e])); }
                    else { x[e] = INF; y[e] = -1; }
                }
            }
#pragma unroll
            for (int e = 0; e < 4; ++e) { near_d[it * 4 + e] = x[e]; far_d[it * 4 + e] = y[e]; }
        }
#else
        for (int p = tid * 4; p < cnt; p += THREADS * 4) {
            float x[4], y[4];
            distances(p, x, y);
#pragma unroll
            for (int e = 0; e < 4; ++e) if (p + e < cnt) { low = min(low, __float_as_uint(x[e])); high = max(high, __float_as_uint(y[e])); }
        }
#endif
        // ---- exchange 1: the least and the greatest of every block
        ++epoch;
        const u32 wl = __reduce_min_sync(~0u, low), wh = __reduce_max_sync(~0u, high);
        if (lane == 0) { sh.warp_min[warp] = wl; sh.warp_max[warp] = wh; }
        if (tid < 2) { sh.count[tid] = 0; sh.total[tid] = 0; }
        __syncthreads();
        if (warp == 0) {
            const u32 bl = __reduce_min_sync(~0u, lane < THREADS / 32 ? sh.warp_min[lane] : 0x7f7fffffu);
            const u32 bh = __reduce_max_sync(~0u, lane < THREADS / 32 ? sh.warp_max[lane] : 0u);
            if (lane < 2 * COPIES) put(&ex1[((lane >> 1) * NB + me) * 2 + (lane & 1)], epoch, ((lane & 1 ? bh : bl) & ~255u) | me);
        }
        if (tid < 2 * NB) sh.ends[tid & 1][tid >> 1] = get(&ex1[me % COPIES * 2 * NB + tid], epoch);
        if (second && warp == THREADS / 32 - 1 && lane < COLS) {  // idle here: the members of the group of r leave the sums
            Exact sum = sh.sum[lane];
            for (int base = 0; base < k; base += 4) {
                double v[4];
#pragma unroll
                for (int i = 0; i < 4; ++i) v[i] = base + i < k ? __ldg(X + (long long)sh.member_row[0][base + i] * COLS + lane) : 0.0;
#pragma unroll
                for (int i = 0; i < 4; ++i) accumulate(sum, v[i], true);
            }
            sh.sum[lane] = sum;
        }
        __syncthreads();
        // The k-th least of the minima bounds the k-th nearest; likewise the far side: the greatest, or in step B the
        // (k+1)-th greatest, since the group of s may take k of them. Two threads count for each block.
        {
            const bool is_max = tid >= THREADS / 2;
            const u32* values = sh.ends[is_max];
            if (is_max && !second) {
                if (warp == THREADS / 64) {
                    u32 v = 0;
#pragma unroll
                    for (int o = 0; o < MOST_BLOCKS; o += 32) v = max(v, values[o + lane]);
                    v = __reduce_max_sync(~0u, v);
                    if (lane == 0) { sh.top = v | 255u; sh.far = v & ~255u; }
                }
            } else {
                const int until = (NB + 7) & ~7;
                for (int t = is_max ? tid - THREADS / 2 : tid; (t & ~31) < 2 * NB; t += THREADS / 2) {
                    const u32 v = values[t >> 1] ^ (is_max ? ~0u : 0u);
                    int rank = 0;
#pragma unroll 4
                    for (int o = (t & 1) * 4; o < until; o += 8) {
                        uint4 w = *reinterpret_cast<const uint4*>(values + o);
                        if (is_max) { w.x = ~w.x; w.y = ~w.y; w.z = ~w.z; w.w = ~w.w; }
                        rank += (w.x < v) + (w.y < v) + (w.z < v) + (w.w < v);
                    }
                    rank += __shfl_xor_sync(~0u, rank, 1);
                    if (t < 2 * NB && (t & 1) == 0) {
                        if (!is_max && rank == k - 1) sh.near = v | 255u;
                        if (is_max && rank == 0) sh.top = ~v | 255u;
                        if (is_max && rank == k) sh.far = ~v & ~255u;
                    }
                }
            }
        }
        __syncthreads();
        float near_limit = __uint_as_float(sh.near), far_limit = __uint_as_float(sh.far);
        const float top_error = 2 * error_of(__uint_as_float(sh.top), R);
        near_limit += 2 * error_of(near_limit, R);
        // The centroid will be where we guess to within k / (remaining - k) times the radii of both groups.
        const float moved = second ? quotient(1.01f * k, (float)(remaining - k)) * (root_of(radius_a) + root_of(near_limit)) + 1e-7f * R : 0.0f;
        const auto lowered = [&](float d) {  // what the record farthest from c has at least, if one not taken has d
            const float root = root_of(d) * 0.999999f - 2 * moved;
            return (root > 0 ? root * root * 0.999999f : -1.0f) - top_error;
        };
        far_limit = second ? lowered(far_limit) : far_limit - top_error;
        // ---- gather
        u64* publish = cands + (long long)me * CAP * 6;  // CAP times 4 words, then CAP times 2
        const auto consider = [&](int p, float x, float y) {
            const bool in_near = x <= near_limit && p < cnt, in_far = y >= far_limit && p < cnt;
            if (!in_near && !in_far) return;
            const int row = p < SI ? own_id[p] : id[p];
            if (in_far && second) {  // will be measured when the centroid is known
                prefetch(X + (long long)row * COLS);
                prefetch(X + (long long)row * COLS + COLS - 1);
                const int at = atomicAdd(&sh.count[1], 1);
                if (at < CAP) { put(publish + CAP * 4 + at * 2, epoch, __float_as_uint(y)); put(publish + CAP * 4 + at * 2 + 1, epoch, row); }
            }
            if (in_near || !second) {
                const u64 d = (u64)__double_as_longlong(measure(X + (long long)row * COLS, sh.q));
                // In step A near and far ones share one list: the first bit of the place tells.
                const int at = atomicAdd(&sh.count[0], 1);
                if (at < CAP) {
                    u64* to = publish + at * 4;
                    put(to, epoch, (u32)(d >> 32)); put(to + 1, epoch, (u32)d); put(to + 2, epoch, row);
                    put(to + 3, epoch, (u32)p | (in_near ? 0x80000000u : 0u));
                }
            }
        };
        if (__uint_as_float(low) <= near_limit || __uint_as_float(high) >= far_limit) {
#if ITER > 0
#pragma unroll
            for (int i = 0; i < ITER * 4; ++i) consider(((i / 4) * THREADS + tid) * 4 + i % 4, near_d[i], far_d[i]);
#else
            for (int p = tid * 4; p < cnt; p += THREADS * 4) {
                float x[4], y[4];
                distances(p, x, y);
#pragma unroll
                for (int e = 0; e < 4; ++e) if (p + e < cnt) consider(p + e, x[e], y[e]);
            }
#endif
        }
        __syncthreads();
        // ---- exchange 2: the candidates
        if (tid < COPIES) put(&ex2[tid * NB + me], epoch, ((u32)min(sh.count[0], 0xffff) << 16) | (u32)min(sh.count[1], 0xffff));
        if (tid < PARTS * NB) {
            const int b = tid / PARTS;
            const u32 w = get(&ex2[me % COPIES * NB + b], epoch);
            const int c0 = (int)(w >> 16), c1 = (int)(w & 0xffff);
            const u64* from = cands + (long long)b * CAP * 6;
            if (c0 > CAP || c1 > CAP) {
                sh.error = 1;
            } else {
                for (int c = tid % PARTS; c < c0; c += PARTS) {
                    u32 high_half, low_half, row, pos;
                    get2(from + c * 4, epoch, high_half, low_half); get2(from + c * 4 + 2, epoch, row, pos);
                    const double d = __longlong_as_double((long long)(((u64)high_half << 32) | low_half));
                    if (pos >> 31) {
                        const int to = atomicAdd(&sh.total[0], 1);
                        if (to < NEAR_LIST) { sh.near_d[to] = d; sh.near_row[to] = row; sh.near_pos[to] = pos & 0x7fffffff; sh.near_block[to] = (short)b; }
                    }
                    if (!second) {  // any of them may be offered as a far one
                        const int to = atomicAdd(&sh.total[1], 1);
                        if (to < LIST) { sh.far_d[to] = d; sh.far_row[to] = row; }
                    }
                }
                for (int c = tid % PARTS; c < c1; c += PARTS) {
                    u32 d, row;
                    get2(from + CAP * 4 + c * 2, epoch, d, row);
                    const int to = atomicAdd(&sh.total[1], 1);
                    if (to < LIST) { sh.far_d[to] = __uint_as_float(d); sh.far_row[to] = row; }
                }
            }
        }
        __syncthreads();
        const int n_near = sh.total[0], n_far = sh.total[1];
        if (n_near > NEAR_LIST || n_far > LIST || sh.error) { failure = 1; break; }  // the same for all threads of all blocks
        // ---- rank: the seed and the k-1 nearest of the others
        int* members = sh.member_row[second];
        for (int i = warp; i < n_near; i += THREADS / 32) {  // a warp for each
            const double d = sh.near_d[i]; const int row = sh.near_row[i];
            int rank = row != seed;
            for (int base = 0; base < n_near; base += 32) {
                const int o = base + lane;
                bool before = false;
                if (o < n_near && row != seed) { const double w = sh.near_d[o]; const int other = sh.near_row[o]; before = other != seed && (w < d || (w == d && other < row)); }
                rank += __popc(__ballot_sync(~0u, before));
            }
            if (lane == 0 && rank < k) { members[rank] = row; sh.member_pos[rank] = sh.near_pos[i]; sh.member_block[rank] = sh.near_block[i]; }
        }
        __syncthreads();
        remaining -= k;
        const auto taken = [&](int row) { bool is = false; for (int t = 0; t < k; ++t) is |= members[t] == row; return is; };
        double x[COLS]; int x_row = -1, n_few = 0;
        if (warp == 0) {
            // ---- remove them, from the back, so that the last record never is one that leaves later
            for (int base = 0; base < k; base += 32)
                if (base + lane < k && sh.member_block[base + lane] == me) labels[members[base + lane]] = group;
            int here = sh.cnt, before = 0x7fffffff;
            for (;;) {
                int pos = -1;
                for (int base = 0; base < k; base += 32)
                    if (base + lane < k && sh.member_block[base + lane] == me) { const int p = sh.member_pos[base + lane]; if (p < before && p > pos) pos = p; }
                pos = __reduce_max_sync(~0u, pos);
                if (pos < 0) break;
                before = pos;
                --here;
                if (pos != here) {
                    if (lane < COLS) {
                        const float v = here < S ? own[lane * S + here] : mine[(long long)lane * C + here];
                        if (pos < S) own[lane * S + pos] = v; else mine[(long long)lane * C + pos] = v;
                    }
                    if (lane == 31) { const int v = here < SI ? own_id[here] : id[here]; if (pos < SI) own_id[pos] = v; else id[pos] = v; }
                }
                __syncwarp();
            }
            if (lane == 0) sh.cnt = here;
        } else if (warp == 1 && second) {
            // ---- the centroid: half of the members in each half of the warp
            const int column = lane & 15, half = lane >> 4;
            Exact sum = {};
            if (column < COLS) {
                if (half == 0) sum = sh.sum[column];
                for (int base = half; base < k; base += 10) {
                    double v[5];
#pragma unroll
                    for (int i = 0; i < 5; ++i) v[i] = base + 2 * i < k ? __ldg(X + (long long)members[base + 2 * i] * COLS + column) : 0.0;
#pragma unroll
                    for (int i = 0; i < 5; ++i) accumulate(sum, v[i], true);
                }
            }
            u64 carry = 0;
#pragma unroll
            for (int l = 0; l < 4; ++l) {
                const u64 o = __shfl_down_sync(~0u, sum.limb[l], 16), t = sum.limb[l] + o, b = t < o, u = t + carry;
                carry = b | (u < t); sum.limb[l] = u;
            }
            if (lane < COLS) { sh.sum[lane] = sum; sh.c[lane] = __ddiv_rn(rounded(sum), (double)remaining); }
        } else if (warp == 2 && !second) {
            // ---- s: the farthest from r that is not in its group
            double d = -1.0; int row = 0x7fffffff;
            for (int i = lane; i < n_far; i += 32) {
                const double w = sh.far_d[i]; const int other = sh.far_row[i];
                if ((w > d || (w == d && other < row)) && !taken(other)) { d = w; row = other; }
            }
#pragma unroll
            for (int step = 16; step; step >>= 1) {
                const double w = __shfl_xor_sync(~0u, d, step); const int other = __shfl_xor_sync(~0u, row, step);
                if (w > d || (w == d && other < row)) { d = w; row = other; }
            }
            if (lane == 0) { sh.next = row; if (d < 0) sh.error = 3; }
            if (d >= 0 && lane < COLS) {
                const double v = __ldg(X + (long long)row * COLS + lane), c = sh.c[lane];
                // where the centroid will be when groups around r and s have left
                sh.cf[lane] = (float)((c - (double)k / (double)(remaining - k) * ((sh.q[lane] - c) + (v - c)) - origin[lane]) * scale);
                sh.q[lane] = v; sh.qf[lane] = (float)((v - origin[lane]) * scale);
            }
        } else if (warp == 2 && remaining >= least) {
            // ---- the few that can be the next r
            u32 most = 0;
            for (int i = lane; i < n_far; i += 32) { if (taken(sh.far_row[i])) sh.far_d[i] = -1.0; else most = max(most, __float_as_uint((float)sh.far_d[i])); }
            const float limit = lowered(__uint_as_float(__reduce_max_sync(~0u, most)));
            for (int base = 0; base < n_far; base += 32) {
                const double d = base + lane < n_far ? sh.far_d[base + lane] : -1.0;
                const bool is = d >= 0 && (float)d >= limit;
                const u32 all = __ballot_sync(~0u, is);
                if (is) sh.few[n_few + __popc(all & ((1u << lane) - 1))] = (short)(base + lane);
                n_few += __popc(all);
            }
            __syncwarp();
            if (lane < n_few) {
                x_row = sh.far_row[sh.few[lane]];
#pragma unroll
                for (int j = 0; j < COLS; ++j) x[j] = __ldg(X + (long long)x_row * COLS + j);
            }
        }
        __syncthreads();
        if (second && remaining >= least) {
            if (warp == 2) {
                double d = -1.0; int row = 0x7fffffff;
                if (x_row >= 0) {
                    double sum = 0.0;
#pragma unroll
                    for (int j = 0; j < COLS; ++j) { const double gap = __dsub_rn(x[j], sh.c[j]); sum = __dadd_rn(sum, __dmul_rn(gap, gap)); }
                    d = sum; row = x_row;
                }
                for (int i = 32 + lane; i < n_few; i += 32) {
                    const int other = sh.far_row[sh.few[i]];
                    const double w = measure(X + (long long)other * COLS, sh.c);
                    if (w > d || (w == d && other < row)) { d = w; row = other; }
                }
#pragma unroll
                for (int step = 16; step; step >>= 1) {
                    const double w = __shfl_xor_sync(~0u, d, step); const int other = __shfl_xor_sync(~0u, row, step);
                    if (w > d || (w == d && other < row)) { d = w; row = other; }
                }
                if (lane == 0) { sh.next = row; if (d < 0) sh.error = 2; }
                if (d >= 0 && lane < COLS) { const double v = __ldg(X + (long long)row * COLS + lane); sh.q[lane] = v; sh.qf[lane] = (float)((v - origin[lane]) * scale); }
            }
            __syncthreads();
        }
        failure = sh.error;
        if (failure) break;
        seed = sh.next;
        radius_a = near_limit;
        ++group;
        second = !second;
    }
    __syncthreads();
    if (me == 0 && tid == 0) {
        out[0] = failure; out[1] = group; out[2] = second;
    }
}
