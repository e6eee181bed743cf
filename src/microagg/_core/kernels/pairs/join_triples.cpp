// From each triple, the shortest path (Dijkstra) to where one record of it pays:
//
//   a leaves a triple; it takes the place of b beside c, so b has no place; b takes the place of d beside e; ...
//   until somebody joins a pair, or a triple, which becomes two pairs then
//
// In prices, a step from a to b is as long as the pair of a and c costs more than both pay, less what that of b and c
// does; about zero or more, as prices are the best ones. What a path changes is counted from the records before it is
// made.
#include "kernels/pairs/join_triples.h"

#include <algorithm>
#include <queue>

namespace microagg {
namespace {

constexpr std::size_t kMostSteps = 400;  // that a search looks at
constexpr std::size_t kMostRounds = 10;
constexpr std::size_t kLook = 1 << 14;  // packs between looks at the watch
constexpr double kLeastGain = 1e-12;    // relative to what the path touches

class Search {
  public:
    Search(const Edges& edges, const std::vector<double>& prices, Packs& packs)
        : edges_(edges),
          prices_(prices),
          packs_(packs),
          reached_(prices.size(), 0),
          lengths_(prices.size()),
          changes_(prices.size()),
          before_(prices.size()) {}

    // Makes the best path from a triple, if it pays.
    bool improve(std::uint32_t triple, double most_excess) {
        ++turn_;
        queue_ = {};
        best_ = 0.0;
        last_ = kNobody;
        const auto& three = packs_.members(triple);
        for (std::size_t t = 0; t < 3; ++t)
            reach(three[t], kNobody, packs_.error(three[(t + 1) % 3], three[(t + 2) % 3]) - packs_.error(triple), 0.0);
        for (std::size_t looked = 0; looked < kMostSteps && !queue_.empty(); ++looked) {
            const auto [length, record] = queue_.top();
            queue_.pop();
            if (length - most_excess >= best_) break;
            if (length == lengths_[record]) look_around(record, triple);
        }
        return last_ != kNobody && make();
    }

  private:
    struct Waiting {
        double length;
        std::uint32_t record;
        bool operator>(const Waiting& other) const {
            return length != other.length ? length > other.length : record > other.record;
        }
    };

    double slack(std::uint32_t a, std::uint32_t b, double cost) const { return cost - prices_[a] - prices_[b]; }

    // `record` has no place after a change of `change`; the length of the path is at least that of the one before.
    void reach(std::uint32_t record, std::uint32_t from, double change, double least) {
        const double length = from == kNobody ? change + prices_[record] : least;
        if (reached_[record] == turn_ && lengths_[record] <= length) return;
        if (from != kNobody && is_on_path(packs_.of(record), from)) return;
        reached_[record] = turn_;
        lengths_[record] = length;
        changes_[record] = change;
        before_[record] = from;
        queue_.push({length, record});
    }

    bool is_on_path(std::uint32_t pack, std::uint32_t record) const {
        for (; record != kNobody; record = before_[record])
            if (packs_.of(record) == pack) return true;
        return false;
    }

    void look_around(std::uint32_t record, std::uint32_t triple) {
        for (std::size_t e = edges_.starts[record]; e + 1 < edges_.starts[record + std::size_t{1}]; ++e) {
            const std::uint32_t other = edges_.to[e], pack = packs_.of(other);
            if (pack == triple) continue;
            if (packs_.is_triple(pack)) {
                end_at(record, pack);
                continue;
            }
            const std::uint32_t mate = packs_.mate(other);
            const double cost = edges_.cost(e), pair = packs_.pair_error(pack);
            const double loose = slack(other, mate, pair), length = lengths_[record];
            // As if the third side cost what both pay.
            const double third = (2.0 / 3.0) * (cost + pair + prices_[record] + prices_[mate]) - pair;
            if (changes_[record] + third < best_ && !is_on_path(pack, record)) end_at(record, pack);
            reach(mate, record, changes_[record] + cost - pair,
                  length + std::max(0.0, slack(record, other, cost) - loose));
        }
    }

    void end_at(std::uint32_t record, std::uint32_t pack) {
        const double change = changes_[record] + packs_.cost_to_join(record, pack);
        if (change >= best_) return;
        best_ = change;
        last_ = record;
        end_ = pack;
    }

    bool make() {
        path_.clear();
        for (std::uint32_t record = last_; record != kNobody; record = before_[record]) path_.push_back(record);
        std::reverse(path_.begin(), path_.end());
        const auto& three = packs_.members(packs_.of(path_[0]));
        const std::size_t t = static_cast<std::size_t>(std::find(three.begin(), three.end(), path_[0]) - three.begin());
        double before = packs_.error(packs_.of(path_[0])) + packs_.error(end_);
        double after = packs_.error(three[(t + 1) % 3], three[(t + 2) % 3]) + packs_.error(end_) +
                       packs_.cost_to_join(last_, end_);
        for (std::size_t s = 1; s < path_.size(); ++s) {
            before += packs_.error(packs_.of(path_[s]));
            after += packs_.error(path_[s - 1], packs_.mate(path_[s]));
        }
        if (after >= before * (1.0 - kLeastGain)) return false;
        packs_.leave(path_[0]);
        for (std::size_t s = 1; s < path_.size(); ++s) packs_.take_place(path_[s - 1], path_[s]);
        packs_.join(last_, end_);
        return true;
    }

    const Edges& edges_;
    const std::vector<double>& prices_;
    Packs& packs_;
    std::uint32_t turn_ = 0;
    std::vector<std::uint32_t> reached_;     // of each record: the turn in which it was last reached
    std::vector<double> lengths_, changes_;  // of the path to it, and of the squared errors
    std::vector<std::uint32_t> before_, path_;
    std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> queue_;
    double best_ = 0.0;
    std::uint32_t last_ = kNobody, end_ = kNobody;
};

}  // namespace

void join_triples(const Edges& edges, const std::vector<double>& prices, const Watch& watch, const Progress& reached,
                  Packs& packs) {
    double most_excess = 0.0;
    for (std::uint32_t pack = 0; pack < packs.count(); ++pack) {
        if (!packs.is_triple(pack)) continue;
        const auto& [a, b, c] = packs.members(pack);
        most_excess = std::max(most_excess, packs.error(pack) - prices[a] - prices[b] - prices[c]);
    }
    Search search(edges, prices, packs);
    for (std::size_t round = 0; round < kMostRounds; ++round) {
        std::size_t made = 0;
        for (std::uint32_t pack = 0; pack < packs.count() && !watch.stopped(); ++pack) {
            if (pack % kLook == 0) reached(static_cast<double>(pack) / static_cast<double>(packs.count()));
            if (packs.is_triple(pack) && search.improve(pack, most_excess)) ++made;
        }
        if (made == 0) return;
    }
}

}  // namespace microagg
