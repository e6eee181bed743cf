#include "bindings/door.h"

NB_MODULE(_core, m) {
    m.doc() = "The kernels of microagg. Arguments are checked in Python, before they come here.";
    microagg::bind_bounds(m);
    microagg::bind_groups(m);
    microagg::bind_incremental(m);
    microagg::bind_partition(m);
    microagg::bind_semantic(m);
    microagg::bind_refine(m);
    microagg::bind_paths(m);
    microagg::bind_risk(m);
}
