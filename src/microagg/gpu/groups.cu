// Groups that dissolve into those around them, and groups founded of records that others can spare. A warp for each.
#define POOL ((NEAREST * K + 31) / 32 * 32)  // records that a new group chooses from

// The centroid of every group, and its squared error. Grid: G / 4; block: 128.
extern "C" __global__ void centroids(int G, const float* __restrict__ X, const int* __restrict__ members, const int* __restrict__ sizes,
                                     float* __restrict__ centre, float* __restrict__ error) {
    const int g = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (g >= G) return;
    const int size = sizes[g];
    float squares = 0;
    for (int j = lane; j < COLS && size; j += 32) {
        float sum = 0;
        for (int i = 0; i < size; ++i) sum += X[(long long)members[(long long)g * MOST + i] * PAD + j];
        const float mean = sum / size;
        for (int i = 0; i < size; ++i) { const float gap = X[(long long)members[(long long)g * MOST + i] * PAD + j] - mean; squares = fmaf(gap, gap, squares); }
        centre[(long long)g * PAD + j] = mean;
    }
    squares = sum_of_warp(squares);
    if (lane == 0) error[g] = squares;
}

// The squared error of every group in double precision. Grid: G / 4; block: 128.
extern "C" __global__ void errors(int G, const double* __restrict__ X, const int* __restrict__ members, const int* __restrict__ sizes, double* __restrict__ error) {
    const int g = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (g >= G) return;
    const int size = sizes[g];
    double squares = 0;
    for (int j = lane; j < COLS && size; j += 32) {
        const double origin = X[(long long)members[(long long)g * MOST] * COLS + j];
        double sum = 0;
        for (int i = 1; i < size; ++i) sum += X[(long long)members[(long long)g * MOST + i] * COLS + j] - origin;
        const double mean = origin + sum / size;
        for (int i = 0; i < size; ++i) { const double gap = X[(long long)members[(long long)g * MOST + i] * COLS + j] - mean; squares += gap * gap; }
    }
#pragma unroll
    for (int step = 16; step; step >>= 1) squares += __shfl_xor_sync(~0u, squares, step, 32);
    if (lane == 0) error[g] = squares;
}

// Groups that are better off dissolved: record by record, the group around it that takes it at the least cost. For
// records with the gaps x - c to the centroid of a group of s that they join, q of them, its error grows by
// sum |x - c|^2 - |sum (x - c)|^2 / (s + q). One group in `among` tries. Grid: G; block: 32.
extern "C" __global__ void __launch_bounds__(32)
dissolve(int G, const float* __restrict__ X, const int* __restrict__ members, const int* __restrict__ sizes, const int* __restrict__ group_of,
         const float* __restrict__ centre, const float* __restrict__ error, const int* __restrict__ near, const int* __restrict__ first,
         const int* __restrict__ order, int n_near, u64 stream, u32 round, float heat, u32 among, int* __restrict__ targets, u64* best) {
    __shared__ float sums[MOST][COLS];  // of the gaps of those who join a group
    __shared__ int joined[MOST], joining[MOST];
    const int g = blockIdx.x, lane = threadIdx.x;
    const int size = sizes[g];
    if (lane == 0) targets[(long long)g * MOST] = NOTHING;
    if (size == 0 || draw(stream, (u64)g * 2) % among) return;
    const u64 draws = stream ^ ((u64)(g + 1) << 32);
    const float limit = error[g] * (1.0f - GAIN) + allowance(draws, ~0ull >> 1, heat * error[g] / size);
    int n_joined = 0;
    float cost = 0;
    for (int i = 0; i < size; ++i) {
        const long long row = members[(long long)g * MOST + i];
        const int record = near_record({near, first, order}, row, n_near, lane % n_near, draw(draws, i * 32 + lane));
        int h = record < 0 ? g : group_of[record], entry = NOTHING, joiners = 0;
        for (int e = 0; e < n_joined; ++e) if (joined[e] == h) { entry = e; joiners = joining[e]; }
        const int there = sizes[h] + joiners;
        float least = HUGE;
        if (h != g && there < MOST) {
            float gaps = 0, was = 0, is = 0;
            for (int j = 0; j < COLS; ++j) {
                const float gap = X[row * PAD + j] - centre[(long long)h * PAD + j], sum = entry < 0 ? 0 : sums[entry][j];
                gaps = fmaf(gap, gap, gaps); was = fmaf(sum, sum, was); is = fmaf(sum + gap, sum + gap, is);
            }
            least = gaps - is / (there + 1) + was / there;
        }
#pragma unroll
        for (int far = 16; far; far >>= 1) {
            const float o = __shfl_xor_sync(~0u, least, far, 32);
            const int oh = __shfl_xor_sync(~0u, h, far, 32), oe = __shfl_xor_sync(~0u, entry, far, 32);
            if (o < least || (o == least && oh < h)) { least = o; h = oh; entry = oe; }
        }
        cost += least;
        if (!(cost < limit)) return;  // the same for all lanes
        __syncwarp(~0u);
        const bool is_new = entry < 0;
        if (is_new) entry = n_joined++;
        for (int j = lane; j < COLS; j += 32) {
            const float gap = X[row * PAD + j] - centre[(long long)h * PAD + j];
            sums[entry][j] = is_new ? gap : sums[entry][j] + gap;
        }
        if (lane == 0) {
            joined[entry] = h;
            joining[entry] = is_new ? 1 : joining[entry] + 1;
            targets[(long long)g * MOST + i] = h;
        }
        __syncwarp(~0u);
    }
    const u64 key = claim(round, draw(stream, (u64)g * 2 + 1), g);
    if (lane == 0) atomicMax(&best[g], key);
    for (int e = lane; e < n_joined; e += 32) atomicMax(&best[joined[e]], key);
}

