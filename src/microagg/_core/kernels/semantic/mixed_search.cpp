// Local search on the loss of categories and numbers alike.
//
// The loss of a group: in each column the squared distances of its records to its common value (mean, median, mode or
// semantic centroid), in units of the same sum over all records, times the column's weight; summed over columns. Joint:
// the squares of the weighted distances summed over columns first.
//
// A piece is the records of one tuple in one group. Round after round, for each tuple and each of its pieces, the best
// of these moves is made if it lowers the loss, leaves k records in every group, and breaks no promise:
//     move    the piece, or what its group can spare of it, to the group of a near tuple
//     swap    it with as many records of a piece of such a group
//     found   a group of the piece and, where it has fewer than k records, of near pieces that their groups can spare
//     close   the group: each of its pieces moves to the best group of a near tuple
// Tuples that no change has come near since their last turn are passed over.
#include "kernels/semantic/mixed_search.h"

#include <algorithm>
#include <optional>

#include "kernels/base/constants.h"
#include "kernels/semantic/mixed_loss.h"
#include "kernels/semantic/near_tuples.h"
#include "kernels/semantic/pieces.h"

namespace microagg {
namespace {

class MixedSearch {
  public:
    MixedSearch(const Space& of, const MixedOptions& with, const MixedLoss& measure,
                const std::vector<std::vector<std::size_t>>& near_ones)
        : space(of), options(with), loss(measure), near(near_ones), pieces_of(of.n), awake(of.n, true) {
        if (with.promises != nullptr) judge.emplace(*with.promises, nullptr);
    }

    void start(const std::int64_t* labels) {
        std::size_t at = 0;
        for (std::size_t t = 0; t < space.n; ++t)
            for (std::int64_t i = 0; i < space.counts[t]; ++i) {
                const auto g = static_cast<std::size_t>(labels[at++]);
                while (groups.size() <= g) groups.emplace_back();
                put(groups[g].pieces, t, 1);
            }
        for (std::size_t g = 0; g < groups.size(); ++g) refresh(g);
    }

    void run(const Progress& progress) {
        for (std::size_t round = 0; round < options.rounds; ++round) {
            bool better = false;
            for (std::size_t t = 0; t < space.n; ++t) {
                if (awake[t]) {
                    awake[t] = false;
                    better |= improve(t);
                }
                progress((static_cast<double>(round) + static_cast<double>(t + 1) / static_cast<double>(space.n)) /
                         static_cast<double>(options.rounds));
            }
            if (!better) break;
        }
    }

    void write(std::int64_t* labels) const { write_labels(groups, pieces_of, labels); }

  private:
    struct Group {
        Pieces pieces;
        std::int64_t size = 0;
        double loss = 0.0;
    };
    // What a move leaves of each group that it touches; `kFresh` stands for a new one.
    struct Change {
        std::size_t group;
        Pieces pieces;
    };
    struct Move {
        double gain = 0.0;
        std::vector<Change> changes;
    };
    static constexpr std::size_t kFresh = kNowhere;

    // Size, loss and the lists of pieces, after the pieces of a group have changed.
    void refresh(std::size_t g) {
        Group& group = groups[g];
        group.size = 0;
        for (const Piece& p : group.pieces) {
            group.size += p.count;
            auto& in = pieces_of[p.tuple];
            const auto at = std::lower_bound(in.begin(), in.end(), g);
            if (at == in.end() || *at != g) in.insert(at, g);
        }
        group.loss = loss(group.pieces);
    }

    void apply(const Move& move) {
        for (const Change& change : move.changes) {
            std::size_t g = change.group;
            if (g == kFresh) {
                g = groups.size();
                groups.emplace_back();
            }
            for (const Piece& p : groups[g].pieces) {
                auto& in = pieces_of[p.tuple];
                in.erase(std::remove(in.begin(), in.end(), g), in.end());
                wake(p.tuple);
            }
            groups[g].pieces = change.pieces;
            refresh(g);
            for (const Piece& p : change.pieces) wake(p.tuple);
        }
    }
    void wake(std::size_t tuple) {
        for (const std::size_t t : near[tuple]) awake[t] = true;
    }

    // Groups in which a tuple or its neighbours are, but one; nearest first.
    std::vector<std::size_t> places(std::size_t tuple, std::size_t but) const {
        std::vector<std::size_t> found;
        for (const std::size_t u : near[tuple])
            for (const std::size_t g : pieces_of[u])
                if (g != but && std::find(found.begin(), found.end(), g) == found.end()) {
                    found.push_back(g);
                    if (found.size() == 2 * options.neighbours) return found;
                }
        return found;
    }

    void consider(Move& best, std::vector<Change> changes) const {
        double gain = 0.0, scale = 0.0;
        for (const Change& change : changes) {
            if (change.group != kFresh) gain += groups[change.group].loss;
        }
        scale = gain;
        for (const Change& change : changes) {
            gain -= loss(change.pieces);
            if (gain <= best.gain) return;
        }
        if (gain > best.gain && gain > 1e-12 * scale && keep_promises(changes)) best = {gain, std::move(changes)};
    }

