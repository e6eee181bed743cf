// Tuples move, and groups are founded and closed, where that lowers the loss.
//
// A piece is the records of one tuple in one group. In a round each tuple has its turn, many tuples, far apart, at
// once:
//     every piece of every such tuple, on any thread:  the best of
//         move    the piece, or what its group can spare of it, to the group of a near tuple
//         found   a group of it and, where it has fewer than k records, of near pieces that their groups can spare
//         close   its group, where it is the first piece: each of its pieces moves to the best group of a near tuple
//     the best first, these are done, if no other has changed their groups; else the tuple has its turn again
// Tuples that no change has come near since their last turn are passed over.
//
// Nothing changes while changes are looked for, so that it does not matter who looks for which. That a piece joins a
// group costs, in numbers, size * count / (size + count) times its squared distance to the mean, and count for each
// value that is not that of most records; less only by what the group loses since its medians are no means, and in
// tables. Where that is too much already, the loss is not computed.
#include "kernels/semantic/mixed_regroup.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/base/constants.h"
#include "kernels/base/pool.h"
#include "kernels/semantic/pieces.h"

namespace microagg {
namespace {

constexpr std::size_t kShare = 4;         // of groups, one in so many has a tuple whose turn it is
constexpr std::size_t kLeast = 32;        // tuples whose turn it is, at least
constexpr std::size_t kPiece = 32;        // tuples that a thread takes at a time
constexpr std::size_t kAgain = 16;        // how often tuples have their turn again after the last, at most
constexpr std::size_t kFresh = kNowhere;  // stands for a group that is founded

class Regroup {
  public:
    Regroup(const Space& space, const Regrouping& plan, const MixedRows& rows,
            const std::vector<std::vector<std::size_t>>& near)
        : space_(space),
          plan_(plan),
          rows_(rows),
          near_(near),
          n_numbers_(rows.n_numbers),
          n_equalities_(rows.columns.equalities().size()),
          groups_of_(space.n),
          awake_(space.n, true),
          pool_(plan.threads) {
        for (std::size_t t = 0; t < plan.threads; ++t) {
            scouts_.push_back({PieceLoss(rows), {}, {}, {}});
            if (plan.promises != nullptr) scouts_.back().judge.emplace(*plan.promises, plan.promise_rows);
        }
    }

    void start(const std::int64_t* labels) {
        std::size_t at = 0;
        for (std::size_t t = 0; t < space_.n; ++t)
            for (std::int64_t i = 0; i < space_.counts[t]; ++i) {
                const auto g = static_cast<std::size_t>(labels[at++]);
                if (groups_.size() <= g) groups_.resize(g + 1);
                Pieces& pieces = groups_[g].pieces;
                if (pieces.empty() || pieces.back().tuple != t) {
                    pieces.push_back({t, 0});
                    put_group(t, g);
                }
                ++pieces.back().count;
            }
        for (std::size_t g = 0; g < groups_.size(); ++g) changed_.push_back(g);
        know_changed();
    }

    void run(const Progress& progress) {
        const std::size_t n_at_once = std::max(kLeast, groups_.size() / kShare);
        const std::size_t n_turns = (space_.n + n_at_once - 1) / n_at_once;
        for (std::size_t round = 0; round < plan_.rounds; ++round) {
            bool better = false;
            std::vector<std::size_t> again, tuples;
            for (std::size_t turn = 0; turn < n_turns + kAgain; ++turn) {
                tuples.swap(again);
                again.clear();
                for (std::size_t t = turn; turn < n_turns && t < space_.n; t += n_turns)
                    if (awake_[t]) tuples.push_back(t);
                if (tuples.empty() && turn >= n_turns) break;
                better |= take_turns(tuples, again);
                progress((static_cast<double>(round) +
                          static_cast<double>(std::min(turn + 1, n_turns)) / static_cast<double>(n_turns)) /
                         static_cast<double>(plan_.rounds));
            }
            if (!better) break;
        }
    }

    void write(std::int64_t* labels) const { write_labels(groups_, groups_of_, labels); }

  private:
    struct Group {
        Pieces pieces;
        std::int64_t size = 0;
        double loss = 0.0;
        double slack = 0.0;    // at least what it loses since medians are no means, and in tables
        bool changed = false;  // since the turn began
    };
    // What is left of a group, or becomes of it.
    struct Change {
        std::size_t group;
        Pieces pieces;
        std::int64_t size;
        double loss;
    };
    struct Move {
        double gain = 0.0;
        std::vector<Change> changes;
    };
    struct Mode {
        std::int32_t code;
        std::int64_t count;
    };
    // What one thread needs of its own.
    struct Scout {
        PieceLoss loss;
        std::optional<Judge> judge;
        Pieces pieces;
        std::vector<std::size_t> places;
    };

