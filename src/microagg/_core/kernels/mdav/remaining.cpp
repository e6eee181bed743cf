// The nearest and the farthest of the remaining records, mostly known before they are asked for.
//
//   nearest, farthest(row):  what is known of row, as long as enough of it remains; else look ahead
//   look ahead(row):         play the next rounds with what is known: groups start from the outermost record and from
//                            the one farthest from it, and take their nearest; find out about row and about all
//                            records whose turn comes and of which too little is known, in one walk through the tree
//
// What is found out is exact: the first so many by (distance, row). Records only ever leave, so those of them that
// remain are still the first. Answers therefore do not depend on how far we look ahead, nor on threads.
#include "kernels/mdav/remaining.h"

#include <algorithm>
#include <utility>

#include "kernels/base/constants.h"

namespace microagg {
namespace {

// More than a group needs, since others will take some of them first.
std::size_t with_reserve(std::size_t nearest) { return nearest + nearest / 2 + 6; }
constexpr std::size_t kFarthest = 12, kFew = 6, kFewest = 4;
constexpr std::size_t kSpare = 2, kGroups = 64, kSample = 64;

// Questions that are asked together: two full walks through the tree for each thread. More than 512 are often asked in
// vain, as groups that come first take what was found out.
std::size_t most_ahead(std::size_t threads) { return std::clamp<std::size_t>(2 * kQueries * threads, 64, 512); }

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
      slot(X.n, kNobody),
      marked(X.n, kNothing) {
    pool.run(X.m, [&](std::size_t j, std::size_t) {
        for (std::size_t row = 0; row < X.n; ++row) sums[j].add(X[row][j]);
    });
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
    if (!answers(row, 0, 1)) look_ahead({row, 0, kFarthest});
    return known(row)->farthest.front();
}

void Remaining::prepare_farthest(const std::vector<std::size_t>& rows) {
    std::vector<Ask> unknown;
    for (const std::size_t row : rows)
        if (!answers(row, 0, 1)) unknown.push_back({row, 0, kFarthest});
    if (unknown.empty()) return;
    shell.farthest(centroid());  // brings the outermost records up to date, where the farthest will be found
    forget_gone(rows);
    find_out(unknown);
}

std::vector<Ranked> Remaining::nearest(std::size_t row, std::size_t size) {
    if (!answers(row, size, 0)) look_ahead({row, with_reserve(wanted.nearest), 0});
    const std::vector<Ranked>& list = known(row)->nearest;
    return {list.begin(), list.begin() + static_cast<std::ptrdiff_t>(std::min(size, list.size()))};
}

std::vector<Ranked> Remaining::nearest_of_each(const std::vector<std::size_t>& rows) {
    std::vector<Ask> unknown;
    for (const std::size_t row : rows)
        if (!answers(row, 1, 0)) unknown.push_back({row, kFew, 0});
    if (!unknown.empty()) {
        forget_gone(rows);
        find_out(unknown);
    }
    std::vector<Ranked> found;
    for (const std::size_t row : rows) found.push_back(known(row)->nearest.front());
    return found;
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

void Remaining::look_ahead(const Ask& first) {
    forget_gone({first.row});
    std::vector<Ask> asked;
    const auto ask = [&](const Ask& question) {
        asked.push_back(question);
        mark(question.row, kAsked);
    };
    ask(first);
    // Large groups soon take what is known of the others: then looking far ahead is wasted.
    const std::size_t most = most_ahead(pool.threads()), horizon = 4 * most;
    const std::size_t ahead = std::min(most, count / (kGroups * (wanted.nearest + 1)));
    const std::size_t near = with_reserve(wanted.nearest);
    std::size_t seen = 0;
    shell.outermost([&](std::size_t outer) {
        if (asked.size() >= ahead) return false;
        if (marked[outer]) return true;
        if (!answers(outer, wanted.nearest, wanted.farthest ? kSpare : 0)) {
            ask({outer, near, wanted.farthest ? kFarthest : 0});
        } else {
            foresee_group(outer);
            const std::size_t opposite = wanted.farthest ? foresee_opposite(outer) : outer;
            if (marked[opposite]) return ++seen < horizon;
            if (answers(opposite, wanted.nearest, 0)) {
                foresee_group(opposite);
            } else {
                ask({opposite, near, 0});
            }
        }
        return ++seen < horizon;
    });
    for (const std::size_t row : unmark) marked[row] = kNothing;
    unmark.clear();
    // Questions that walk through the same parts of the tree go together.
    std::stable_partition(asked.begin(), asked.end(), [](const Ask& question) { return question.farthest > 0; });
    find_out(asked);
}

void Remaining::mark(std::size_t row, Mark what) {
    marked[row] = what;
    unmark.push_back(row);
}

// Marks those that a group around this seed would take.
void Remaining::foresee_group(std::size_t seed) {
    mark(seed, kTaken);
    std::size_t left = wanted.nearest;
    for (const Ranked& near : known(seed)->nearest) {
        if (left == 0) return;
        if (marked[near.row] == kTaken) continue;
        mark(near.row, kTaken);
        --left;
    }
}

// The record farthest from this one that no group to come takes before, or else this one.
std::size_t Remaining::foresee_opposite(std::size_t seed) const {
    for (const Ranked& far : knowledge[slot[seed]].farthest)
        if (present[far.row] && marked[far.row] != kTaken) return far.row;
    return seed;
}

// No row may be asked about twice at a time: each is answered by one thread.
void Remaining::find_out(const std::vector<Ask>& asked) {
    if (tree->size() < tree->built() - tree->built() / 4) tree = std::make_unique<Tree>(X, rows(), pool);
    std::vector<Question> questions(asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i)
        questions[i] = {asked[i].row, Shortlist(X, asked[i].row, asked[i].nearest, 1.0),
                        Shortlist(X, asked[i].row, asked[i].farthest, -1.0)};
    std::vector<std::size_t> outermost;
    if (asked.front().farthest > 0) {
        shell.outermost([&](std::size_t row) {
            outermost.push_back(row);
            return outermost.size() < kSample;
        });
    }
    for (const Ask& ask : asked) {
        if (slot[ask.row] != kNobody) continue;
        slot[ask.row] = static_cast<std::uint32_t>(knowledge.size());
        knowledge.push_back({ask.row, {}, {}, false, false});
    }
    // Enough pieces for all threads, but not so small that walking through the tree outweighs the scans.
    const std::size_t share = (asked.size() + 2 * pool.threads() - 1) / (2 * pool.threads());
    const std::size_t each = std::min(kQueries, std::max(kFewest, share));
    pool.run((asked.size() + each - 1) / each, [&](std::size_t piece, std::size_t) {
        const std::size_t first = piece * each, last = std::min(first + each, asked.size());
        for (std::size_t i = first; i < last; ++i) questions[i].farthest.limit_by(outermost);
        tree->ask(&questions[first], last - first);
        for (std::size_t i = first; i < last; ++i) {
            Known& here = *known(asked[i].row);
            if (asked[i].nearest > 0) {
                here.nearest = questions[i].nearest.settle();
                here.all_near = here.nearest.size() < asked[i].nearest;
            }
            if (asked[i].farthest > 0) {
                here.farthest = questions[i].farthest.settle();
                here.all_far = here.farthest.size() < asked[i].farthest;
            }
        }
    });
}

void Remaining::forget_gone(const std::vector<std::size_t>& but) {
    if (knowledge.size() < crowded) return;
    for (const std::size_t row : but) marked[row] = kAsked;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < knowledge.size(); ++i) {
        const std::size_t row = knowledge[i].row;
        if (present[row] || marked[row]) {
            slot[row] = static_cast<std::uint32_t>(kept);
            if (kept != i) knowledge[kept] = std::move(knowledge[i]);
            ++kept;
        } else {
            slot[row] = kNobody;
        }
    }
    for (const std::size_t row : but) marked[row] = kNothing;
    knowledge.resize(kept);
    crowded = 2 * kept + 256;
}

}  // namespace microagg
