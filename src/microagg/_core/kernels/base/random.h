// Random numbers that are the same on every machine: whole numbers in, no library's distribution or logarithm.
//
//   next() = 64 bits of a generator;  below(b) = the upper half of them, times b, over 2^32
//   uniform() = 53 of them over 2^53;  exponential() = a table of -log(u), of which they choose an entry
//
// One class for all, over two generators. Published results hang on the numbers of both: neither may change.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace microagg {

// splitmix64.
class SplitMix {
  public:
    explicit SplitMix(std::uint64_t seed) : state_(seed) {}
    std::uint64_t operator()() {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }

  private:
    std::uint64_t state_;
};

// xorshift64*, by which tours are kicked.
class XorShift {
  public:
    explicit XorShift(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL + kFactor) {
        if (state_ == 0) state_ = 1;
    }
    std::uint64_t operator()() {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return state_ * kFactor;
    }

  private:
    static constexpr std::uint64_t kFactor = 0x2545F4914F6CDD1DULL;
    std::uint64_t state_;
};

template <class Generator>
class RandomOf {
  public:
    explicit RandomOf(std::uint64_t seed) : generator_(seed) {}

    // A generator for one of many parts of the work, whatever thread it runs on.
    static RandomOf stream(std::uint64_t seed, std::uint64_t part, std::uint64_t round) {
        RandomOf first(seed ^ (0xD1B54A32D192ED03ULL * (part + 1)));
        RandomOf second(first.next() ^ (0x8CB92BA72F3D8DD7ULL * (round + 1)));
        return RandomOf(second.next());
    }

    std::uint64_t next() { return generator_(); }

    // 0..bound-1, bound below 2^32.
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(((next() >> 32) * bound) >> 32); }

    // In [0, 1).
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

    // An exponential deviate with mean 1, to three digits: what the Metropolis rule compares with.
    double exponential() { return exponentials()[next() >> 54]; }

  private:
    static const std::array<double, 1024>& exponentials() {
        static const std::array<double, 1024> table = [] {
            std::array<double, 1024> values{};
            for (std::size_t t = 0; t < values.size(); ++t) {
                // -log(u) for u = (t + 1/2) / 1024: halvings, then 2 atanh((1 - u) / (1 + u)) by its series.
                double u = (static_cast<double>(t) + 0.5) / 1024.0, halvings = 0.0;
                while (u < 0.5) u *= 2.0, halvings += 1.0;
                const double z = (1.0 - u) / (1.0 + u);
                double term = z, sum = 0.0;
                for (int odd = 1; odd < 40; odd += 2, term *= z * z) sum += term / odd;
                values[t] = 2.0 * sum + halvings * 0.69314718055994531;
            }
            return values;
        }();
        return table;
    }

    Generator generator_;
};

using Random = RandomOf<SplitMix>;
using KickRandom = RandomOf<XorShift>;

}  // namespace microagg