    // work(number, scout) for all numbers below count.
    template <class Work>
    void run_over(std::size_t count, const Work& work) {
        pool_.run((count + kPiece - 1) / kPiece, [&](std::size_t piece, std::size_t thread) {
            const std::size_t end = std::min(count, (piece + 1) * kPiece);
            for (std::size_t i = piece * kPiece; i < end; ++i) work(i, scouts_[thread]);
        });
    }

    // Gives whether anything changed; adds to `again` those that others were in the way of.
    bool take_turns(const std::vector<std::size_t>& tuples, std::vector<std::size_t>& again) {
        std::vector<std::vector<Move>> moves(tuples.size());
        for (const std::size_t t : tuples) awake_[t] = false;
        run_over(tuples.size(), [&](std::size_t i, Scout& scout) { moves[i] = best_moves(tuples[i], scout); });
        std::vector<std::pair<double, std::pair<std::size_t, std::size_t>>> in_order;
        for (std::size_t i = 0; i < tuples.size(); ++i)
            for (std::size_t j = 0; j < moves[i].size(); ++j) in_order.push_back({-moves[i][j].gain, {i, j}});
        std::sort(in_order.begin(), in_order.end());
        std::vector<bool> waits(tuples.size(), false);
        for (const auto& [_, at] : in_order) {
            Move& move = moves[at.first][at.second];
            const bool free = std::none_of(move.changes.begin(), move.changes.end(), [&](const Change& change) {
                return change.group != kFresh && groups_[change.group].changed;
            });
            if (free)
                apply(move);
            else
                waits[at.first] = true;
        }
        for (std::size_t i = 0; i < tuples.size(); ++i)
            if (waits[i]) again.push_back(tuples[i]);
        const bool better = !changed_.empty();
        know_changed();
        return better;
    }

    void apply(Move& move) {
        for (Change& change : move.changes) {
            std::size_t g = change.group;
            if (g == kFresh) {
                g = groups_.size();
                groups_.emplace_back();
            }
            Group& group = groups_[g];
            for (const Piece& piece : group.pieces) {
                auto& in = groups_of_[piece.tuple];
                in.erase(std::remove(in.begin(), in.end(), g), in.end());
                wake(piece.tuple);
            }
            group.pieces = std::move(change.pieces);
            group.changed = true;
            for (const Piece& piece : group.pieces) {
                put_group(piece.tuple, g);
                wake(piece.tuple);
            }
            changed_.push_back(g);
        }
    }
    void put_group(std::size_t tuple, std::size_t g) {
        auto& in = groups_of_[tuple];
        in.insert(std::lower_bound(in.begin(), in.end(), g), g);
    }
    void wake(std::size_t tuple) {
        for (const std::size_t t : near_[tuple]) awake_[t] = true;
    }

    // Size, loss and the like of groups that have changed.
    void know_changed() {
        centres_.resize(groups_.size() * n_numbers_);
        modes_.resize(groups_.size() * n_equalities_);
        run_over(changed_.size(), [&](std::size_t i, Scout& scout) { know(changed_[i], scout.loss); });
        changed_.clear();
    }
    void know(std::size_t g, PieceLoss& loss) {
        Group& group = groups_[g];
        group.size = 0;
        group.changed = false;
        for (const Piece& piece : group.pieces) group.size += piece.count;
        group.loss = loss(group.pieces);
        if (group.pieces.empty()) return;
        const auto n = static_cast<double>(group.size);
        double about_means = 0.0;
        for (std::size_t j = 0; j < n_numbers_; ++j) {
            const auto at = [&](const Piece& piece) { return rows_.numbers(piece.tuple)[j]; };
            double sum = 0.0;
            for (const Piece& piece : group.pieces) sum += static_cast<double>(piece.count) * at(piece);
            const double mean = sum / n;
            for (const Piece& piece : group.pieces)
                about_means += static_cast<double>(piece.count) * (at(piece) - mean) * (at(piece) - mean);
            centres_[g * n_numbers_ + j] = mean;
        }
        for (std::size_t j = 0; j < n_equalities_; ++j) {
            // The only value that more than half of the records can have: the one that is left when unequal ones
            // cancel each other out.
            Mode mode{0, 0};
            for (const Piece& piece : group.pieces) {
                const std::int32_t code = rows_.codes(piece.tuple)[j];
                if (code == mode.code)
                    mode.count += piece.count;
                else if (piece.count > mode.count)
                    mode = {code, piece.count - mode.count};
                else
                    mode.count -= piece.count;
            }
            mode.count = 0;
            for (const Piece& piece : group.pieces)
                mode.count += rows_.codes(piece.tuple)[j] == mode.code ? piece.count : 0;
            modes_[g * n_equalities_ + j] = mode;
            const std::int64_t at_most = std::max(mode.count, group.size / 2);
            about_means += rows_.columns.equalities()[j].unit * static_cast<double>(group.size - at_most);
        }
        group.slack = has_slack() ? std::max(0.0, group.loss - about_means) : 0.0;
    }
    bool has_slack() const { return rows_.columns.n_medians() > 0 || !rows_.columns.tables().empty(); }

