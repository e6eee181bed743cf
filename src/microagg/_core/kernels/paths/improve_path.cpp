// Lin-Kernighan local search with neighbour lists, iterated with local double-bridge kicks.
//
//   tour = the path and a dummy city at distance 0 from every record
//   improve, for every city t1 that waits in a queue, in both directions (t2 next to t1):
//       open = d(t1, t2)
//       repeat up to `depth` times:
//           over t3 near t2, t4 beside t3, t5 near t4, t6 beside t5, as long as
//           open - d(t2, t3) > 0 and open - d(t2, t3) + d(t3, t4) - d(t4, t5) > 0:
//               if closing the tour, by (t4, t1) or by (t6, t1), gains: do it, queue the cities touched, done
//           none gains: make the exchange that leaves the most open; t2 = t6
//       undo
//   kick:  a little farther along the tour, a stretch of three short random segments B C D becomes D C B
//          improve from the cities touched only; undo all of it if the tour is longer than before
//
// t4 is the city before t3 (t1 -> t2 .. t4 -> t3): a proper 2-exchange, and one t6 for each t5 gives a tour; or the
// city after t3: t2 .. t3 is a ring then, and t5 on it opens it to both sides. These are the four pure 3-exchanges.
// None is tried out on the tour: reversals are made once the exchange is chosen. (Lin and Kernighan 1973; Helsgaun
// 2000 for 3-exchanges as steps; Applegate, Cook and Rohe 2003 for local kicks.)
//
// With a cap no edge costs more than that, as if a dummy city at half the cap from every record lay on every longer
// one.
//
// To keep a start: the dummy has distance 0 to it and a large distance to all others, so that their edge stays.
#include "kernels/paths/improve_path.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "kernels/base/constants.h"
#include "kernels/base/random.h"
#include "kernels/neighbours/nearest_neighbours.h"
#include "kernels/paths/greedy_edge_path.h"
#include "kernels/paths/greedy_rounds.h"
#include "kernels/paths/tour.h"

namespace microagg {
namespace {

using City = Tour::City;

constexpr std::size_t kLongestSegment = 50;       // of a kick
constexpr std::size_t kStride = 100;              // from one kick to the next: what is near in the tour is in the cache
constexpr std::size_t kLongestTrial = 100;        // a reversal that may be undone again
constexpr std::size_t kNearest = 5;               // candidates that are candidates in any case
constexpr std::size_t kFarthest = 32;             // the others are among so many nearest
constexpr std::size_t kFarthestOfMany = 16;       // the same where only most of the nearest are known
constexpr std::size_t kLongestReversal = 50'000;  // longer ones cost more than they are worth
constexpr std::size_t kLongestRepair = 2'500;     // after a kick, which is local

// The candidates of a record: its nearest ones, and of the next ones those that are nearer to it than to any candidate
// already taken. In tight clusters the nearest alone would never lead out.
Neighbours spread_out(Records X, const Neighbours& wide, std::size_t nearest, std::size_t count) {
    Neighbours result;
    result.count = std::min(count, wide.count);
    result.rows.resize(X.n * result.count);
    result.distances.resize(X.n * result.count);
    std::vector<std::size_t> taken, others;
    for (std::size_t row = 0; row < X.n; ++row) {
        const std::uint32_t* rows = wide.of(row);
        const double* gaps = wide.distances_of(row);
        taken.clear();
        others.clear();
        for (std::size_t i = 0; i < wide.count && taken.size() < result.count; ++i) {
            bool alone = true;
            for (std::size_t t = 0; t < taken.size() && alone && i >= nearest; ++t) {
                alone = squared_distance(X[rows[taken[t]]], X[rows[i]], X.m) >= gaps[i] * gaps[i];
            }
            (alone ? taken : others).push_back(i);
        }
        for (std::size_t i = 0; taken.size() < result.count; ++i) taken.push_back(others[i]);
        std::sort(taken.begin(), taken.end());
        for (std::size_t t = 0; t < result.count; ++t) {
            result.rows[row * result.count + t] = rows[taken[t]];
            result.distances[row * result.count + t] = gaps[taken[t]];
        }
    }
    return result;
}

class TourSearch {
  public:
    TourSearch(Records X, const LinKernighan& options, std::vector<City> cities, const Neighbours& lists)
        : how(options), n(X.n), dummy(static_cast<City>(n)), tour(std::move(cities)), waiting(n + 1, 0) {
        width = (X.m + 3) / 4 * 4;
        points.assign((n + 1) * width, 0.0);
        double lowest = kInfinity, highest = -lowest;
        for (std::size_t row = 0; row < n; ++row) {
            std::copy(X[row], X[row] + X.m, &points[row * width]);
            for (std::size_t j = 0; j < X.m; ++j) {
                lowest = std::min(lowest, X[row][j]);
                highest = std::max(highest, X[row][j]);
            }
        }
        if (how.from_start) {
            start = tour.next(dummy);
            far = 1000.0 * (highest - lowest) * std::sqrt(static_cast<double>(X.m));
        }
        // The dummy is a candidate of every record, at its place in the order of distances.
        count = lists.count + 1;
        candidates.resize((n + 1) * count);
        gaps.assign((n + 1) * count, kInfinity);
        for (std::size_t row = 0; row < n; ++row) {
            const bool first = !how.from_start || row == start;
            std::copy(lists.of(row), lists.of(row) + lists.count, &candidates[row * count + first]);
            std::copy(lists.distances_of(row), lists.distances_of(row) + lists.count, &gaps[row * count + first]);
            for (std::size_t i = 0; i < lists.count; ++i) {
                double& gap = gaps[row * count + first + i];
                gap = std::min(gap, how.cap);
            }
            candidates[row * count + (first ? 0 : lists.count)] = dummy;
            gaps[row * count + (first ? 0 : lists.count)] = first ? 0.0 : far;
        }
        double total = 0.0;
        for (std::size_t i = 0; i <= n; ++i) {
            const City a = tour.at(i), b = tour.next(a);
            if (a != dummy && b != dummy) total += distance(a, b);
        }
        least_gain = 1e-11 * total;
        longest = n > 2 * kLongestReversal ? kLongestReversal : n;
    }

