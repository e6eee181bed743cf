#include "kernels/anneal.h"

#include <cstdlib>

#include "kernels/descent.h"

namespace microagg {
namespace {
double env(const char* name, double v) {
    const char* s = std::getenv(name);
    return s ? std::atof(s) : v;
}
}  // namespace
void anneal(Groups& groups, Random& random, double heat, const std::function<double(std::size_t)>& fraction,
            const std::atomic<bool>& stop) {
    const Block& block = groups.block();
    Descent descent(groups);
    const std::size_t n = block.n, k = groups.least();
    static const double pdis = env("PDIS", 0.02), pfound = env("PFOUND", 0.02), pow_ = env("POW", 2),
                        local = env("LOCALT", 1);
    static const int bestY = (int)env("BESTY", 1);
    double mean = 0;
    for (double s : block.scale) mean += s;
    mean /= n;
    std::size_t moves = 0;
    double f = 0;
    while (!stop.load(std::memory_order_relaxed) && (f = fraction(moves)) < 1.0) {
        const double left = 1.0 - f;
        double cool = left;
        if (pow_ >= 2) cool *= left;
        if (pow_ >= 3) cool *= left;
        if (pow_ >= 4) cool *= left;
        const double heat_now = heat * cool;
        for (int t = 0; t < 1024; ++t, ++moves) {
            const std::size_t x = random.below(n);
            const std::size_t j = block.neighbours_of(x)[random.below(block.n_neighbours)];
            const std::uint32_t a = groups.group_of(x), b = groups.group_of(j);
            if (a == b) continue;
            const double limit = heat_now * (local ? block.scale[x] : mean) * random.exponential();
            const double u = random.uniform();
            if (groups.size(a) > k) {
                if (u < pfound) {
                    descent.found(x, limit);
                    continue;
                }
                if (u < 0.6 && groups.size(b) < groups.most()) {
                    if (groups.join_cost(x, b) - groups.leave_gain(x) < limit) groups.move(x, b);
                    continue;
                }
            } else if (u < pdis) {
                descent.dissolve(a, limit);
                continue;
            }
            std::size_t y;
            double c;
            if (bestY) {
                c = 1e300;
                y = x;
                for (std::size_t q = 0; q < groups.size(b); ++q) {
                    const std::size_t z = groups.members(b)[q];
                    if (z == j) continue;
                    const double d = groups.swap_cost(x, z);
                    if (d < c) c = d, y = z;
                }
            } else {
                y = groups.members(b)[random.below(groups.size(b))];
                if (y == j) continue;
                c = groups.swap_cost(x, y);
            }
            if (c < limit) groups.swap(x, y);
        }
    }
    descent.touch_all();
    descent.run(stop);
}

}  // namespace microagg
