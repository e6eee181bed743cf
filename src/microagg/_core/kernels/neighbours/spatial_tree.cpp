// A k-d tree whose leaves are scanned column by column.
//
//   build:   split at the median of the widest column until few records are left; keep each node's bounding box
//   search:  the nearer child first; skip a node whose box is farther than the worst record kept
//   all the records of a leaf search at once: what they look at, and that is much the same, is read once
//   remove:  swap the record behind the others of its leaf, count it off up to the root; empty nodes are skipped
//
// In many dimensions the boxes skip little, and what remains is a scan that vectorises over the records of a leaf.
// The distance to a box adds the same columns in the same order as the distance to a record, and rounding is
// monotone: no record in a box is ever nearer than its box, to the last bit.
#include "kernels/neighbours/spatial_tree.h"

#include <algorithm>
#include <numeric>

#include "kernels/base/box.h"
#include "kernels/base/constants.h"
#include "kernels/base/multiversion.h"
#include "kernels/base/split.h"

namespace microagg {
namespace {

constexpr std::size_t kLeaf = SpatialTree::kLeaf;

// Distances of the records of one leaf to a point.
MICROAGG_MULTIVERSION
void scan_leaf(const double* columns, std::size_t m, const double* point, double* distances) {
    double sums[kLeaf] = {};
    for (std::size_t j = 0; j < m; ++j) {
        const double* column = columns + j * kLeaf;
        const double value = point[j];
        for (std::size_t p = 0; p < kLeaf; ++p) {
            const double gap = value - column[p];
            sums[p] += gap * gap;
        }
    }
    for (std::size_t p = 0; p < kLeaf; ++p) distances[p] = sums[p];
}

}  // namespace

struct SpatialTree::Query {
    const double* point;
    std::size_t self, other;
    FirstFew nearest;
};

SpatialTree::SpatialTree(Records records) : X(records), rows_(X.n), slots(X.n), leaves(X.n) {
    std::iota(rows_.begin(), rows_.end(), 0u);
    build(0, static_cast<std::uint32_t>(X.n), 0);
    for (std::uint32_t node = 0; node < nodes.size(); ++node) split(node);
    // Leaves begin at multiples of kLeaf, so that each is one block of columns.
    columns.assign((X.n + kLeaf - 1) / kLeaf * kLeaf * X.m, 0.0);
    for (std::uint32_t node = 0; node < nodes.size(); ++node) {
        if (nodes[node].left != 0) continue;
        leaf_nodes.push_back(node);
        for (std::uint32_t slot = nodes[node].begin; slot < nodes[node].end; ++slot) {
            const std::uint32_t row = rows_[slot];
            leaves[row] = node;
            slots[row] = slot;
            for (std::size_t j = 0; j < X.m; ++j) *value(slot, j) = X[row][j];
        }
    }
}

std::uint32_t SpatialTree::build(std::uint32_t begin, std::uint32_t end, std::uint32_t parent) {
    const std::size_t m = X.m;
    nodes.push_back({begin, end, 0, end - begin, parent});
    boxes.resize(nodes.size() * 2 * m);
    double* low = &boxes[(nodes.size() - 1) * 2 * m];
    enclose(X, rows_.data() + begin, rows_.data() + end, low, low + m);
    return static_cast<std::uint32_t>(nodes.size() - 1);
}

void SpatialTree::split(std::uint32_t node) {
    const std::uint32_t begin = nodes[node].begin, end = nodes[node].end;
    if (end - begin <= kLeaf) return;
    const std::size_t widest = widest_column(lower(node), upper(node), X.m);
    // The left part is filled with whole leaves, so that a scan wastes little.
    const auto blocks = static_cast<std::uint32_t>((end - begin + kLeaf - 1) / kLeaf);
    const std::uint32_t middle = begin + static_cast<std::uint32_t>(((blocks + 1) / 2) * kLeaf);
    divide(rows_.data() + begin, rows_.data() + middle, rows_.data() + end,
           [&](std::uint32_t row) { return X[row][widest]; });
    const std::uint32_t left = build(begin, middle, node);
    build(middle, end, node);
    nodes[node].left = left;
}

double SpatialTree::distance(std::uint32_t node, Box to) const {
    const double *low = lower(node), *high = upper(node);
    double sum = 0.0;
    for (std::size_t j = 0; j < X.m; ++j) {
        const double gap = std::max(std::max(low[j] - to.upper[j], to.lower[j] - high[j]), 0.0);
        sum += gap * gap;
    }
    return sum;
}

SpatialTree::Children SpatialTree::by_distance(const Node& node, Box to) const {
    const std::uint32_t left = node.left, right = node.left + 1;
    const double to_left = distance(left, to), to_right = distance(right, to);
    return to_right < to_left ? Children{right, left, to_right, to_left} : Children{left, right, to_left, to_right};
}

void SpatialTree::scan(const Node& leaf, Query& query) const {
    double distances[kLeaf];
    scan_leaf(&columns[leaf.begin * X.m], X.m, query.point, distances);
    for (std::uint32_t slot = leaf.begin; slot < leaf.begin + leaf.alive; ++slot) {
        const double distance = distances[slot - leaf.begin];
        if (distance > query.nearest.limit()) continue;
        const std::uint32_t row = rows_[slot];
        if (row != query.self && row != query.other) query.nearest.offer({distance, row});
    }
}

void SpatialTree::search(std::uint32_t index, Query& query) const {
    const Node& node = nodes[index];
    if (node.left == 0) {
        scan(node, query);
        return;
    }
    const auto [near, far, to_near, to_far] = by_distance(node, {query.point, query.point});
    if (nodes[near].alive > 0 && to_near <= query.nearest.limit()) search(near, query);
    if (nodes[far].alive > 0 && to_far <= query.nearest.limit()) search(far, query);
}

void SpatialTree::search_all(std::uint32_t index, std::uint32_t from, std::vector<Query>& queries) const {
    const Node& node = nodes[index];
    if (node.left == 0) {
        for (Query& query : queries) {
            if (distance(index, {query.point, query.point}) <= query.nearest.limit()) scan(node, query);
        }
        return;
    }
    const auto [near, far, to_near, to_far] = by_distance(node, {lower(from), upper(from)});
    const auto reaches = [&](double distance) {
        return std::any_of(queries.begin(), queries.end(),
                           [=](const Query& q) { return distance <= q.nearest.limit(); });
    };
    if (reaches(to_near)) search_all(near, from, queries);
    if (reaches(to_far)) search_all(far, from, queries);
}

std::vector<std::uint32_t> SpatialTree::nearest_of_leaf(std::size_t leaf, std::size_t count, Ranked* found) const {
    const Node& node = nodes[leaf_nodes[leaf]];
    const std::vector<std::uint32_t> asking(rows_.begin() + node.begin, rows_.begin() + node.end);
    std::vector<Query> queries;
    for (std::size_t i = 0; i < asking.size(); ++i) {
        queries.push_back({X[asking[i]], asking[i], kNowhere, FirstFew(found + i * count, count)});
    }
    search_all(0, leaf_nodes[leaf], queries);
    return asking;
}

Ranked SpatialTree::nearest_left(std::size_t row, std::size_t other) const {
    Ranked best;
    Query query{X[row], row, other, FirstFew(&best, 1)};
    if (nodes[0].alive > 0) search(0, query);
    return best;
}

std::int64_t SpatialTree::ties_at(const double* point, double distance, const std::int64_t* weights) const {
    std::int64_t sum = 0;
    return add_ties(0, point, distance, weights, sum) ? sum : 0;
}

// False as soon as a record is nearer.
bool SpatialTree::add_ties(std::uint32_t index, const double* point, double distance, const std::int64_t* weights,
                           std::int64_t& sum) const {
    const Node& node = nodes[index];
    if (node.left == 0) {
        double distances[kLeaf];
        scan_leaf(&columns[node.begin * X.m], X.m, point, distances);
        for (std::uint32_t slot = node.begin; slot < node.end; ++slot) {
            if (distances[slot - node.begin] < distance) return false;
            if (distances[slot - node.begin] == distance) sum += weights[rows_[slot]];
        }
        return true;
    }
    const auto [near, far, to_near, to_far] = by_distance(node, {point, point});
    if (to_near <= distance && !add_ties(near, point, distance, weights, sum)) return false;
    return to_far > distance || add_ties(far, point, distance, weights, sum);
}

void SpatialTree::remove(std::size_t row) {
    std::uint32_t node = leaves[row];
    const std::uint32_t slot = slots[row], last = nodes[node].begin + nodes[node].alive - 1;
    if (slot != last) {
        const std::uint32_t moved = rows_[last];
        for (std::size_t j = 0; j < X.m; ++j) std::swap(*value(slot, j), *value(last, j));
        std::swap(rows_[slot], rows_[last]);
        slots[moved] = slot;
        slots[row] = last;
    }
    while (true) {
        --nodes[node].alive;
        if (node == 0) break;
        node = nodes[node].parent;
    }
}

void SpatialTree::restore() {
    for (Node& node : nodes) node.alive = node.end - node.begin;
}

}  // namespace microagg