    void run(const Progress& progress) {
        const auto began = std::chrono::steady_clock::now();
        const auto out_of_time = [&] {
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() > how.seconds;
        };
        for (std::size_t i = 0; i <= n; ++i) push(tour.at(i));
        std::size_t steps = 0;
        while (!queue.empty()) {
            gain += improve(pop());
            journal.clear();
            if (++steps % 256 == 0) {
                progress(0.0);
                if (out_of_time()) return;
            }
        }
        if (n < 7) return;
        longest = std::min(longest, kLongestRepair);
        if (how.kicks > 0) stride = std::max<std::size_t>(kStride, 2 * (n + 1) / how.kicks);
        KickRandom random(how.seed);
        for (std::uint64_t kick_number = 0; kick_number < how.kicks; ++kick_number) {
            gain = -kick(random);
            while (!queue.empty()) gain += improve(pop());
            if (gain < 0.0) {
                for (std::size_t i = journal.size(); i-- > 0;) tour.undo(journal[i]);
            }
            journal.clear();
            if (kick_number % 128 == 0) {
                progress(static_cast<double>(kick_number) / static_cast<double>(how.kicks));
                if (out_of_time()) return;
            }
        }
    }

    void write(std::int64_t* order) {
        if (how.from_start && tour.next(dummy) != start) tour.mirror();
        City city = dummy;
        for (std::size_t t = 0; t < n; ++t) {
            city = tour.next(city);
            order[t] = static_cast<std::int64_t>(city);
        }
    }

  private:
    enum class Kind { kNone, kTwo, kOutside, kInside, kSwap, kBoth };
    struct Move {
        Kind kind = Kind::kNone;
        double value = 0.0;  // what is open, or gained
        City t3 = 0, t4 = 0, t5 = 0, t6 = 0;
    };

    double distance(City a, City b) const {
        if (a == dummy || b == dummy) {
            return !how.from_start || a == start || b == start ? 0.0 : far;
        }
        const double *x = &points[a * width], *y = &points[b * width];
        double sums[4] = {};
        for (std::size_t j = 0; j < width; j += 4) {
            for (std::size_t c = 0; c < 4; ++c) {
                const double gap = x[j + c] - y[j + c];
                sums[c] += gap * gap;
            }
        }
        return std::min(std::sqrt((sums[0] + sums[2]) + (sums[1] + sums[3])), how.cap);
    }

    void push(City city) {
        if (waiting[city]) return;
        waiting[city] = 1;
        queue.push_back(city);
    }
    City pop() {
        const City city = queue[head];
        waiting[city] = 0;
        if (++head == queue.size()) {
            queue.clear();
            head = 0;
        }
        return city;
    }

