#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "kernels/records.h"

namespace microagg {

// A k-d tree over records, from which records can be taken out. Distances are squared; ties go to the lower row.
class SpatialTree {
  public:
    struct Found {
        double distance;
        std::uint32_t row;
        bool operator<(const Found& other) const {
            return std::tie(distance, row) < std::tie(other.distance, other.row);
        }
    };
    static constexpr std::uint32_t kNobody = UINT32_MAX;

    explicit SpatialTree(Records X);

    // The `count` records nearest to a record, itself left out, ascending, written to `found`. Fewer where fewer are
    // left; the number found is returned.
    std::size_t nearest(std::size_t row, std::size_t count, Found* found) const;
    // The nearest that is left, neither the record itself nor `other`; kNobody where there is none.
    Found nearest_left(std::size_t row, std::uint32_t other = kNobody) const;

    void remove(std::size_t row);
    // As new: every record is left again.
    void restore();
    // Rows in the order of the leaves: close in the tree, close in memory.
    const std::vector<std::uint32_t>& rows() const { return rows_; }

  private:
    struct Node {
        std::uint32_t begin, end, left;  // slots begin..end-1 are left in a leaf; left = 0 in a leaf
        std::uint32_t alive, parent;
    };
    struct Query;

    std::uint32_t build(std::uint32_t begin, std::uint32_t end, std::uint32_t parent);
    void split(std::uint32_t node);
    double box_distance(std::uint32_t node, const double* point) const;
    void search(std::uint32_t node, Query& query) const;

    Records X;
    std::vector<std::uint32_t> rows_, slots, leaves;  // row of a slot, slot of a row, leaf of a row
    std::vector<double> columns;                      // coordinates by column, in the order of the slots
    std::vector<Node> nodes;
    std::vector<double> boxes;  // lowest and highest value of each column in each node
};

}  // namespace microagg
