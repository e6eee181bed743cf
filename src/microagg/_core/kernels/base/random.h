// Random numbers that are the same on every machine: integers by splitmix64, no library's distribution or logarithm.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace microagg {

class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    // A generator for one of many parts of the work, whatever thread it runs on.
    static Random stream(std::uint64_t seed, std::uint64_t part, std::uint64_t round) {
        Random first(seed ^ (0xD1B54A32D192ED03ULL * (part + 1)));
        Random second(first.next() ^ (0x8CB92BA72F3D8DD7ULL * (round + 1)));
        return Random(second.next());
    }

    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }

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

    std::uint64_t state_;
};

}  // namespace microagg