    void reverse(City a, City b) { journal.push_back(tour.reverse(a, b)); }
    std::size_t cost(City a, City b) const {
        const std::size_t length = tour.stretch(a, b);
        return std::min(length, n + 1 - length);
    }

    // What a move from t1 gains; 0 where none does, and the tour is as before.
    double improve(City t1) {
        for (int side = 0; side < 2; ++side) {
            City t2 = tour.next(t1);
            double open = distance(t1, t2);
            touched.assign({t1, t2});
            const std::size_t mark = journal.size();
            for (std::size_t level = 1; level <= how.depth; ++level) {
                Move best_open;
                const Move closing = look(t1, t2, open, best_open);
                const Move& move = closing.kind != Kind::kNone ? closing : best_open;
                if (move.kind == Kind::kNone) break;
                if (closing.kind == Kind::kNone && level == how.depth) break;
                make(t2, move);
                touched.insert(touched.end(), {move.t3, move.t4});
                if (move.kind != Kind::kTwo) touched.insert(touched.end(), {move.t5, move.t6});
                if (closing.kind != Kind::kNone) {
                    for (const City city : touched) push(city);
                    return closing.value;
                }
                t2 = move.t6;
                open = move.value;
            }
            while (journal.size() > mark) {
                tour.undo(journal.back());
                journal.pop_back();
            }
            tour.mirror();
        }
        return 0.0;
    }

    // The best closing exchange from t1 -> t2, else none; and the one that leaves the most open.
    Move look(City t1, City t2, double open, Move& best_open) const {
        Move best;
        best.value = least_gain;
        for (std::size_t i = 0; i < count; ++i) {
            const double after_t3 = open - gaps[t2 * count + i];
            if (after_t3 <= least_gain) break;
            const City t3 = candidates[t2 * count + i];
            const City before = tour.previous(t3), after = tour.next(t3);
            if (before != t2 && t3 != t1) {  // t1 -> t2 .. t4 -> t3
                const City t4 = before;
                const double with_t4 = after_t3 + distance(t3, t4);
                const double gained = with_t4 - distance(t4, t1);
                if (gained > best.value && cost(t2, t4) <= longest) best = {Kind::kTwo, gained, t3, t4, t4, t4};
                if (how.exchange > 2) look_further(t1, t2, t3, t4, with_t4, best, best_open);
            }
            if (how.exchange > 2 && t3 != t1 && after != t1 && t3 != t2) {  // t1 -> t2 .. t3 -> t4
                look_on_ring(t1, t2, t3, after, after_t3 + distance(t3, after), best, best_open);
            }
        }
        return best;
    }

    void look_further(City t1, City t2, City t3, City t4, double open, Move& best, Move& best_open) const {
        for (std::size_t i = 0; i < count; ++i) {
            const double after_t5 = open - gaps[t4 * count + i];
            if (after_t5 <= least_gain) break;
            const City t5 = candidates[t4 * count + i];
            if (t5 == t3) continue;
            const bool inside = tour.between(t2, t5, t4);
            const City t6 = inside ? tour.next(t5) : tour.previous(t5);
            if (inside && t6 == t4) continue;
            const Kind kind = inside ? Kind::kInside : Kind::kOutside;
            consider(t1, t2, {kind, after_t5 + distance(t5, t6), t3, t4, t5, t6}, best, best_open);
        }
    }

    void look_on_ring(City t1, City t2, City t3, City t4, double open, Move& best, Move& best_open) const {
        for (std::size_t i = 0; i < count; ++i) {
            const double after_t5 = open - gaps[t4 * count + i];
            if (after_t5 <= least_gain) break;
            const City t5 = candidates[t4 * count + i];
            if (!tour.between(t2, t5, t3)) continue;
            if (t5 != t3) {
                const City t6 = tour.next(t5);
                consider(t1, t2, {Kind::kSwap, after_t5 + distance(t5, t6), t3, t4, t5, t6}, best, best_open);
            }
            if (t5 != t2) {
                const City t6 = tour.previous(t5);
                consider(t1, t2, {Kind::kBoth, after_t5 + distance(t5, t6), t3, t4, t5, t6}, best, best_open);
            }
        }
    }

    void consider(City t1, City t2, const Move& move, Move& best, Move& best_open) const {
        if (move.value <= best.value && move.value <= best_open.value) return;
        const double gained = move.value - distance(move.t6, t1);
        if (gained > best.value && effort(t2, move) <= longest) {
            best = move;
            best.value = gained;
        }
        if (move.value > best_open.value && effort(t2, move) <= kLongestTrial) best_open = move;
    }