// Dissolve the groups whose claims won all groups that they need. Grid: G / 128; block: 128.
extern "C" __global__ void scatter(int G, int* __restrict__ members, int* __restrict__ sizes, int* __restrict__ group_of,
                                   const int* __restrict__ targets, const u64* __restrict__ best, u32 round) {
    const int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= G || targets[(long long)g * MOST] < 0 || !holds(best[g], round, g)) return;
    const int size = sizes[g];
    const u64 key = best[g];
    for (int i = 0; i < size; ++i) if (best[targets[(long long)g * MOST + i]] != key) return;
    for (int i = 0; i < size; ++i) {
        const int row = members[(long long)g * MOST + i], h = targets[(long long)g * MOST + i];
        members[(long long)h * MOST + sizes[h]] = row;
        sizes[h] += 1;
        group_of[row] = h;
    }
    sizes[g] = 0;
}

// New groups around a record of each group: K records near it whose groups have more than K, so that the error of the
// new group is less than what theirs lose. When q records with the gaps x - c leave a group of s, its error falls by
// sum |x - c|^2 + |sum (x - c)|^2 / (s - q). One group in `among` tries. Grid: G; block: 32.
extern "C" __global__ void __launch_bounds__(32)
found(int G, const float* __restrict__ X, const int* __restrict__ members, const int* __restrict__ sizes, const int* __restrict__ group_of,
      const float* __restrict__ centre, const float* __restrict__ error, const int* __restrict__ near, const int* __restrict__ first,
      const int* __restrict__ order, int n_near, u64 stream, u32 round, float heat, u32 among, int* __restrict__ picks, u64* best) {
    __shared__ float score[POOL], gain[POOL], middle[COLS];
    __shared__ int record[POOL], owner[POOL], spare[POOL], chosen[K];
    __shared__ bool allowed[POOL];
    const int g = blockIdx.x, lane = threadIdx.x;
    const int size = sizes[g];
    if (lane == 0) picks[(long long)g * K] = NOTHING;
    if (size == 0 || draw(stream, (u64)g * 4) % among) return;
    const long long seed = members[(long long)g * MOST + draw(stream, (u64)g * 4 + 1) % size];
    const u32 shift = draw(stream, (u64)g * 4 + 2);
    int n_spare = 0;
    for (int c = lane; c < POOL; c += 32) {
        const int landmark = near[seed * n_near + c % n_near], turn = c / n_near;
        int row = NOTHING, from = NOTHING, left = 0;
        float saved = 0;
        if (landmark >= 0) {
            const int begin = first[landmark], cell = first[landmark + 1] - begin;
            if (turn < cell) {
                row = order[begin + (int)((turn + shift % (u32)cell) % (u32)cell)];
                from = group_of[row];
                left = sizes[from] - K;
                if (left > 0) {
                    for (int j = 0; j < COLS; ++j) { const float gap = X[(long long)row * PAD + j] - centre[(long long)from * PAD + j]; saved = fmaf(gap, gap, saved); }
                    saved *= (float)sizes[from] / (sizes[from] - 1);
                }
            }
        }
        record[c] = row; owner[c] = from; spare[c] = left > 0 ? left : 0; gain[c] = saved;
        n_spare += left > 0;
    }
    if (sum_of_warp((float)n_spare) < K) return;
    for (int j = lane; j < COLS; j += 32) middle[j] = X[seed * PAD + j];
    __syncwarp(~0u);
    for (int pass = 0; pass < 2; ++pass) {
        // Around a record squared distances are twice those around the centroid, on average.
        for (int c = lane; c < POOL; c += 32) {
            float apart = HUGE;
            if (spare[c]) {
                apart = 0;
                for (int j = 0; j < COLS; ++j) { const float gap = X[(long long)record[c] * PAD + j] - middle[j]; apart = fmaf(gap, gap, apart); }
                apart = (pass ? 1.0f : 0.5f) * apart - gain[c];
            }
            score[c] = apart;
        }
        __syncwarp(~0u);
        for (int c = lane; c < POOL; c += 32) {  // no more from a group than it can spare, the best first
            int rank = 0;
            for (int o = 0; o < POOL; ++o) rank += owner[o] == owner[c] && spare[o] && (score[o] < score[c] || (score[o] == score[c] && o < c));
            allowed[c] = rank < spare[c];
        }
        __syncwarp(~0u);
        int n_allowed = 0;
        for (int c = lane; c < POOL; c += 32) {
            if (!allowed[c]) continue;
            ++n_allowed;
            int rank = 0;
            for (int o = 0; o < POOL; ++o) rank += allowed[o] && (score[o] < score[c] || (score[o] == score[c] && o < c));
            if (rank < K) chosen[rank] = c;
        }
        if (sum_of_warp((float)n_allowed) < K) return;
        __syncwarp(~0u);
        for (int j = lane; j < COLS; j += 32) {
            float sum = 0;
            for (int e = 0; e < K; ++e) sum += X[(long long)record[chosen[e]] * PAD + j];
            middle[j] = sum / K;
        }
        __syncwarp(~0u);
    }
    float cost = 0;  // what the new group costs, less what the others save
    for (int j = lane; j < COLS; j += 32)
        for (int e = 0; e < K; ++e) {
            const int from = owner[chosen[e]];
            const float x = X[(long long)record[chosen[e]] * PAD + j], centroid = centre[(long long)from * PAD + j];
            cost += (x - middle[j]) * (x - middle[j]) - (x - centroid) * (x - centroid);
            bool is_first = true;
            for (int o = 0; o < e; ++o) is_first = is_first && owner[chosen[o]] != from;
            if (!is_first) continue;
            float sum = 0;
            int leaving = 0;
            for (int o = e; o < K; ++o) if (owner[chosen[o]] == from) { sum += X[(long long)record[chosen[o]] * PAD + j] - centroid; ++leaving; }
            cost -= sum * sum / (sizes[from] - leaving);
        }
    cost = sum_of_warp(cost);
    const float scale = error[g] / size;
    if (!(cost + GAIN * scale < allowance(stream ^ ((u64)(g + 1) << 32), 0, heat * scale))) return;
    const u64 key = claim(round, draw(stream, (u64)g * 4 + 3), g);
    for (int e = lane; e < K; e += 32) {
        picks[(long long)g * K + e] = record[chosen[e]];
        atomicMax(&best[owner[chosen[e]]], key);
    }
}

