// MDAV in cells, whatever the columns hold.
//
//   of a tuple with 3k records or more, all but 2k are a group of their own
//   cut the tuples in halves until at most kCell are left; in each cell, on any thread, of the records that are left:
//       while there are 3k:  r = the one farthest from all of the cell on average;  s = the one farthest from r
//                            r with its k - 1 nearest is a group, then s with its k - 1 nearest
//       2k and more:         r with its k - 1 nearest;  the rest is a group
//   a cell with fewer than k records joins the one before it, or the one after it
//
// Distances are squares times the scale of their column, summed over columns: those that a search goes by.
#include "kernels/semantic/mixed_start.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "kernels/base/constants.h"
#include "kernels/base/pool.h"
#include "kernels/semantic/tuple_rows.h"

namespace microagg {
namespace {

constexpr std::size_t kCell = 4096;  // most tuples in a cell

class CellGroups {
  public:
    // Tuples at positions [first, last) of `rows`, of each of which so many records are to be grouped.
    CellGroups(const TupleRows& rows, std::size_t first, std::size_t last, const std::int64_t* counts, std::size_t k)
        : rows_(rows), first_(first), n_(last - first), k_(static_cast<std::int64_t>(k)), left_(counts, counts + n_) {
        for (const std::int64_t count : left_) n_left_ += count;
        reach_.resize(n_);
        by_reach_.resize(n_);
        // Every few tuples stand for all of them.
        std::vector<double> mean(n_, 0.0);
        const std::size_t step = std::max<std::size_t>(1, n_ / 32);
        for (std::size_t i = 0; i < n_; i += step) {
            measure(i);
            for (std::size_t j = 0; j < n_; ++j) mean[j] += reach_[j];
        }
        outermost_.resize(n_);
        std::iota(outermost_.begin(), outermost_.end(), std::size_t{0});
        std::stable_sort(outermost_.begin(), outermost_.end(),
                         [&](std::size_t a, std::size_t b) { return mean[a] > mean[b]; });
    }

    // give(tuple, count, group) for each piece; gives the number of groups.
    template <class Give>
    std::uint32_t run(const Give& give) {
        std::uint32_t group = 0;
        while (n_left_ >= 3 * k_) {
            while (left_[outermost_[next_]] == 0) ++next_;
            measure(outermost_[next_]);
            std::size_t farthest = kNowhere;
            for (std::size_t i = 0; i < n_; ++i)
                if (left_[i] > 0 && (farthest == kNowhere || reach_[i] > reach_[farthest])) farthest = i;
            take_nearest(group++, give);
            if (left_[farthest] == 0) {  // all of it went with r: the cell's records are equal, or nearly so
                while (left_[outermost_[next_]] == 0) ++next_;
                farthest = outermost_[next_];
            }
            measure(farthest);
            take_nearest(group++, give);
        }
        if (n_left_ >= 2 * k_) {
            while (left_[outermost_[next_]] == 0) ++next_;
            measure(outermost_[next_]);
            take_nearest(group++, give);
        }
        for (std::size_t i = 0; i < n_; ++i)
            if (left_[i] > 0) give(i, left_[i], group);
        return n_left_ > 0 ? group + 1 : group;
    }

  private:
    void measure(std::size_t from) { rows_.measure(first_ + from, first_, first_ + n_, reach_.data()); }

    // The k records nearest to the one that was measured from, ties to the lower position.
    template <class Give>
    void take_nearest(std::uint32_t group, const Give& give) {
        by_reach_.clear();
        for (std::size_t i = 0; i < n_; ++i)
            if (left_[i] > 0) by_reach_.emplace_back(reach_[i], i);
        const std::size_t most = std::min(by_reach_.size(), static_cast<std::size_t>(k_));
        std::nth_element(by_reach_.begin(), by_reach_.begin() + static_cast<std::ptrdiff_t>(most) - 1, by_reach_.end());
        std::sort(by_reach_.begin(), by_reach_.begin() + static_cast<std::ptrdiff_t>(most));
        std::int64_t needed = k_;
        for (std::size_t t = 0; needed > 0; ++t) {
            const std::size_t i = by_reach_[t].second;
            const std::int64_t taken = std::min(needed, left_[i]);
            give(i, taken, group);
            left_[i] -= taken;
            needed -= taken;
        }
        n_left_ -= k_;
    }

    const TupleRows& rows_;
    std::size_t first_, n_;
    std::int64_t k_, n_left_ = 0;
    std::vector<std::int64_t> left_;
    std::vector<float> reach_;
    std::vector<std::pair<float, std::size_t>> by_reach_;
    std::vector<std::size_t> outermost_;
    std::size_t next_ = 0;
};

}  // namespace

void mixed_start(const Space& space, const std::vector<double>& scale, std::size_t k, std::size_t threads,
                 std::int64_t* labels, const Progress& progress) {
    const Weighing weighing{scale, false};
    const TupleTree tree(space, weighing, kCell, 0);
    const TupleRows rows(space, weighing, tree.order);
    const auto least = static_cast<std::int64_t>(k);
    std::vector<std::int64_t> counts(space.n);  // by position
    for (std::size_t p = 0; p < space.n; ++p) {
        const std::int64_t count = space.counts[tree.order[p]];
        counts[p] = count >= 3 * least ? 2 * least : count;
    }
    std::vector<std::pair<std::size_t, std::size_t>> cells;
    std::int64_t in_cell = 0;
    for (const auto& [begin, end] : tree.leaves) {
        if (cells.empty() || in_cell >= least) {
            cells.emplace_back(begin, end);
            in_cell = 0;
        }
        cells.back().second = end;
        for (std::size_t p = begin; p < end; ++p) in_cell += counts[p];
    }
    if (in_cell < least && cells.size() > 1) {
        cells[cells.size() - 2].second = cells.back().second;
        cells.pop_back();
    }
    struct Given {
        std::size_t position;
        std::int64_t count;
        std::uint32_t group;
    };
    std::vector<std::vector<Given>> given(cells.size());
    std::vector<std::uint32_t> n_groups(cells.size());
    std::atomic<std::size_t> n_done{0};
    Pool(threads).run(cells.size(), [&](std::size_t c, std::size_t thread) {
        const auto [begin, end] = cells[c];
        n_groups[c] = CellGroups(rows, begin, end, &counts[begin], k)
                          .run([&, from = begin](std::size_t i, std::int64_t count, std::uint32_t group) {
                              given[c].push_back({from + i, count, group});
                          });
        const std::size_t done = ++n_done;
        if (thread == 0) progress(static_cast<double>(done) / static_cast<double>(cells.size()));
    });
    std::vector<std::int64_t> next(space.n);  // the next record of each tuple
    std::int64_t at = 0, group = 0;
    for (std::size_t t = 0; t < space.n; ++t) {
        next[t] = at;
        at += space.counts[t];
    }
    for (std::size_t c = 0; c < cells.size(); ++c) {
        for (const Given& piece : given[c])
            for (std::int64_t i = 0; i < piece.count; ++i)
                labels[next[tree.order[piece.position]]++] = group + piece.group;
        group += n_groups[c];
    }
    for (std::size_t p = 0; p < space.n; ++p) {
        const std::size_t t = tree.order[p];
        const std::int64_t others = space.counts[t] - counts[p];
        for (std::int64_t i = 0; i < others; ++i) labels[next[t]++] = group;
        group += others > 0;
    }
}

}  // namespace microagg