    // The longest reversal that make() would need.
    std::size_t effort(City t2, const Move& move) const {
        switch (move.kind) {
            case Kind::kOutside:
                return std::max(cost(t2, move.t4), cost(t2, move.t6));
            case Kind::kInside:
                return std::max(cost(t2, move.t4), cost(move.t6, move.t4));
            case Kind::kSwap:
                return std::max({cost(t2, move.t3), cost(t2, move.t5), cost(move.t6, move.t3)});
            case Kind::kBoth:
                return std::max(cost(t2, move.t6), cost(move.t5, move.t3));
            default:
                return cost(t2, move.t4);
        }
    }

    // Afterwards the last of t4, t6 follows t1.
    void make(City t2, const Move& move) {
        switch (move.kind) {
            case Kind::kTwo:
                reverse(t2, move.t4);
                break;
            case Kind::kOutside:
            case Kind::kInside:
                reverse(t2, move.t4);
                reverse(move.t4, move.t6);
                break;
            case Kind::kSwap:
                reverse(t2, move.t3);
                reverse(move.t3, move.t6);
                reverse(move.t5, t2);
                break;
            case Kind::kBoth:
                reverse(t2, move.t6);
                reverse(move.t5, move.t3);
                break;
            case Kind::kNone:
                break;
        }
    }

    // Gives what the tour gets longer by.
    double kick(KickRandom& random) {
        const std::size_t longest_segment = std::min(kLongestSegment, (n + 1) / 4);
        place = (place + 1 + random.below(stride)) % (n + 1);
        City cut[4] = {tour.at(place)};
        for (int segment = 1; segment < 4; ++segment) {
            cut[segment] = cut[segment - 1];
            for (std::size_t steps = 1 + random.below(longest_segment); steps > 0; --steps) {
                cut[segment] = tour.next(cut[segment]);
            }
        }
        const City ends[8] = {cut[0], tour.next(cut[0]), cut[1], tour.next(cut[1]),
                              cut[2], tour.next(cut[2]), cut[3], tour.next(cut[3])};
        // a | B .. | C .. | D .. | e
        const City a = ends[0], b1 = ends[1], b2 = ends[2], c1 = ends[3], c2 = ends[4], d1 = ends[5], d2 = ends[6],
                   e = ends[7];
        const double before = distance(a, b1) + distance(b2, c1) + distance(c2, d1) + distance(d2, e);
        reverse(b1, d2);
        reverse(d2, d1);
        reverse(c2, c1);
        reverse(b2, b1);
        const double after = distance(a, d1) + distance(d2, c1) + distance(c2, b1) + distance(b2, e);
        for (const City end : ends) push(end);
        return after - before;
    }

    LinKernighan how;
    std::size_t n;
    City dummy, start = 0;
    double far = 0.0;
    Tour tour;
    std::size_t width = 0, count = 0, longest = 0;
    std::size_t place = 0, stride = kStride;  // where to kick next, and how far on at most
    std::vector<double> points;
    std::vector<City> candidates;
    std::vector<double> gaps;
    double least_gain = 0.0, gain = 0.0;
    std::vector<char> waiting;
    std::vector<City> queue, touched;
    std::size_t head = 0;
    std::vector<Tour::Reversal> journal;
};

}  // namespace

void improve_path(Records X, const LinKernighan& how, std::int64_t* order, const Progress& progress) {
    const Progress looking = part_of(progress, 0.0, 0.1);
    const Neighbours wide =
        how.near ? near_lists(X, std::max(kFarthestOfMany, how.neighbours), how.seed, how.threads, looking)
                 : nearest_neighbours(X, std::max(kFarthest, how.neighbours), how.threads, looking);
    if (how.from_greedy && how.near) {
        Links links(2 * X.n, kNobody);
        take_edges(X, wide, links);
        join_paths(X, links, how.seed, how.threads, order);
    } else if (how.from_greedy) {
        greedy_edge_path(X, wide, order, part_of(progress, 0.1, 0.2));
    }
    if (X.n < 3) return;
    const Neighbours lists = spread_out(X, wide, kNearest, how.neighbours);
    std::vector<City> cities(X.n + 1);
    cities[0] = static_cast<City>(X.n);
    for (std::size_t t = 0; t < X.n; ++t) cities[t + 1] = static_cast<City>(order[t]);
    TourSearch search(X, how, std::move(cities), lists);
    search.run(part_of(progress, 0.2, 1.0));
    search.write(order);
}

}  // namespace microagg