// Which claims of new groups won all groups that they take records from. Grid: G / 128; block: 128.
extern "C" __global__ void won(int G, const int* __restrict__ group_of, const int* __restrict__ picks, const u64* __restrict__ best, u32 round, int* __restrict__ wins) {
    const int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= G) return;
    wins[g] = 0;
    if (picks[(long long)g * K] < 0) return;
    for (int e = 0; e < K; ++e) if (!holds(best[group_of[picks[(long long)g * K + e]]], round, g)) return;
    wins[g] = 1;
}

// Found them; the count of wins up to g says which free number the group gets. Grid: G / 128; block: 128.
extern "C" __global__ void gather(int G, int* __restrict__ members, int* __restrict__ sizes, int* __restrict__ group_of, const int* __restrict__ picks,
                                  const int* __restrict__ wins, const int* __restrict__ counts, const int* __restrict__ free_groups) {
    const int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= G || !wins[g]) return;
    const int fresh = free_groups[counts[g] - 1];
    for (int e = 0; e < K; ++e) {
        const int row = picks[(long long)g * K + e], from = group_of[row], last = sizes[from] - 1;
        for (int i = 0; i < last; ++i)
            if (members[(long long)from * MOST + i] == row) { members[(long long)from * MOST + i] = members[(long long)from * MOST + last]; break; }
        sizes[from] = last;
        members[(long long)fresh * MOST + e] = row;
        group_of[row] = fresh;
    }
    sizes[fresh] = K;
}
