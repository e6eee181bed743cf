// Annealing of pairs of groups: records change places, or move where sizes stay between K and 2K - 1.
// LANES threads work on a pair, each on EACH of its records: a pair has at most LANES * EACH of them.
#define ROOM (LANES * EACH)
#define PAIRS (32 / LANES * WARPS)  // at a time in a block
#define LOOKS 4                     // groups whose proposals the same lanes look at, one after the other
#define GAIN 1e-6f                  // less than this share of a record's squared error is no change for the better

// Every group proposes a group near one of its records. The highest claim of each group wins it.
extern "C" __global__ void propose(int G, const int* __restrict__ members, const int* __restrict__ sizes, const int* __restrict__ group_of,
                                   const int* __restrict__ near, const int* __restrict__ first, const int* __restrict__ order, int n_near,
                                   u64 stream, u32 round, int* __restrict__ partner, u64* best) {
    const int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= G) return;
    partner[g] = NOTHING;
    const int size = sizes[g];
    if (size == 0) return;
    const u64 place = (u64)g * 4;
    const int row = members[(long long)g * MOST + draw(stream, place) % size];
    const u64 b = draw(stream, place + 1);
    const u32 which = (u32)((b * b >> 32) * (u64)n_near >> 32);  // nearer ones more often
    const int record = near_record({near, first, order}, row, n_near, which, draw(stream, place + 2));
    if (record < 0) return;
    const int other = group_of[record];
    if (other == g || size + sizes[other] > ROOM) return;
    partner[g] = other;
    const u64 key = claim(round, draw(stream, place + 3), g);
    atomicMax(&best[g], key);
    atomicMax(&best[other], key);
}

// Of EACH values that every lane has, the one of record s, which is the same for all lanes.
__device__ __forceinline__ float of_record(u32 mask, const float* values, int s) {
    float value = values[0];
#pragma unroll
    for (int r = 1; r < EACH; ++r) if (s / LANES == r) value = values[r];
    return __shfl_sync(mask, value, s % LANES, LANES);
}

