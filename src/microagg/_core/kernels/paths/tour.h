// A tour as an array of cities, with their positions: next, between and reversal of a stretch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace microagg {

class Tour {
  public:
    using City = std::uint32_t;

    // Undoes one reversal.
    struct Reversal {
        std::uint32_t first, length;
        bool mirrored;
    };

    explicit Tour(std::vector<City> cities) : order(std::move(cities)), position(order.size()), n(order.size()) {
        for (std::size_t i = 0; i < n; ++i) position[order[i]] = static_cast<std::uint32_t>(i);
    }

    std::size_t size() const { return n; }
    City at(std::size_t i) const { return order[i]; }

    City next(City city) const { return mirrored ? before(city) : after(city); }
    City previous(City city) const { return mirrored ? after(city) : before(city); }

    // The number of cities from a forward to b, both counted.
    std::size_t stretch(City a, City b) const {
        const std::size_t i = position[mirrored ? b : a], j = position[mirrored ? a : b];
        return j >= i ? j - i + 1 : j + n - i + 1;
    }
    // Is b met on the way from a forward to c?
    bool between(City a, City b, City c) const {
        std::size_t i = position[a], j = position[b], k = position[c];
        if (mirrored) std::swap(i, k);
        return i <= k ? i <= j && j <= k : j >= i || j <= k;
    }

    // Look at the tour from the other side.
    void mirror() { mirrored = !mirrored; }

    // Reverse the stretch from a forward to b. The array reverses the shorter of it and the rest: the same tour, seen
    // from the other side.
    Reversal reverse(City a, City b) {
        const std::size_t length = stretch(a, b);
        if (2 * length <= n) {
            const Reversal done{position[mirrored ? b : a], static_cast<std::uint32_t>(length), false};
            reverse_array(done.first, done.length);
            return done;
        }
        const std::size_t first = position[mirrored ? a : b] + std::size_t{1};
        const Reversal done{static_cast<std::uint32_t>(first == n ? 0 : first), static_cast<std::uint32_t>(n - length),
                            true};
        reverse_array(done.first, done.length);
        mirrored = !mirrored;
        return done;
    }
    void undo(const Reversal& done) {
        reverse_array(done.first, done.length);
        if (done.mirrored) mirrored = !mirrored;
    }

  private:
    City after(City city) const {
        const std::size_t i = position[city] + std::size_t{1};
        return order[i == n ? 0 : i];
    }
    City before(City city) const {
        const std::size_t i = position[city];
        return order[i == 0 ? n - 1 : i - 1];
    }
    void put(std::size_t i, City city) {
        order[i] = city;
        position[city] = static_cast<std::uint32_t>(i);
    }
    void reverse_array(std::size_t i, std::size_t length) {
        std::size_t j = i + length - 1;
        if (j >= n) j -= n;
        for (std::size_t swaps = length / 2; swaps > 0; --swaps) {
            const City low = order[i], high = order[j];
            put(i, high);
            put(j, low);
            if (++i == n) i = 0;
            j = j == 0 ? n - 1 : j - 1;
        }
    }

    std::vector<City> order;
    std::vector<std::uint32_t> position;
    std::size_t n;
    bool mirrored = false;
};

}  // namespace microagg
