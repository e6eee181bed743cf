// The scans of scan_body.h, compiled for any processor.
#include "kernels/mdav/scan_body.h"

namespace microagg {

extern const Scan kPlainScan = {bounds, localise, scan};

}  // namespace microagg