// Pairs whose proposal won both groups: all distances once, then the best change of each step, if it is allowed.
// For groups A and B of a and b records, W is the sum of squared distances within a group, so that its squared error is
// W / size; to_a and to_b are the sums of squared distances of a record to the members of A and B.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
anneal(int G, const float* __restrict__ X, int* __restrict__ members, int* __restrict__ sizes, int* __restrict__ group_of,
       const int* __restrict__ partner, const u64* __restrict__ best, u64 stream, u32 round, float heat, int steps) {
    DYNAMIC_SHARED(memory);
    const int lane = threadIdx.x % LANES, slot = threadIdx.x / LANES;
    const u32 mask = LANES == 32 ? ~0u : ((1u << (LANES % 32)) - 1) << (threadIdx.x % 32 / LANES * LANES);
    float4* rows = reinterpret_cast<float4*>(memory) + slot * ROOM * QUADS;                                  // ROOM x QUADS
    float* D = reinterpret_cast<float*>(memory) + PAIRS * ROOM * QUADS * 4 + slot * ROOM * (ROOM + 1);       // ROOM x (ROOM + 1)
    for (int look = 0; look < LOOKS; ++look) {
        const int g = (blockIdx.x * PAIRS + slot) * LOOKS + look;
        if (g >= G) break;
        const int h = partner[g];
        if (h < 0 || !holds(best[g], round, g) || best[h] != best[g]) continue;
        int a = sizes[g], b = sizes[h];
        const int all = a + b;
        int row[EACH];
        __syncwarp(mask);
#pragma unroll
        for (int r = 0; r < EACH; ++r) {
            const int s = r * LANES + lane;
            row[r] = s < a ? members[(long long)g * MOST + s] : s < all ? members[(long long)h * MOST + s - a] : NOTHING;
#pragma unroll
            for (int q = 0; q < QUADS; ++q)
                rows[s * QUADS + q] = row[r] < 0 ? make_float4(0, 0, 0, 0) : reinterpret_cast<const float4*>(X)[(long long)row[r] * (PAD / 4) + q];
        }
        __syncwarp(mask);
        float to_a[EACH], to_b[EACH], v[EACH], twice_a = 0, twice_b = 0;
        u32 in_a[EACH];  // a bit for each lane; the same in all lanes
#pragma unroll
        for (int r = 0; r < EACH; ++r) {
            const int s = r * LANES + lane;
            to_a[r] = to_b[r] = 0;
            in_a[r] = a >= (r + 1) * LANES ? (u32)((1ull << LANES) - 1) : a <= r * LANES ? 0u : (1u << (a - r * LANES)) - 1;
            float4 x[QUADS];
#pragma unroll
            for (int q = 0; q < QUADS; ++q) x[q] = rows[s * QUADS + q];
#pragma unroll 2
            for (int j = 0; j < all; ++j) {
                float d = 0;
#pragma unroll
                for (int q = 0; q < QUADS; ++q) {
                    const float4 y = rows[j * QUADS + q];
                    float gap = x[q].x - y.x; d = fmaf(gap, gap, d);
                    if (q * 4 + 1 < COLS) { gap = x[q].y - y.y; d = fmaf(gap, gap, d); }
                    if (q * 4 + 2 < COLS) { gap = x[q].z - y.z; d = fmaf(gap, gap, d); }
                    if (q * 4 + 3 < COLS) { gap = x[q].w - y.w; d = fmaf(gap, gap, d); }
                }
                D[j * (ROOM + 1) + s] = d;
                if (j < a) to_a[r] += d; else to_b[r] += d;
            }
            if (s < a) twice_a += to_a[r]; else if (s < all) twice_b += to_b[r];
        }
#pragma unroll
        for (int step = LANES / 2; step; step >>= 1) {
            twice_a += __shfl_xor_sync(mask, twice_a, step, LANES);
            twice_b += __shfl_xor_sync(mask, twice_b, step, LANES);
        }
        __syncwarp(mask);
        float within_a = 0.5f * twice_a, within_b = 0.5f * twice_b;
        const float scale = (within_a / a + within_b / b) / all;  // squared error of a record, on average
        bool changed = false;
        for (int step = 0; step < steps; ++step) {
            const float inverse_a = 1.0f / a, inverse_b = 1.0f / b, both = inverse_a + inverse_b;
            const bool from_a = a > K && b < MOST, from_b = b > K && a < MOST;
            float least[EACH];
            int with[EACH];
#pragma unroll
            for (int r = 0; r < EACH; ++r) { v[r] = to_b[r] * inverse_b - to_a[r] * inverse_a; least[r] = HUGE; with[r] = NOTHING; }
#pragma unroll
            for (int jr = 0; jr < EACH; ++jr)
                for (int jl = 0; jl < LANES && jr * LANES + jl < all; ++jl) {
                    const float vj = __shfl_sync(mask, v[jr], jl, LANES);
                    if (in_a[jr] >> jl & 1) continue;  // the same for all lanes
                    const float* d = D + (jr * LANES + jl) * (ROOM + 1) + lane;
#pragma unroll
                    for (int r = 0; r < EACH; ++r) {
                        const float change = v[r] - vj - both * d[r * LANES];
                        if (change < least[r]) { least[r] = change; with[r] = jr * LANES + jl; }
                    }
                }
            float excess = HUGE;
            int from = ROOM, to = NOTHING;
#pragma unroll
            for (int r = 0; r < EACH; ++r) {
                const int s = r * LANES + lane;
                const bool mine = in_a[r] >> lane & 1;
                if (s >= all) continue;
                if (!mine) least[r] = HUGE;
                float move = HUGE;
                if (mine && from_a) move = (within_a - to_a[r]) / (a - 1) - within_a * inverse_a + (within_b + to_b[r]) / (b + 1) - within_b * inverse_b;
                if (!mine && from_b) move = (within_b - to_b[r]) / (b - 1) - within_b * inverse_b + (within_a + to_a[r]) / (a + 1) - within_a * inverse_a;
                if (move < least[r]) { least[r] = move; with[r] = NOTHING; }
                if (least[r] >= HUGE) continue;
                const float over = least[r] + GAIN * scale - allowance(stream, ((u64)g << 20) | (u64)(step << 7 | s), heat * scale);
                if (over < excess) { excess = over; from = s; to = with[r]; }
            }
#pragma unroll
            for (int far = LANES / 2; far; far >>= 1) {
                const float o = __shfl_xor_sync(mask, excess, far, LANES);
                const int of = __shfl_xor_sync(mask, from, far, LANES), ot = __shfl_xor_sync(mask, to, far, LANES);
                if (o < excess || (o == excess && of < from)) { excess = o; from = of; to = ot; }
            }
            if (!(excess < 0)) { if (heat == 0) break; continue; }
            changed = true;
            const float a_from = of_record(mask, to_a, from), b_from = of_record(mask, to_b, from);
            const float* d_from = D + from * (ROOM + 1) + lane;
            if (to >= 0) {
                const float a_to = of_record(mask, to_a, to), b_to = of_record(mask, to_b, to);
                const float* d_to = D + to * (ROOM + 1) + lane;
                const float apart = D[to * (ROOM + 1) + from];
                within_a += a_to - a_from - apart;
                within_b += b_from - b_to - apart;
#pragma unroll
                for (int r = 0; r < EACH; ++r) {
                    const float change = r * LANES + lane < all ? d_to[r * LANES] - d_from[r * LANES] : 0;
                    to_a[r] += change; to_b[r] -= change;
                    if (from / LANES == r) in_a[r] ^= 1u << from % LANES;
                    if (to / LANES == r) in_a[r] ^= 1u << to % LANES;
                }
            } else {
                bool leaves_a = false;
#pragma unroll
                for (int r = 0; r < EACH; ++r) if (from / LANES == r) { leaves_a = in_a[r] >> from % LANES & 1; in_a[r] ^= 1u << from % LANES; }
                const float sign = leaves_a ? 1.0f : -1.0f;
                within_a -= sign * a_from;
                within_b += sign * b_from;
                a -= leaves_a ? 1 : -1;
                b += leaves_a ? 1 : -1;
#pragma unroll
                for (int r = 0; r < EACH; ++r) {
                    const float change = r * LANES + lane < all ? sign * d_from[r * LANES] : 0;
                    to_a[r] -= change; to_b[r] += change;
                }
            }
        }
        if (!changed) continue;
        int before_a = 0, before_b = 0;
#pragma unroll
        for (int r = 0; r < EACH; ++r) {
            const u32 below = (1u << lane) - 1;
            const bool mine = in_a[r] >> lane & 1;
            const int at = mine ? before_a + __popc(in_a[r] & below) : before_b + __popc(~in_a[r] & below);
            if (row[r] >= 0) {
                members[(long long)(mine ? g : h) * MOST + at] = row[r];
                group_of[row[r]] = mine ? g : h;
            }
            before_a += __popc(in_a[r]);
            before_b += LANES - __popc(in_a[r]);
        }
        if (lane == 0) { sizes[g] = a; sizes[h] = b; }
    }
}
