// Groups of two or three records.
#pragma once

#include <array>
#include <vector>

#include "kernels/base/constants.h"
#include "kernels/base/records.h"

namespace microagg {

class Packs {
  public:
    explicit Packs(Records X) : X_(X), pack_of_(X.n, kNobody) {}

    std::size_t count() const { return packs_.size(); }
    std::uint32_t of(std::uint32_t record) const { return pack_of_[record]; }
    bool is_triple(std::uint32_t pack) const { return packs_[pack][2] != kNobody; }
    const std::array<std::uint32_t, 3>& members(std::uint32_t pack) const { return packs_[pack]; }
    // Who is with a record in a pair.
    std::uint32_t mate(std::uint32_t record) const {
        const auto& pair = packs_[pack_of_[record]];
        return pair[0] == record ? pair[1] : pair[0];
    }

    double error(std::uint32_t a, std::uint32_t b) const { return 0.5 * apart(a, b); }
    double error(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
        return (apart(a, b) + apart(b, c) + apart(a, c)) / 3.0;
    }
    double error(std::uint32_t pack) const {
        const auto& [a, b, c] = packs_[pack];
        return is_triple(pack) ? error(a, b, c) : error(a, b);
    }

    // Of a pair, from memory.
    double pair_error(std::uint32_t pack) const { return errors_[pack]; }

    void add(std::uint32_t a, std::uint32_t b, std::uint32_t c = kNobody);
    // Puts a record into the pack of another; a fourth splits it into two pairs, the cheapest ones.
    void join(std::uint32_t record, std::uint32_t pack);
    // Takes a record from a triple.
    void leave(std::uint32_t record);
    // Puts a record, which was in none or has left, into another's place, who is in none then.
    void take_place(std::uint32_t record, std::uint32_t other);
    // What it costs more to put a record into a pack.
    double cost_to_join(std::uint32_t record, std::uint32_t pack) const;

  private:
    double apart(std::uint32_t a, std::uint32_t b) const { return squared_distance(X_[a], X_[b], X_.m); }
    void note_error(std::uint32_t pack) { errors_[pack] = is_triple(pack) ? kInfinity : error(pack); }
    // Which of three a fourth is best paired with, and what both pairs cost.
    std::pair<std::size_t, double> best_split(std::uint32_t record, std::uint32_t pack) const;

    Records X_;
    std::vector<std::array<std::uint32_t, 3>> packs_;
    std::vector<double> errors_;  // of pairs
    std::vector<std::uint32_t> pack_of_;
};

}  // namespace microagg
