// The nearest of points that move.
//
//   points lie in blocks of kLane, neighbours together: median cuts of the widest column
//   over kLane blocks lies a node of kLane boxes, over kLane nodes another one, up to a single root
//   nearest(x):  visit the root
//   visit(node): bound[i] = least squared distance of x to box i, for all i at once
//                visit the child of the least bound, then each whose bound is not above the farthest found so far
//   put(point):  a point that moves widens the boxes it is in; after as many moves as points, all is built anew
//
// Distances of a block are computed side by side, each with its columns in order, and are the same at every vector
// width. So are bounds, and as rounding keeps the order of numbers, no bound is above the distance of a point in its
// box, to the last bit: looking under boxes finds exactly what looking at all points finds.
// In many dimensions boxes overlap, and few are passed over; `kAuto` counts, and then looks at all points.
#include "kernels/neighbours/centroids.h"

#include <algorithm>
#include <numeric>

#include "kernels/base/box.h"
#include "kernels/base/constants.h"
#include "kernels/base/multiversion.h"
#include "kernels/base/split.h"

namespace microagg {

namespace {

constexpr std::size_t kLane = Centroids::kLane;
constexpr std::size_t kFew = 8 * kLane;      // points that are looked at without boxes
constexpr std::size_t kWorthBuilding = 256;  // questions
constexpr std::size_t kTrial = 64;           // questions after which boxes must have paid
constexpr double kWorthIt = 0.75;            // of the blocks visited, at most

// The least of kLane numbers.
inline double least_of(const double* numbers) {
    double least[kLane];
    std::copy_n(numbers, kLane, least);
    for (std::size_t half = kLane / 2; half > 0; half /= 2) {
        for (std::size_t lane = 0; lane < half; ++lane) {
            least[lane] = least[lane + half] < least[lane] ? least[lane + half] : least[lane];
        }
    }
    return least[0];
}

// The weighted squared distances of a record to the points of a block, and the least of them.
MICROAGG_MULTIVERSION
double measure(const double* block, const double* weights, const double* record, std::size_t m, double* distances) {
    double sums[kLane] = {};
    for (std::size_t j = 0; j < m; ++j) {
        const double* column = block + j * kLane;
        for (std::size_t lane = 0; lane < kLane; ++lane) {
            const double gap = record[j] - column[lane];
            sums[lane] += gap * gap;
        }
    }
    for (std::size_t lane = 0; lane < kLane; ++lane) distances[lane] = sums[lane] * weights[lane];
    return least_of(distances);
}

// The same for the nearest points of the boxes of a node.
MICROAGG_MULTIVERSION
double measure_boxes(const double* boxes, const double* weights, const double* record, std::size_t m, double* bounds) {
    double sums[kLane] = {};
    for (std::size_t j = 0; j < m; ++j) {
        const double* lower = boxes + 2 * j * kLane;
        const double* upper = lower + kLane;
        for (std::size_t lane = 0; lane < kLane; ++lane) {
            const double below = lower[lane] - record[j], above = record[j] - upper[lane];
            double gap = below > above ? below : above;
            gap = gap > 0.0 ? gap : 0.0;
            sums[lane] += gap * gap;
        }
    }
    for (std::size_t lane = 0; lane < kLane; ++lane) bounds[lane] = sums[lane] * weights[lane];
    return least_of(bounds);
}

std::size_t blocks_of(std::size_t n) { return (n + kLane - 1) / kLane; }

}  // namespace

struct Centroids::Query {
    const double* record;
    FirstFew first;
    std::size_t visited = 0;
};

Centroids::Centroids(std::size_t n_columns, std::size_t questions, Search how)
    : m(n_columns), search(how == Search::kAuto && questions < kWorthBuilding ? Search::kScan : how) {}

void Centroids::put(std::size_t number, const double* point, double weight) {
    ++changes;
    if (number < size()) {
        write(slot_of[number], point, weight);
        if (!stale) widen(slot_of[number], point, weight);
        return;
    }
    slot_of.push_back(number);
    number_of.push_back(number);
    if (number % kLane == 0) {
        values.resize(values.size() + kLane * m, kInfinity);  // nobody is near an empty lane
        weights.resize(weights.size() + kLane, 1.0);
    }
    write(number, point, weight);
    if (stale || levels.empty()) return;
    if (blocks_of(size()) > levels[0].weights.size()) {
        stale = true;
    } else {
        widen(number, point, weight);
    }
}

void Centroids::write(std::size_t slot, const double* point, double weight) {
    for (std::size_t j = 0; j < m; ++j) *value(slot, j) = point[j];
    weights[slot] = weight;
}

void Centroids::widen(std::size_t slot, const double* point, double weight) {
    std::size_t box = slot / kLane;
    for (Level& level : levels) {
        level.n_boxes = std::max(level.n_boxes, box + 1);
        double* lower = &level.boxes[box / kLane * 2 * m * kLane + box % kLane];
        for (std::size_t j = 0; j < m; ++j, lower += 2 * kLane) {
            lower[0] = std::min(lower[0], point[j]);
            lower[kLane] = std::max(lower[kLane], point[j]);
        }
        level.weights[box] = std::min(level.weights[box], weight);
        box /= kLane;
    }
}

void Centroids::build() {
    const std::size_t n = size();
    stale = false;
    changes = asked = visited = 0;
    levels.clear();
    if (search == Search::kScan || (search == Search::kAuto && n <= kFew)) return;
    std::vector<double> points(n * m), weight_of(n);
    for (std::size_t number = 0; number < n; ++number) {
        for (std::size_t j = 0; j < m; ++j) points[number * m + j] = *value(slot_of[number], j);
        weight_of[number] = weights[slot_of[number]];
    }
    std::iota(number_of.begin(), number_of.end(), std::size_t{0});
    sort(number_of.data(), number_of.data() + n, {points.data(), n, m});
    std::size_t boxes = blocks_of(n);
    do {
        const std::size_t nodes = blocks_of(boxes);
        Level level{0, std::vector<double>(nodes * 2 * m * kLane), std::vector<double>(nodes * kLane, kInfinity)};
        for (std::size_t row = 0; row < nodes * m; ++row) {
            std::fill_n(&level.boxes[row * 2 * kLane], kLane, kInfinity);
            std::fill_n(&level.boxes[row * 2 * kLane + kLane], kLane, -kInfinity);
        }
        levels.push_back(std::move(level));
        boxes = nodes;
    } while (boxes > 1);
    for (std::size_t slot = 0; slot < n; ++slot) {
        const std::size_t number = number_of[slot];
        slot_of[number] = slot;
        write(slot, &points[number * m], weight_of[number]);
        widen(slot, &points[number * m], weight_of[number]);
    }
}

// Cuts where whole nodes end, as long as there are several: a power of two of blocks on the left.
void Centroids::sort(std::size_t* begin, std::size_t* end, Records points) const {
    const std::size_t blocks = blocks_of(static_cast<std::size_t>(end - begin));
    if (blocks <= 1) return;
    std::size_t left = 1;
    while (2 * left < blocks) left *= 2;
    std::vector<double> box(2 * m);
    enclose(points, begin, end, box.data(), box.data() + m);
    const std::size_t widest = widest_column(box.data(), box.data() + m, m);
    std::size_t* middle = begin + left * kLane;
    divide(begin, middle, end, [&](std::size_t number) { return points[number][widest]; });
    sort(begin, middle, points);
    sort(middle, end, points);
}

void Centroids::nearest(const double* record, std::size_t count, Ranked* found) {
    if (stale || (!levels.empty() && changes > size())) build();
    Query query{record, FirstFew(found, count)};
    if (levels.empty()) {
        for (std::size_t block = 0; block < blocks_of(size()); ++block) visit_block(query, block);
        return;
    }
    visit(query, levels.size(), 0);
    visited += query.visited;
    if (search == Search::kAuto && ++asked == kTrial &&
        static_cast<double>(visited) > kWorthIt * static_cast<double>(kTrial * blocks_of(size()))) {
        search = Search::kScan;
        stale = true;
    }
}

void Centroids::visit(Query& query, std::size_t level, std::size_t node) const {
    if (level == 0) {
        ++query.visited;
        visit_block(query, node);
        return;
    }
    const Level& here = levels[level - 1];
    double bounds[kLane];
    const double* boxes = &here.boxes[node * 2 * m * kLane];
    const double least = measure_boxes(boxes, &here.weights[node * kLane], query.record, m, bounds);
    const auto first = static_cast<std::size_t>(std::find(bounds, bounds + kLane, least) - bounds);
    const std::size_t children = std::min(kLane, here.n_boxes - node * kLane);
    if (first < children && bounds[first] <= query.first.limit()) visit(query, level - 1, node * kLane + first);
    for (std::size_t lane = 0; lane < children; ++lane) {
        if (lane != first && bounds[lane] <= query.first.limit()) visit(query, level - 1, node * kLane + lane);
    }
}

void Centroids::visit_block(Query& query, std::size_t block) const {
    double distances[kLane];
    const double least = measure(&values[block * kLane * m], &weights[block * kLane], query.record, m, distances);
    if (least > query.first.limit()) return;
    const std::size_t lanes = std::min(kLane, size() - block * kLane);
    for (std::size_t lane = 0; lane < lanes; ++lane)
        query.first.offer({distances[lane], number_of[block * kLane + lane]});
}

}  // namespace microagg
