// Lin-Kernighan: a path made shorter by exchanges of edges (improve_path.cpp).
#pragma once

#include "kernels/base/records.h"

namespace microagg {

struct LinKernighan {
    std::size_t neighbours;  // candidates of each record
    std::size_t exchange;    // edges exchanged in one step: 2 or 3
    std::size_t depth;       // steps that one move may chain before it must have gained
    std::uint64_t kicks;     // perturbations after the first local optimum
    std::uint64_t seed;
    double seconds;    // stop after these
    double cap;        // what an edge costs at most; infinity where every edge costs its length
    bool from_greedy;  // begin with the path of greedy_edge, not with the one in `order`
    bool from_start;   // the path begins where `order` begins, and stays there
    std::size_t threads;
    bool near = false;  // candidates are most of the nearest, not all, found in near-linear time
};

// Improves a path through all records and writes it to `order`.
void improve_path(Records X, const LinKernighan& how, std::int64_t* order, const Progress& progress);

}  // namespace microagg
