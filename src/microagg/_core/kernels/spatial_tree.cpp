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
#include "kernels/spatial_tree.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace microagg {
namespace {

constexpr std::size_t kLeaf = SpatialTree::kLeaf;

// Distances of the records of one leaf to a point. Wider registers where the machine has them; nothing is fused,
// so that every version gives the same bits.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
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
    std::uint32_t self, other;
    std::size_t count, size;
    Found* found;

    double worst() const { return size < count ? std::numeric_limits<double>::infinity() : found[size - 1].distance; }
    void offer(Found candidate) {
        if (size == count && !(candidate < found[size - 1])) return;
        std::size_t at = size < count ? size++ : size - 1;
        for (; at > 0 && candidate < found[at - 1]; --at) found[at] = found[at - 1];
        found[at] = candidate;
    }
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
    double* high = low + m;
    std::fill(low, high, std::numeric_limits<double>::infinity());
    std::fill(high, high + m, -std::numeric_limits<double>::infinity());
    for (std::uint32_t slot = begin; slot < end; ++slot) {
        const double* x = X[rows_[slot]];
        for (std::size_t j = 0; j < m; ++j) {
            low[j] = std::min(low[j], x[j]);
            high[j] = std::max(high[j], x[j]);
        }
    }
    return static_cast<std::uint32_t>(nodes.size() - 1);
}

void SpatialTree::split(std::uint32_t node) {
    const std::uint32_t begin = nodes[node].begin, end = nodes[node].end;
    if (end - begin <= kLeaf) return;
    const double* low = &boxes[node * 2 * X.m];
    std::size_t widest = 0;
    for (std::size_t j = 1; j < X.m; ++j) {
        if (low[X.m + j] - low[j] > low[X.m + widest] - low[widest]) widest = j;
    }
    // The left part is filled with whole leaves, so that a scan wastes little.
    const auto blocks = static_cast<std::uint32_t>((end - begin + kLeaf - 1) / kLeaf);
    const std::uint32_t middle = begin + static_cast<std::uint32_t>(((blocks + 1) / 2) * kLeaf);
    std::nth_element(rows_.begin() + begin, rows_.begin() + middle, rows_.begin() + end,
                     [this, widest](std::uint32_t a, std::uint32_t b) {
                         const double left = X[a][widest], right = X[b][widest];
                         return left < right || (left == right && a < b);
                     });
    const std::uint32_t left = build(begin, middle, node);
    build(middle, end, node);
    nodes[node].left = left;
}

double SpatialTree::box_distance(std::uint32_t node, const double* point) const {
    const double* low = &boxes[node * 2 * X.m];
    const double* high = low + X.m;
    double sum = 0.0;
    for (std::size_t j = 0; j < X.m; ++j) {
        const double gap = std::max(std::max(low[j] - point[j], point[j] - high[j]), 0.0);
        sum += gap * gap;
    }
    return sum;
}

void SpatialTree::scan(const Node& leaf, Query& query) const {
    double distances[kLeaf];
    scan_leaf(&columns[leaf.begin * X.m], X.m, query.point, distances);
    for (std::uint32_t slot = leaf.begin; slot < leaf.begin + leaf.alive; ++slot) {
        const double distance = distances[slot - leaf.begin];
        if (distance > query.worst()) continue;
        const std::uint32_t row = rows_[slot];
        if (row != query.self && row != query.other) query.offer({distance, row});
    }
}

void SpatialTree::search(std::uint32_t index, Query& query) const {
    const Node& node = nodes[index];
    if (node.left == 0) {
        scan(node, query);
        return;
    }
    std::uint32_t near = node.left, far = node.left + 1;
    double to_near = box_distance(near, query.point), to_far = box_distance(far, query.point);
    if (to_far < to_near) {
        std::swap(near, far);
        std::swap(to_near, to_far);
    }
    if (nodes[near].alive > 0 && to_near <= query.worst()) search(near, query);
    if (nodes[far].alive > 0 && to_far <= query.worst()) search(far, query);
}

double SpatialTree::box_distance(std::uint32_t a, std::uint32_t b) const {
    const double *low = &boxes[a * 2 * X.m], *high = low + X.m;
    const double *other_low = &boxes[b * 2 * X.m], *other_high = other_low + X.m;
    double sum = 0.0;
    for (std::size_t j = 0; j < X.m; ++j) {
        const double gap = std::max(std::max(low[j] - other_high[j], other_low[j] - high[j]), 0.0);
        sum += gap * gap;
    }
    return sum;
}

void SpatialTree::search_all(std::uint32_t index, std::uint32_t from, std::vector<Query>& queries) const {
    const Node& node = nodes[index];
    if (node.left == 0) {
        for (Query& query : queries) {
            if (box_distance(index, query.point) <= query.worst()) scan(node, query);
        }
        return;
    }
    std::uint32_t near = node.left, far = node.left + 1;
    double to_near = box_distance(near, from), to_far = box_distance(far, from);
    if (to_far < to_near) {
        std::swap(near, far);
        std::swap(to_near, to_far);
    }
    const auto reaches = [&](double distance) {
        return std::any_of(queries.begin(), queries.end(), [=](const Query& q) { return distance <= q.worst(); });
    };
    if (reaches(to_near)) search_all(near, from, queries);
    if (reaches(to_far)) search_all(far, from, queries);
}

std::vector<std::uint32_t> SpatialTree::nearest_of_leaf(std::size_t leaf, std::size_t count, Found* found) const {
    const Node& node = nodes[leaf_nodes[leaf]];
    const std::vector<std::uint32_t> asking(rows_.begin() + node.begin, rows_.begin() + node.end);
    std::vector<Query> queries;
    for (std::size_t i = 0; i < asking.size(); ++i) {
        queries.push_back({X[asking[i]], asking[i], kNobody, count, 0, found + i * count});
    }
    search_all(0, leaf_nodes[leaf], queries);
    return asking;
}

SpatialTree::Found SpatialTree::nearest_left(std::size_t row, std::uint32_t other) const {
    Found best{std::numeric_limits<double>::infinity(), kNobody};
    Query query{X[row], static_cast<std::uint32_t>(row), other, 1, 0, &best};
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
    std::uint32_t near = node.left, far = node.left + 1;
    double to_near = box_distance(near, point), to_far = box_distance(far, point);
    if (to_far < to_near) {
        std::swap(near, far);
        std::swap(to_near, to_far);
    }
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
