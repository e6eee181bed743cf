// The nearest and the farthest of the remaining records, mostly known before they are asked for.
//
//   nearest, farthest(row):  what is known of row, as long as enough of it remains; else look ahead
//   look ahead(row):         the groups to come start from the outermost records: find out about row and about the
//                            outermost records of which too little is known, all in one walk through the tree
//
// What is found out is exact: the first so many by (distance, row). Records only ever leave, so those of them that
// remain are still the first. Answers therefore do not depend on how far we look ahead, nor on threads.
#include "kernels/remaining.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace microagg {
namespace {

// More than a group needs, since others will take some of them first.
std::size_t with_reserve(std::size_t nearest) { return nearest + nearest / 2 + 6; }
constexpr std::size_t kFarthest = 12;
constexpr std::size_t kHorizon = 256, kAhead = 64, kSpare = 2;
constexpr std::size_t kSample = 128;

}  // namespace

Remaining::Remaining(Records records, Wanted what)
    : X(records),
      wanted(what),
      count(X.n),
      present(X.n, 1),
      sums(X.m),
      shell(X, present),
      pool(wanted.threads),
      tree(std::make_unique<Tree>(X, rows(), pool)),
      slot(X.n, kNone) {
    for (std::size_t row = 0; row < X.n; ++row)
        for (std::size_t j = 0; j < X.m; ++j) sums[j].add(X[row][j]);
}

std::vector<std::size_t> Remaining::rows() const {
    std::vector<std::size_t> all;
    all.reserve(count);
    for (std::size_t row = 0; row < X.n; ++row)
        if (present[row]) all.push_back(row);
    return all;
}

void Remaining::remove(std::size_t row) {
    present[row] = 0;
    --count;
    tree->remove(row);
    for (std::size_t j = 0; j < X.m; ++j) sums[j].subtract(X[row][j]);
}

std::vector<double> Remaining::centroid() const {
    std::vector<double> mean(X.m);
    for (std::size_t j = 0; j < X.m; ++j) mean[j] = sums[j].round() / static_cast<double>(count);
    return mean;
}

Ranked Remaining::farthest(std::size_t row) {
    if (!answers(row, 0, 1)) look_ahead(row);
    return known(row)->farthest.front();
}

std::vector<Ranked> Remaining::nearest(std::size_t row, std::size_t size) {
    if (!answers(row, size, 0)) look_ahead(row);
    const std::vector<Ranked>& list = known(row)->nearest;
    return {list.begin(), list.begin() + static_cast<std::ptrdiff_t>(std::min(size, list.size()))};
}

Ranked Remaining::nearest_to_any(const std::vector<std::size_t>& rows) {
    std::vector<std::size_t> unknown;
    for (const std::size_t row : rows)
        if (!answers(row, 1, 0)) unknown.push_back(row);
    if (!unknown.empty()) {
        forget_gone(rows);
        find_out(unknown, false);
    }
    Ranked best{std::numeric_limits<double>::infinity(), std::numeric_limits<std::size_t>::max()};
    for (const std::size_t row : rows) best = std::min(best, known(row)->nearest.front());
    return best;
}

// Whether the list, without those that have left, still has `size` records or all there are.
bool Remaining::drop_gone(std::vector<Ranked>& list, bool all, std::size_t size) const {
    list.erase(std::remove_if(list.begin(), list.end(), [&](const Ranked& r) { return !present[r.row]; }), list.end());
    return all || list.size() >= size;
}

bool Remaining::answers(std::size_t row, std::size_t near, std::size_t far) {
    Known* here = known(row);
    return here != nullptr && drop_gone(here->nearest, here->all_near, near) &&
           drop_gone(here->farthest, here->all_far, far);
}

void Remaining::look_ahead(std::size_t row) {
    forget_gone({row});
    std::vector<std::size_t> asked{row};
    const auto ask = [&](std::size_t other) {
        if (std::find(asked.begin(), asked.end(), other) == asked.end()) asked.push_back(other);
    };
    std::size_t seen = 0;
    shell.outermost([&](std::size_t outer) {
        if (!answers(outer, wanted.nearest, wanted.farthest ? kSpare : 0)) {
            ask(outer);
        } else if (wanted.farthest) {
            const std::size_t opposite = known(outer)->farthest.front().row;
            if (!answers(opposite, wanted.nearest, 0)) ask(opposite);
        }
        return ++seen < kHorizon && asked.size() < kAhead;
    });
    find_out(asked, wanted.farthest);
}

void Remaining::find_out(const std::vector<std::size_t>& asked, bool with_far) {
    if (tree->size() < tree->built() - tree->built() / 4) tree = std::make_unique<Tree>(X, rows(), pool);
    const std::size_t near = with_reserve(wanted.nearest), far = with_far ? kFarthest : 0;
    std::vector<Question> questions(asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i)
        questions[i] = {asked[i], Shortlist(X, asked[i], near, 1.0), Shortlist(X, asked[i], far, -1.0)};
    std::vector<std::size_t> outermost;
    if (with_far) {
        shell.outermost([&](std::size_t row) {
            outermost.push_back(row);
            return outermost.size() < kSample;
        });
    }
    for (const std::size_t row : asked) {
        if (slot[row] != kNone) continue;
        slot[row] = static_cast<std::uint32_t>(knowledge.size());
        knowledge.push_back({row, {}, {}, false, false});
    }
    pool.run((asked.size() + kQueries - 1) / kQueries, [&](std::size_t piece) {
        const std::size_t first = piece * kQueries, last = std::min(first + kQueries, asked.size());
        for (std::size_t i = first; i < last; ++i) questions[i].farthest.limit_by(outermost);
        tree->ask(&questions[first], last - first);
        for (std::size_t i = first; i < last; ++i) {
            Known& here = *known(asked[i]);
            here.nearest = questions[i].nearest.settle();
            here.farthest = questions[i].farthest.settle();
            here.all_near = here.nearest.size() < near;
            here.all_far = here.farthest.size() < far;
        }
    });
}

void Remaining::forget_gone(const std::vector<std::size_t>& but) {
    if (knowledge.size() < crowded) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < knowledge.size(); ++i) {
        const std::size_t row = knowledge[i].row;
        if (present[row] || std::find(but.begin(), but.end(), row) != but.end()) {
            slot[row] = static_cast<std::uint32_t>(kept);
            if (kept != i) knowledge[kept] = std::move(knowledge[i]);
            ++kept;
        } else {
            slot[row] = kNone;
        }
    }
    knowledge.resize(kept);
    crowded = 2 * kept + 256;
}

}  // namespace microagg
