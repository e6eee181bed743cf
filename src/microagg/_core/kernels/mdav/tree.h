// Records in blocks of neighbours, under a tree of boxes, for the nearest and the farthest records of many at once.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/base/constants.h"
#include "kernels/base/pool.h"
#include "kernels/base/records.h"
#include "kernels/mdav/scan.h"
#include "kernels/mdav/shortlist.h"

namespace microagg {

// Which records are nearest to and farthest from the record `row`? It is itself never among them.
struct Question {
    std::size_t row;
    Shortlist nearest, farthest;
};

class Tree {
  public:
    Tree(Records X, const std::vector<std::size_t>& rows, Pool& pool);

    // Records when it was built, and those that have not been removed since.
    std::size_t built() const { return order.size(); }
    std::size_t size() const { return nodes[0].alive; }

    void remove(std::size_t row);

    // Offers to each of at most kQueries questions every record that can be an answer.
    void ask(Question* questions, std::size_t count) const;

  private:
    struct Node {
        std::size_t first_leaf, leaves;  // one leaf: this is it; else children follow, left and then right
        std::size_t alive;
        std::size_t lowest_row;
        bool is_point;  // all its records were equal when it was built
    };
    struct Visit;

    std::size_t left(std::size_t node) const { return node + 1; }
    std::size_t right(std::size_t node) const { return node + 2 * (nodes[node].leaves / 2); }
    const double* lower(std::size_t node) const { return &boxes[node * 2 * X.m]; }
    const double* upper(std::size_t node) const { return lower(node) + X.m; }
    const float* block(std::size_t leaf) const { return &blocks[leaf * (X.m + 1) * kLanes]; }

    void measure_scale();
    void cut(std::size_t node);
    void split(std::size_t node);
    void bound(std::size_t node);
    void fill(std::size_t node);
    void sum_up(std::size_t node);
    std::size_t home(std::size_t row) const;
    std::size_t away(std::size_t row) const;
    void visit(Visit& v, std::size_t node, std::uint32_t active) const;
    void visit_leaf(Visit& v, std::size_t leaf, std::uint32_t active) const;

    Records X;
    const Scan& scan;
    double scale = 0.0;  // a power of two that brings the widest column to about 1; 0: measure everything exactly
    std::vector<std::uint32_t> order;     // the records, block after block
    std::vector<std::uint32_t> position;  // of a row in order, kNobody for one that was not there
    std::vector<Node> nodes;
    std::vector<double> boxes;    // of each node: the least, then the greatest of each column
    std::vector<double> centres;  // of each leaf
    std::vector<double> norms;    // of each leaf: the greatest squared norm in it, seen from its centre and scaled
    std::vector<float> blocks;
};

}  // namespace microagg
