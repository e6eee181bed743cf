// The scans of scan_body.h, compiled for AVX2.
#ifdef MICROAGG_X86
#include "kernels/mdav/scan_body.h"

namespace microagg {

extern const Scan kAvx2Scan = {bounds, localise, scan};

}  // namespace microagg
#endif
