// A short path through very many records (path_in_cells.cpp).
#pragma once

#include "kernels/paths/improve_path.h"

namespace microagg {

// Writes a path through all records to `order`: one path in each of the cells of at most `cell` records, joined, and
// improved once more as a whole. The same on any number of threads, unless time runs out.
void path_in_cells(Records X, const LinKernighan& how, std::size_t cell, std::int64_t* order, const Progress& progress);

}  // namespace microagg
