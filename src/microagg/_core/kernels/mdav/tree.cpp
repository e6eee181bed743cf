// Blocks of 64 neighbouring records under a tree of boxes.
//
//   build:  split the records at the median of the widest column until 64 are left; a leaf keeps its records in
//           single precision, seen from its centre, column by column
//   ask:    for 16 questions together
//       first the leaf where each record lives and the leaf that lies farthest, so that the limits are tight soon
//       then from the root: drop the questions to which nothing in this box can be an answer; none left: turn back
//       leaf: scan it for each question left; offer what passes the limit, give or take the error of the scan
//
// The error. A leaf's records x and the point q, seen from its centre and scaled, are rounded to single precision, u =
// 2^-24: |x^ - x| <= u|x|. The scan sums |x|^2 - 2 x.q in m steps of at most two roundings each, and no partial sum
// exceeds (|x| + |q|)^2. With the rounding of the norms and of the limit, everything stays below
// (2m + 16) u (|x| + |q|)^2, that is (4m + 32) u (|x|^2 + |q|^2), and 1e-35 covers what is too small for single
// precision. The bounds of boxes are taken in double precision in the same order as squared_distance; their margins
// cover a fused multiply-add.
//
// Columns wider than 2^400, or all narrower than 2^-400, would leave the range of squares: then nothing is filtered and
// every distance is measured.
#include "kernels/mdav/tree.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/base/box.h"
#include "kernels/base/constants.h"
#include "kernels/base/split.h"

