// Insertion heuristics (Rosenkrantz, Stearns and Lewis 1977).
//
//   tour = (start)
//   while a city is left:
//       nearest, farthest:  the city whose distance to the tour is least, largest
//       cheapest:           the city whose cheapest place costs least
//       arbitrary:          the next in random order
//       insert it where d(i, city) + d(city, j) - d(i, j) is least, (i, j) an edge of the tour
//
// Distances to the tour and cheapest places are kept up to date, not recomputed: n^2 distances in all. A city whose
// cheapest place was the edge that disappeared looks at the whole tour anew. Equal places: the first from the start.
#include "kernels/paths/insertion_path.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/base/constants.h"

namespace microagg {
namespace {

class Insertion {
  public:
    Insertion(Records records, NextCity next_city, Dummy dummy_city, std::size_t first, const std::int64_t* ranks)
        : X(records),
          rule(next_city),
          dummy(dummy_city),
          start(first),
          priority(ranks),
          next(X.n + 1, kNowhere),
          length(X.n + 1),
          to_city(X.n + 1),
          score(X.n + 1, kInfinity),
          place(X.n + 1, start) {}

    void run(std::int64_t* order, const Progress& progress) {
        for (std::size_t city = 0; city <= X.n; ++city) left.push_back(city);
        if (rule == NextCity::kArbitrary) {
            std::sort(left.begin(), left.end(),
                      [this](std::size_t a, std::size_t b) { return priority[a] > priority[b]; });
        }
        next[start] = start;
        length[start] = 0.0;
        take(start);
        if (dummy == Dummy::kEnd) {
            link(start, X.n, 0.0);
            link(X.n, start, 0.0);
            take(X.n);
        } else if (dummy == Dummy::kLast) {
            take(X.n);
        }
        measure(start);
        if (rule == NextCity::kCheapest) {
            for (const std::size_t city : left) look_for_place(city);
        } else {
            come_nearer();
        }
        while (!left.empty()) {
            const std::size_t city = choose();
            take(city);
            insert(city);
            if (left.size() % 64 == 0) progress(1.0 - static_cast<double>(left.size()) / static_cast<double>(X.n));
        }
        if (dummy == Dummy::kLast) {
            measure(X.n);
            const std::size_t before = cheapest_place();
            link(X.n, next[before], 0.0);
            link(before, X.n, 0.0);
        }
        std::size_t city = next[X.n];
        for (std::size_t t = 0; t < X.n; ++t, city = next[city]) order[t] = static_cast<std::int64_t>(city);
    }

  private:
    double distance(std::size_t a, std::size_t b) const {
        return a == X.n || b == X.n ? 0.0 : std::sqrt(squared_distance(X[a], X[b], X.m));
    }

    void link(std::size_t a, std::size_t b, double gap) {
        next[a] = b;
        length[a] = gap;
    }

    void take(std::size_t city) {
        const auto at = std::find(left.rbegin(), left.rend(), city);
        left.erase(std::next(at).base());
    }

    // The distances of a city to all others.
    void measure(std::size_t city) {
        for (std::size_t other = 0; other <= X.n; ++other) to_city[other] = distance(city, other);
    }

    std::size_t choose() const {
        if (rule == NextCity::kArbitrary) return left.back();
        const double sign = rule == NextCity::kFarthest ? -1.0 : 1.0;
        std::size_t best = left.front();
        for (const std::size_t city : left) {
            const double here = sign * score[city], there = sign * score[best];
            if (here < there || (here == there && priority[city] < priority[best])) best = city;
        }
        return best;
    }

    // After measure(): the city before the cheapest place to insert that one.
    std::size_t cheapest_place() const {
        double least = kInfinity;
        std::size_t before = start, a = start;
        do {
            const double cost = to_city[a] + to_city[next[a]] - length[a];
            if (cost < least && !(dummy == Dummy::kEnd && a == X.n)) {
                least = cost;
                before = a;
            }
            a = next[a];
        } while (a != start);
        return before;
    }

    void look_for_place(std::size_t city) {
        score[city] = kInfinity;
        std::size_t a = start;
        double to_a = distance(city, a);
        do {
            const std::size_t b = next[a];
            const double to_b = distance(city, b);
            offer(city, a, to_a + to_b - length[a]);
            a = b;
            to_a = to_b;
        } while (a != start);
    }

    void offer(std::size_t city, std::size_t before, double cost) {
        if (dummy == Dummy::kEnd && before == X.n) return;
        if (cost < score[city]) {
            score[city] = cost;
            place[city] = before;
        }
    }

    // After measure(): the tour has come nearer to the cities that are left.
    void come_nearer() {
        for (const std::size_t city : left) score[city] = std::min(score[city], to_city[city]);
    }

    void insert(std::size_t city) {
        measure(city);
        const std::size_t a = rule == NextCity::kCheapest ? place[city] : cheapest_place();
        const std::size_t b = next[a];
        link(city, b, to_city[b]);
        link(a, city, to_city[a]);
        if (rule == NextCity::kNearest || rule == NextCity::kFarthest) come_nearer();
        if (rule != NextCity::kCheapest) return;
        for (const std::size_t other : left) {
            if (place[other] == a) {
                look_for_place(other);
            } else {
                offer(other, a, distance(other, a) + to_city[other] - length[a]);
                offer(other, city, to_city[other] + distance(other, b) - length[city]);
            }
        }
    }

    Records X;
    NextCity rule;
    Dummy dummy;
    std::size_t start;
    const std::int64_t* priority;
    std::vector<std::size_t> left;
    std::vector<std::size_t> next;
    std::vector<double> length;  // of the edge from a city to the next
    std::vector<double> to_city;
    std::vector<double> score;       // distance to the tour, or cost of the cheapest place
    std::vector<std::size_t> place;  // the city before the cheapest place
};

}  // namespace

void insertion_path(Records X, NextCity rule, Dummy dummy, std::size_t start, const std::int64_t* priority,
                    std::int64_t* order, const Progress& progress) {
    Insertion(X, rule, dummy, start, priority).run(order, progress);
}

}  // namespace microagg
