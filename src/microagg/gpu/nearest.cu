// The nearest landmarks of every record, by comparing all: distances in the order of half the squared norm of the
// landmark less its product with the record. Ties go to the lower landmark.
#define RECORDS (COLS <= 16 ? 4 : COLS <= 32 ? 2 : 1)  // that a thread looks at together
#define TILE (COLS <= 16 ? 256 : 64)

// landmarks: rows of PAD floats of which place COLS holds half the squared norm. Grid: n / (128 * RECORDS); block: 128.
extern "C" __global__ void __launch_bounds__(128)
nearest(const float* __restrict__ X, long long n, const float* __restrict__ landmarks, int n_landmarks, int* __restrict__ near) {
    __shared__ float4 tile[TILE * (PAD / 4)];
    float x[RECORDS][COLS], best[RECORDS][NEAREST];
    int who[RECORDS][NEAREST];
#pragma unroll
    for (int r = 0; r < RECORDS; ++r) {
        const long long row = min(n - 1, ((long long)blockIdx.x * RECORDS + r) * 128 + threadIdx.x);
#pragma unroll
        for (int j = 0; j < COLS; ++j) x[r][j] = X[row * PAD + j];
#pragma unroll
        for (int t = 0; t < NEAREST; ++t) { best[r][t] = HUGE; who[r][t] = NOTHING; }
    }
    for (int first = 0; first < n_landmarks; first += TILE) {
        const int here = min(TILE, n_landmarks - first);
        __syncthreads();
        for (int i = threadIdx.x; i < here * (PAD / 4); i += 128)
            tile[i] = reinterpret_cast<const float4*>(landmarks)[(long long)first * (PAD / 4) + i];
        __syncthreads();
#pragma unroll 2
        for (int c = 0; c < here; ++c) {
            float4 quads[COLS / 4 + 1];
#pragma unroll
            for (int q = 0; q < COLS / 4 + 1; ++q) quads[q] = tile[c * (PAD / 4) + q];
            const float* v = reinterpret_cast<const float*>(quads);
#pragma unroll
            for (int r = 0; r < RECORDS; ++r) {
                float s = v[COLS];
#pragma unroll
                for (int j = 0; j < COLS; ++j) s = fmaf(-x[r][j], v[j], s);
                if (s < best[r][NEAREST - 1]) {
                    best[r][NEAREST - 1] = s;
                    who[r][NEAREST - 1] = first + c;
#pragma unroll
                    for (int t = NEAREST - 1; t > 0; --t)
                        if (best[r][t] < best[r][t - 1]) {
                            const float b = best[r][t]; best[r][t] = best[r][t - 1]; best[r][t - 1] = b;
                            const int w = who[r][t]; who[r][t] = who[r][t - 1]; who[r][t - 1] = w;
                        }
                }
            }
        }
    }
#pragma unroll
    for (int r = 0; r < RECORDS; ++r) {
        const long long row = ((long long)blockIdx.x * RECORDS + r) * 128 + threadIdx.x;
        if (row < n) for (int t = 0; t < NEAREST; ++t) near[row * NEAREST + t] = who[r][t];
    }
}