    bool keep_promises(const std::vector<Change>& changes) const {
        if (!judge) return true;
        for (const Change& change : changes)
            if (!change.pieces.empty() && !judge->keeps_pieces(change.pieces)) return false;
        return true;
    }

    bool improve(std::size_t tuple) {
        bool better = false;
        const std::vector<std::size_t> at = pieces_of[tuple];
        for (const std::size_t a : at) {
            const std::int64_t count = count_in(groups[a].pieces, tuple);
            if (count == 0) continue;
            Move best;
            try_moves(best, tuple, count, a);
            try_founding(best, tuple, count, a);
            try_closing(best, a);
            if (best.gain > 0.0) {
                apply(best);
                better = true;
            }
        }
        return better;
    }

    void try_moves(Move& best, std::size_t tuple, std::int64_t count, std::size_t a) const {
        const Group& from = groups[a];
        if (from.pieces.size() == 1 && from.loss == 0.0 && count >= options.k) return;
        const std::int64_t spare = from.size - options.k;
        const std::int64_t moved = count == from.size || count <= spare ? count : spare;
        for (const std::size_t b : places(tuple, a)) {
            if (moved > 0) {
                Pieces left = from.pieces, joined = groups[b].pieces;
                take(left, tuple, moved);
                put(joined, tuple, moved);
                consider(best, {{a, std::move(left)}, {b, std::move(joined)}});
            }
            for (const Piece& other : groups[b].pieces) {
                if (other.tuple == tuple) continue;
                const std::int64_t swapped = std::min(count, other.count);
                Pieces left = from.pieces, joined = groups[b].pieces;
                take(left, tuple, swapped);
                put(left, other.tuple, swapped);
                take(joined, other.tuple, swapped);
                put(joined, tuple, swapped);
                consider(best, {{a, std::move(left)}, {b, std::move(joined)}});
            }
        }
    }

    void try_founding(Move& best, std::size_t tuple, std::int64_t count, std::size_t a) const {
        const Group& from = groups[a];
        if (from.size - count < options.k) return;
        std::vector<Change> changes{{kFresh, {{tuple, count}}}, {a, from.pieces}};
        take(changes[1].pieces, tuple, count);
        std::vector<std::int64_t> sizes{0, from.size - count};
        std::int64_t needed = options.k - count;
        for (std::size_t i = 0; i < near[tuple].size() && needed > 0; ++i) {
            const std::size_t u = near[tuple][i];
            for (const std::size_t g : pieces_of[u]) {
                if (needed <= 0) break;
                std::size_t c = 1;
                while (c < changes.size() && changes[c].group != g) ++c;
                const std::int64_t size = c < changes.size() ? sizes[c] : groups[g].size;
                const std::int64_t available = count_in(c < changes.size() ? changes[c].pieces : groups[g].pieces, u);
                const std::int64_t given = std::min({needed, available, size - options.k});
                if (given <= 0) continue;
                if (c == changes.size()) {
                    changes.push_back({g, groups[g].pieces});
                    sizes.push_back(size);
                }
                take(changes[c].pieces, u, given);
                sizes[c] -= given;
                put(changes[0].pieces, u, given);
                needed -= given;
            }
        }
        if (needed <= 0) consider(best, std::move(changes));
    }

    void try_closing(Move& best, std::size_t a) const {
        const Group& from = groups[a];
        if (from.size >= 2 * options.k || from.pieces.size() < 2) return;
        std::vector<Change> changes{{a, {}}};
        double lost = 0.0;
        for (const Piece& p : from.pieces) {
            double least_rise = kInfinity;
            std::size_t chosen = kFresh;
            Pieces with;
            for (const std::size_t b : places(p.tuple, a)) {
                const Pieces* now = &groups[b].pieces;
                for (const Change& change : changes)
                    if (change.group == b) now = &change.pieces;
                Pieces joined = *now;
                put(joined, p.tuple, p.count);
                const double rise = loss(joined) - (now == &groups[b].pieces ? groups[b].loss : loss(*now));
                if (rise < least_rise) least_rise = rise, chosen = b, with = std::move(joined);
            }
            lost += least_rise;
            if (chosen == kFresh || lost >= from.loss) return;
            bool known = false;
            for (Change& change : changes)
                if (change.group == chosen) change.pieces = with, known = true;
            if (!known) changes.push_back({chosen, std::move(with)});
        }
        consider(best, std::move(changes));
    }

    const Space& space;
    const MixedOptions& options;
    const MixedLoss& loss;
    const std::vector<std::vector<std::size_t>>& near;  // itself first
    std::vector<std::vector<std::size_t>> pieces_of;    // groups that hold a tuple, ascending
    std::vector<Group> groups;
    std::vector<bool> awake;
    mutable std::optional<Judge> judge;
};

}  // namespace

void mixed_search(const Space& space, const MixedOptions& options, const double* weights, const bool* means,
                  std::int64_t* labels, const Progress& progress) {
    const MixedLoss loss(space, weights, means, options.joint);
    const auto near =
        near_tuples(space, loss.scales(), options.joint, options.neighbours, options.exhaustive, options.threads);
    MixedSearch search(space, options, loss, near);
    search.start(labels);
    search.run(progress);
    search.write(labels);
}

}  // namespace microagg
