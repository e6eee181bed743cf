// Rounds in which groups wish for changes, and those wishes come true that do not stand in each other's way.
//
//   rounds:  every group, on any thread:  a wish about itself and another group, or none
//            wishes claim both groups; one that has both is granted, on any thread
//
// In a round nothing changes while wishes are made, so that it does not matter who makes them when. The temperature
// falls with the square of the time that is left, to nothing.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/base/pool.h"
#include "kernels/base/random.h"

namespace microagg {

struct Wish {
    std::uint32_t home, other;  // groups
    std::uint32_t x, y;         // members of them; y = kNobody where x joins
};

struct WishRounds {
    std::size_t n_groups, n_records;
    double sweeps;      // how often each record is looked at, about
    double heat;        // to begin with
    double cold;        // share of the rounds, at the end: only downhill
    std::size_t piece;  // groups that a thread takes at a time
    std::uint64_t seed;
    std::size_t turn;  // other random choices in each
    std::size_t threads;
};

// make(first, last, temperature, random, wishes, thread) appends what groups first..last-1 wish for; grant(wish,
// thread) does it; goes_on() is asked before each round, and reached(rounds done, of all) told after it.
template <class Make, class Grant, class GoesOn, class Reached>
void grant_wishes(const WishRounds& plan, const Make& make, const Grant& grant, const GoesOn& goes_on,
                  const Reached& reached) {
    const auto rounds = static_cast<std::size_t>(
        std::max(1.0, plan.sweeps * static_cast<double>(plan.n_records) / static_cast<double>(plan.n_groups)));
    const std::size_t pieces = (plan.n_groups + plan.piece - 1) / plan.piece;
    std::vector<std::vector<Wish>> wishes(pieces);
    std::vector<std::atomic<std::uint64_t>> claims(plan.n_groups);
    const auto raise = [&](std::uint32_t group, std::uint64_t value) {
        std::uint64_t seen = claims[group].load(std::memory_order_relaxed);
        while (seen < value && !claims[group].compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
        }
    };
    Pool pool(plan.threads);
    for (std::size_t round = 0; round < rounds && goes_on(); ++round) {
        const double left = 1.0 - static_cast<double>(round) / (static_cast<double>(rounds) * (1.0 - plan.cold));
        const double temperature = left > 0.0 ? plan.heat * left * left : 0.0;
        const std::uint64_t stamp = static_cast<std::uint64_t>(round + 1) << 32;
        const auto claim = [&](std::uint32_t group) {  // some other order of groups in every round
            return stamp | ((group + static_cast<std::uint32_t>(round)) * 0x9E3779B1U);
        };
        pool.run(pieces, [&](std::size_t piece, std::size_t thread) {
            Random random = Random::stream(plan.seed, piece, plan.turn * rounds + round);
            wishes[piece].clear();
            const std::size_t first = piece * plan.piece, last = std::min(plan.n_groups, first + plan.piece);
            make(first, last, temperature, random, wishes[piece], thread);
            for (const Wish& wish : wishes[piece])
                for (const std::uint32_t group : {wish.home, wish.other}) raise(group, claim(wish.home));
        });
        pool.run(pieces, [&](std::size_t piece, std::size_t thread) {
            for (const Wish& wish : wishes[piece])
                if (claims[wish.home] == claim(wish.home) && claims[wish.other] == claim(wish.home))
                    grant(wish, thread);
        });
        reached(round + 1, rounds);
    }
}

}  // namespace microagg
