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