    // No less than what is said above.
    double least_rise(std::size_t g, std::size_t tuple, std::int64_t count) const {
        const Group& group = groups_[g];
        const double *centre = &centres_[g * n_numbers_], *row = rows_.numbers(tuple);
        double reach = 0.0;
        for (std::size_t j = 0; j < n_numbers_; ++j) reach += (row[j] - centre[j]) * (row[j] - centre[j]);
        const auto n = static_cast<double>(group.size), more = static_cast<double>(count);
        double rise = n * more / (n + more) * reach - group.slack;
        for (std::size_t j = 0; j < n_equalities_; ++j) {
            const Mode& mode = modes_[g * n_equalities_ + j];
            if (rows_.codes(tuple)[j] == mode.code) continue;
            const std::int64_t others = std::max<std::int64_t>(0, group.size + count - 2 * mode.count);
            if (others < count) rise += rows_.columns.equalities()[j].unit * static_cast<double>(count - others);
        }
        return rise;
    }

    std::vector<Move> best_moves(std::size_t tuple, Scout& scout) const {
        std::vector<Move> moves;
        for (const std::size_t a : groups_of_[tuple]) {
            const std::int64_t count = count_in(groups_[a].pieces, tuple);
            Move best;
            try_moves(best, tuple, count, a, scout);
            try_founding(best, tuple, count, a, scout);
            if (groups_[a].pieces[0].tuple == tuple) try_closing(best, a, scout);
            if (best.gain > 0.0) moves.push_back(std::move(best));
        }
        return moves;
    }

    // Groups in which a tuple or its neighbours are, but one; nearest first.
    void look_around(std::size_t tuple, std::size_t but, std::vector<std::size_t>& places) const {
        places.clear();
        for (const std::size_t u : near_[tuple])
            for (const std::size_t g : groups_of_[u])
                if (g != but && std::find(places.begin(), places.end(), g) == places.end()) {
                    places.push_back(g);
                    if (places.size() == plan_.places) return;
                }
    }

    // Takes the changes for the best, if they are: `before` is what their groups lose now.
    void consider(Move& best, double before, std::vector<Change> changes, Scout& scout) const {
        double gain = before;
        for (const Change& change : changes) gain -= change.loss;
        if (!(gain > best.gain && gain > 1e-12 * before)) return;
        if (scout.judge)
            for (const Change& change : changes)
                if (!change.pieces.empty() && !scout.judge->keeps_pieces(change.pieces)) return;
        best = {gain, std::move(changes)};
    }

    void try_moves(Move& best, std::size_t tuple, std::int64_t count, std::size_t a, Scout& scout) const {
        const Group& from = groups_[a];
        if (from.pieces.size() == 1) return;
        const std::int64_t spare = from.size - plan_.k;
        const std::int64_t moved = std::min(count, spare);
        if (moved <= 0) return;
        Pieces left = from.pieces;
        take(left, tuple, moved);
        const double left_loss = scout.loss(left);
        look_around(tuple, a, scout.places);
        for (const std::size_t b : scout.places) {
            const Group& to = groups_[b];
            if (from.loss - left_loss - least_rise(b, tuple, moved) <= best.gain) continue;
            scout.pieces = to.pieces;
            put(scout.pieces, tuple, moved);
            const double loss = scout.loss(scout.pieces);
            if (from.loss - left_loss + to.loss - loss <= best.gain) continue;
            consider(best, from.loss + to.loss,
                     {{a, left, from.size - moved, left_loss}, {b, scout.pieces, to.size + moved, loss}}, scout);
        }
    }

