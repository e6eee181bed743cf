// A k-d tree in double precision whose records can leave: exact neighbours, and who is just as far (spatial_tree.cpp).
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/base/constants.h"
#include "kernels/base/ranked.h"
#include "kernels/base/records.h"

namespace microagg {

// A k-d tree over records, from which records can be taken out. Distances are squared; ties go to the lower row.
class SpatialTree {
  public:
    static constexpr std::size_t kLeaf = 32;

    explicit SpatialTree(Records X);

    // For the records of one leaf, which are returned: the `count` records nearest to each, itself left out, ascending,
    // one after the other in `found`, which has room for kLeaf * count. Needs a tree as new, and more than count
    // records.
    std::vector<std::uint32_t> nearest_of_leaf(std::size_t leaf, std::size_t count, Ranked* found) const;
    std::size_t n_leaves() const { return leaf_nodes.size(); }
    // The nearest that is left, neither the record itself nor `other`; nobody, infinitely far, where there is none.
    Ranked nearest_left(std::size_t row, std::size_t other = kNowhere) const;

    // The `weights` of the records that are exactly this far from a point, added up; 0 where one is nearer. Needs a
    // tree as new.
    std::int64_t ties_at(const double* point, double distance, const std::int64_t* weights) const;

    void remove(std::size_t row);
    // As new: every record is left again.
    void restore();

  private:
    struct Node {
        std::uint32_t begin, end, left;  // slots begin..end-1 are left in a leaf; left = 0 in a leaf
        std::uint32_t alive, parent;
    };
    struct Query;
    struct Box {
        const double *lower, *upper;  // the same where it is a point
    };
    struct Children {
        std::uint32_t near, far;
        double to_near, to_far;
    };

    std::uint32_t build(std::uint32_t begin, std::uint32_t end, std::uint32_t parent);
    void split(std::uint32_t node);
    const double* lower(std::uint32_t node) const { return &boxes[node * 2 * X.m]; }
    const double* upper(std::uint32_t node) const { return lower(node) + X.m; }
    double distance(std::uint32_t node, Box to) const;
    Children by_distance(const Node& node, Box to) const;
    void scan(const Node& leaf, Query& query) const;
    void search(std::uint32_t node, Query& query) const;
    bool add_ties(std::uint32_t node, const double* point, double distance, const std::int64_t* weights,
                  std::int64_t& sum) const;
    void search_all(std::uint32_t node, std::uint32_t from, std::vector<Query>& queries) const;
    double* value(std::uint32_t slot, std::size_t column) {
        return &columns[(slot / kLeaf * X.m + column) * kLeaf + slot % kLeaf];
    }

    Records X;
    std::vector<std::uint32_t> rows_, slots, leaves;  // row of a slot, slot of a row, leaf of a row
    std::vector<std::uint32_t> leaf_nodes;
    std::vector<double> columns;  // coordinates, leaf by leaf, each by column
    std::vector<Node> nodes;
    std::vector<double> boxes;  // lowest and highest value of each column in each node
};

}  // namespace microagg
