// Which of the compiled scans this processor runs.
//
//   AVX-512, else AVX2 with fused multiply-add, else plain
#include "kernels/mdav/scan.h"

namespace microagg {

const Scan& choose_scan() {
#ifdef MICROAGG_X86
    if (__builtin_cpu_supports("avx512f")) return kAvx512Scan;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return kAvx2Scan;
#endif
    return kPlainScan;
}

}  // namespace microagg