namespace microagg {
namespace {

constexpr double kFarOff = 1e30;
constexpr double kBoxMargin = 1.0 / (std::uint64_t{1} << 40), kBoxLeast = 1e-290;

std::size_t leaves_for(std::size_t records) { return (records + kLanes - 1) / kLanes; }

double surely_at_least(double bound) {
    return bound > 0.0 ? std::max(0.0, bound * (1.0 - kBoxMargin) - kBoxLeast) : bound;
}
double surely_at_most(double bound) { return bound > 0.0 ? bound * (1.0 + kBoxMargin) + kBoxLeast : bound; }

}  // namespace

// What one call of ask needs beside the tree.
struct Tree::Visit {
    Question* questions;
    std::size_t count;
    std::vector<double> points;  // m rows of kQueries
    std::vector<float> local;    // likewise, seen from a leaf
    double norms[kQueries], least[kQueries], greatest[kQueries];
    std::size_t seen[kQueries][2];  // leaves that a question has been to
    float values[kLanes];
};

Tree::Tree(Records records, const std::vector<std::size_t>& rows, Pool& pool)
    : X(records), scan(choose_scan()), order(rows.begin(), rows.end()), position(X.n, kNobody) {
    const std::size_t leaves = leaves_for(order.size());
    nodes.resize(2 * leaves - 1);
    boxes.resize(nodes.size() * 2 * X.m);
    centres.resize(leaves * X.m);
    norms.resize(leaves);
    blocks.resize(leaves * (X.m + 1) * kLanes);

    nodes[0] = {0, leaves, 0, 0, false};
    bound(0);
    measure_scale();
    // Level by level while nodes are few, so that threads share the work of a level; then each takes whole branches.
    std::vector<std::size_t> open{0};
    while (open.size() < 4 * pool.threads() && nodes[open.front()].leaves > 1) {  // the first one has the fewest
        std::vector<std::size_t> below(2 * open.size());
        pool.run(open.size(), [&](std::size_t piece, std::size_t) {
            cut(open[piece]);
            below[2 * piece] = left(open[piece]);
            below[2 * piece + 1] = right(open[piece]);
        });
        open.swap(below);
    }
    pool.run(open.size(), [&](std::size_t piece, std::size_t) { split(open[piece]); });
    sum_up(0);
}

void Tree::measure_scale() {
    double widest = 0.0;
    for (std::size_t j = 0; j < X.m; ++j) widest = std::max(widest, upper(0)[j] - lower(0)[j]);
    const double most = std::ldexp(1.0, 400);
    if (widest == 0.0) {
        scale = 1.0;
    } else if (widest < most && widest > 1.0 / most) {
        scale = std::ldexp(1.0, -std::ilogb(widest));
    }
}

// Halves a node that has more than one leaf.
void Tree::cut(std::size_t node) {
    const std::size_t leaves = nodes[node].leaves, first_leaf = nodes[node].first_leaf;
    const std::size_t widest = widest_column(lower(node), upper(node), X.m);
    const std::size_t begin = first_leaf * kLanes, end = std::min(begin + leaves * kLanes, order.size());
    divide(order.data() + begin, order.data() + begin + leaves / 2 * kLanes, order.data() + end,
           [&](std::uint32_t row) { return X[row][widest]; });
    nodes[left(node)] = {first_leaf, leaves / 2, 0, 0, false};
    nodes[right(node)] = {first_leaf + leaves / 2, leaves - leaves / 2, 0, 0, false};
    bound(left(node));
    bound(right(node));
}

// Halves a node, its halves and so on, down to the leaves.
void Tree::split(std::size_t node) {
    if (nodes[node].leaves == 1) {
        fill(node);
        return;
    }
    cut(node);
    split(left(node));
    split(right(node));
}

void Tree::bound(std::size_t node) {
    const std::size_t begin = nodes[node].first_leaf * kLanes;
    const std::size_t end = std::min(begin + nodes[node].leaves * kLanes, order.size());
    double* least = &boxes[node * 2 * X.m];
    enclose(X, order.data() + begin, order.data() + end, least, least + X.m);
    nodes[node].is_point = std::equal(least, least + X.m, least + X.m);
}

void Tree::fill(std::size_t node) {
    const std::size_t leaf = nodes[node].first_leaf, begin = leaf * kLanes;
    const std::size_t size = std::min(kLanes, order.size() - begin);
    double* centre = &centres[leaf * X.m];
    for (std::size_t j = 0; j < X.m; ++j) centre[j] = lower(node)[j] / 2 + upper(node)[j] / 2;
    float* rows = &blocks[leaf * (X.m + 1) * kLanes];  // the first one holds the norms
    std::fill(rows, rows + (X.m + 1) * kLanes, 0.0f);
    std::fill(rows + size, rows + kLanes, std::numeric_limits<float>::quiet_NaN());
    double greatest = 0.0;
    std::size_t lowest = kNowhere;
    for (std::size_t lane = 0; lane < size; ++lane) {
        const std::uint32_t row = order[begin + lane];
        position[row] = static_cast<std::uint32_t>(begin + lane);
        lowest = std::min<std::size_t>(lowest, row);
        if (scale == 0.0) continue;
        double norm = 0.0;
        for (std::size_t j = 0; j < X.m; ++j) {
            const auto seen = static_cast<float>((X[row][j] - centre[j]) * scale);
            rows[(j + 1) * kLanes + lane] = seen;
            norm += static_cast<double>(seen) * static_cast<double>(seen);
        }
        rows[lane] = static_cast<float>(norm);
        greatest = std::max(greatest, norm);
    }
    norms[leaf] = greatest;
    nodes[node].alive = size;
    nodes[node].lowest_row = lowest;
}

void Tree::sum_up(std::size_t node) {
    if (nodes[node].leaves == 1) return;
    sum_up(left(node));
    sum_up(right(node));
    nodes[node].alive = nodes[left(node)].alive + nodes[right(node)].alive;
    nodes[node].lowest_row = std::min(nodes[left(node)].lowest_row, nodes[right(node)].lowest_row);
}

void Tree::remove(std::size_t row) {
    const std::size_t leaf = position[row] / kLanes, lane = position[row] % kLanes;
    blocks[leaf * (X.m + 1) * kLanes + lane] = std::numeric_limits<float>::quiet_NaN();
    std::size_t node = 0;
    for (;; node = leaf < nodes[right(node)].first_leaf ? left(node) : right(node)) {
        --nodes[node].alive;
        if (nodes[node].leaves == 1) return;
    }
}

// The leaf where a record lives.
std::size_t Tree::home(std::size_t row) const { return position[row] == kNobody ? kNowhere : position[row] / kLanes; }

// A leaf that promises records far from this one.
std::size_t Tree::away(std::size_t row) const {
    std::size_t node = 0;
    while (nodes[node].leaves > 1) {
        double most = -1.0;
        std::size_t chosen = left(node);
        for (const std::size_t child : {left(node), right(node)}) {
            if (nodes[child].alive == 0) continue;
            double reach = 0.0;
            for (std::size_t j = 0; j < X.m; ++j) {
                const double side = std::max(upper(child)[j] - X[row][j], X[row][j] - lower(child)[j]);
                reach += side * side;
            }
            if (reach > most) {
                most = reach;
                chosen = child;
            }
        }
        node = chosen;
    }
    return nodes[node].first_leaf;
}

void Tree::ask(Question* questions, std::size_t count) const {
    Visit v{};
    v.questions = questions;
    v.count = count;
    v.points.assign(X.m * kQueries, 0.0);
    v.local.assign(X.m * kQueries, 0.0f);
    for (std::size_t q = 0; q < kQueries; ++q) {
        const double* x = X[questions[std::min(q, count - 1)].row];
        for (std::size_t j = 0; j < X.m; ++j) v.points[j * kQueries + q] = x[j];
        v.seen[q][0] = v.seen[q][1] = kNowhere;
    }
    for (std::size_t q = 0; q < count; ++q) {
        Question& question = questions[q];
        if (question.nearest.open()) {
            const std::size_t leaf = home(question.row);
            if (leaf != kNowhere) visit_leaf(v, leaf, 1u << q);
            v.seen[q][0] = leaf;
            question.nearest.shrink();
        }
        if (question.farthest.open()) {
            const std::size_t leaf = away(question.row);
            if (leaf != v.seen[q][0]) visit_leaf(v, leaf, 1u << q);
            v.seen[q][1] = leaf;
            question.farthest.shrink();
        }
    }
    visit(v, 0, (1u << count) - 1);
}

void Tree::visit(Visit& v, std::size_t node, std::uint32_t active) const {
    const Node& here = nodes[node];
    if (here.alive == 0) return;
    if (scale != 0.0) {
        scan.bounds(lower(node), upper(node), v.points.data(), X.m, v.least, v.greatest);
        for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
            const auto q = static_cast<std::size_t>(__builtin_ctz(rest));
            const Question& question = v.questions[q];
            double least = surely_at_least(v.least[q]), most = surely_at_most(v.greatest[q]);
            if (here.is_point) {  // exactly, so that of records that are equal only the lowest rows are looked at
                least = most = squared_distance(X[order[here.first_leaf * kLanes]], X[question.row], X.m);
            }
            const Ranked nearest{least, here.lowest_row}, farthest{-most, here.lowest_row};
            const bool near = question.nearest.open() && !(question.nearest.limit() < nearest);
            const bool far = question.farthest.open() && !(question.farthest.limit() < farthest);
            if (!near && !far) active &= ~(1u << q);
        }
        if (active == 0) return;
    }
    if (here.leaves == 1) {
        visit_leaf(v, here.first_leaf, active);
    } else {
        visit(v, left(node), active);
        visit(v, right(node), active);
    }
}

