#include "kernels/mdav/scan_body.h"

namespace microagg {

extern const Scan kPlainScan = {bounds, localise, scan};

}  // namespace microagg