    void try_founding(Move& best, std::size_t tuple, std::int64_t count, std::size_t a, Scout& scout) const {
        const Group& from = groups_[a];
        if (from.size - count < plan_.k) return;
        std::vector<Change> changes{{kFresh, {{tuple, count}}, count, 0.0}, {a, from.pieces, from.size - count, 0.0}};
        take(changes[1].pieces, tuple, count);
        double before = from.loss;
        std::int64_t needed = plan_.k - count;
        for (std::size_t i = 0; i < near_[tuple].size() && needed > 0; ++i) {
            const std::size_t u = near_[tuple][i];
            for (const std::size_t g : groups_of_[u]) {
                if (needed <= 0) break;
                std::size_t c = 1;
                while (c < changes.size() && changes[c].group != g) ++c;
                const bool known = c < changes.size();
                const std::int64_t size = known ? changes[c].size : groups_[g].size;
                if (size <= plan_.k) continue;
                const std::int64_t available = count_in(known ? changes[c].pieces : groups_[g].pieces, u);
                const std::int64_t given = std::min({needed, available, size - plan_.k});
                if (given <= 0) continue;
                if (!known) {
                    changes.push_back({g, groups_[g].pieces, size, 0.0});
                    before += groups_[g].loss;
                }
                take(changes[c].pieces, u, given);
                changes[c].size -= given;
                put(changes[0].pieces, u, given);
                needed -= given;
            }
        }
        if (needed > 0) return;
        double gain = before;
        for (Change& change : changes) {
            change.loss = scout.loss(change.pieces);
            gain -= change.loss;
            if (gain <= best.gain) return;
        }
        consider(best, before, std::move(changes), scout);
    }

    void try_closing(Move& best, std::size_t a, Scout& scout) const {
        const Group& from = groups_[a];
        if (from.size >= 2 * plan_.k || from.pieces.size() < 2) return;
        std::vector<Change> changes{{a, {}, 0, 0.0}};
        double lost = 0.0, before = from.loss;
        const double allowed = from.loss - best.gain;
        for (const Piece& piece : from.pieces) {
            double lowest = kInfinity;
            std::size_t chosen = kFresh;
            Change with{};
            look_around(piece.tuple, a, scout.places);
            for (const std::size_t b : scout.places) {
                std::size_t c = 1;
                while (c < changes.size() && changes[c].group != b) ++c;
                const bool known = c < changes.size();
                if (!known && least_rise(b, piece.tuple, piece.count) >= std::min(lowest, allowed - lost)) continue;
                scout.pieces = known ? changes[c].pieces : groups_[b].pieces;
                put(scout.pieces, piece.tuple, piece.count);
                const double loss = scout.loss(scout.pieces);
                const double rise = loss - (known ? changes[c].loss : groups_[b].loss);
                if (rise >= lowest) continue;
                lowest = rise;
                chosen = c;
                with.group = b;
                with.pieces.swap(scout.pieces);
                with.size = (known ? changes[c].size : groups_[b].size) + piece.count;
                with.loss = loss;
            }
            lost += lowest;
            if (chosen == kFresh || lost >= allowed) return;
            if (chosen == changes.size()) {
                before += groups_[with.group].loss;
                changes.push_back(std::move(with));
            } else {
                changes[chosen] = std::move(with);
            }
        }
        consider(best, before, std::move(changes), scout);
    }

    const Space& space_;
    const Regrouping& plan_;
    const MixedRows& rows_;
    const std::vector<std::vector<std::size_t>>& near_;
    std::size_t n_numbers_, n_equalities_;
    std::vector<std::vector<std::size_t>> groups_of_;  // that hold a tuple, ascending
    std::vector<Group> groups_;
    std::vector<double> centres_;  // of groups
    std::vector<Mode> modes_;      // of groups: the value of most, where it has more than half of the records
    std::vector<std::size_t> changed_;
    std::vector<bool> awake_;
    std::vector<Scout> scouts_;
    Pool pool_;
};

}  // namespace

void mixed_regroup(const Space& space, const Regrouping& plan, const MixedRows& rows,
                   const std::vector<std::vector<std::size_t>>& near, std::int64_t* labels, const Progress& progress) {
    Regroup regroup(space, plan, rows, near);
    regroup.start(labels);
    regroup.run(progress);
    regroup.write(labels);
}

}  // namespace microagg
