// The scans of scan_body.h, compiled for AVX-512.
#ifdef MICROAGG_X86
#include "kernels/mdav/scan_body.h"

namespace microagg {

extern const Scan kAvx512Scan = {bounds, localise, scan};

}  // namespace microagg
#endif