void Tree::visit_leaf(Visit& v, std::size_t leaf, std::uint32_t active) const {
    if (scale != 0.0) {
        scan.localise(&centres[leaf * X.m], scale, v.points.data(), X.m, v.local.data(), v.norms);
    }
    const double square = scale * scale, unscale = 1.0 / square;
    const double unit = 2.0 * static_cast<double>(2 * X.m + 16) / (1 << 24);
    for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
        const auto q = static_cast<std::size_t>(__builtin_ctz(rest));
        if (v.seen[q][0] == leaf || v.seen[q][1] == leaf) continue;
        Question& question = v.questions[q];
        Shortlist &nearest = question.nearest, &farthest = question.farthest;
        // A point that left before the tree was built can be too far off for single precision.
        const bool filters = scale != 0.0 && v.norms[q] < kFarOff;
        if (!filters)
            for (std::size_t j = 0; j < X.m; ++j) v.local[j * kQueries + q] = 0.0f;
        double error = kInfinity, norm = 0.0;
        float near = nearest.open() ? kFloatInfinity : -kFloatInfinity;
        float far = farthest.open() ? -kFloatInfinity : kFloatInfinity;
        if (filters) {
            norm = v.norms[q];
            error = unit * (norms[leaf] + norm) + 1e-35;
            if (nearest.open()) near = static_cast<float>(nearest.limit().distance * square + error - norm);
            if (farthest.open()) far = static_cast<float>(-farthest.limit().distance * square - error - norm);
        }
        std::uint64_t hits = scan.scan(block(leaf), &v.local[q], X.m, near, far, v.values);
        for (; hits != 0; hits &= hits - 1) {
            const auto lane = static_cast<std::size_t>(__builtin_ctzll(hits));
            const float value = v.values[lane];
            const std::size_t row = order[leaf * kLanes + lane];
            if (row == question.row) continue;
            double low = -kInfinity, high = kInfinity;
            if (filters) {
                low = (static_cast<double>(value) + norm - error) * unscale;
                high = (static_cast<double>(value) + norm + error) * unscale;
            }
            if (value < near) nearest.offer(low, high, row);
            if (value > far) farthest.offer(-high, -low, row);
        }
    }
}

}  // namespace microagg
