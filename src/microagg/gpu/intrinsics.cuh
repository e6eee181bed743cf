// What only the device knows how to do; tests put other words for a processor in the place of this file.
typedef unsigned long long u64;
typedef unsigned int u32;
#define DYNAMIC_SHARED(name) extern __shared__ __align__(16) char name[]

// Words of 8 bytes that carry the number of their step: whoever reads one knows whether it is new, without fences.
__device__ __forceinline__ void put(u64* p, u32 epoch, u32 v) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(((u64)epoch << 32) | v) : "memory");
}
__device__ __forceinline__ u64 peek(const u64* p) {
    u64 v;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}
__device__ __forceinline__ void peek2(const u64* p, u64& v, u64& w) {
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(v), "=l"(w) : "l"(p) : "memory");
}
__device__ __forceinline__ void prefetch(const void* p) { asm volatile("prefetch.global.L2 [%0];" ::"l"(p)); }
__device__ __forceinline__ float root_of(float x) {  // to 2^-23
    float r;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}
__device__ __forceinline__ float log_of(float x) { return __logf(x); }
__device__ __forceinline__ float quotient(float x, float y) { return __fdividef(x, y); }
