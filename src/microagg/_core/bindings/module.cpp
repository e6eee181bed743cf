// The module microagg._core: one file of bindings for each room.
#include "bindings/door.h"

NB_MODULE(_core, m) {
    m.doc() =
        "The kernels of microagg. What users give is checked in Python, before it comes here; here, sizes and "
        "positions.";
    microagg::bind_bounds(m);
    microagg::bind_groups(m);
    microagg::bind_incremental(m);
    microagg::bind_partition(m);
    microagg::bind_promises(m);
    microagg::bind_semantic(m);
    microagg::bind_refine(m);
    microagg::bind_paths(m);
    microagg::bind_risk(m);
}
