// Annealing by moves, swaps, dissolving and founding.
//
//   repeat:  x = a random record, of group A;  z = one of its nearest neighbours, the nearer the
//            likelier, of group B other than A
//            limit = temperature * scale of x * an exponential deviate
//            one of  x joins B | x changes places with that member of B which makes it cheapest |
//                    A dissolves | x founds a group
//            is made if its cost is below the limit
//
// The scale of x is the mean squared distance to its neighbours: the sparse and the dense parts of the data are equally
// warm all the time, and freeze together. The temperature falls with the square of the time that is left.
#include "kernels/search/anneal.h"

#include "kernels/search/descent.h"

namespace microagg {
namespace {

constexpr std::size_t kMovesBetweenLooks = 1024;  // at the clock, and at the wish to stop
constexpr double kFound = 0.05, kMove = 0.6;      // where A can spare x: found below the one, move below the other
constexpr double kDissolve = 0.02;                // where it cannot

}  // namespace

std::size_t anneal(Grouping& groups, Random& random, double heat, const std::function<double(std::size_t)>& fraction,
                   const std::atomic<bool>& stop) {
    const Block& block = groups.block();
    const std::size_t k = groups.least();
    Descent descent(groups);
    double done = 0.0;
    for (std::size_t moves = 0; !stop.load(std::memory_order_relaxed) && (done = fraction(moves)) < 1.0;
         moves += kMovesBetweenLooks) {
        const double warmth = heat * (1.0 - done) * (1.0 - done);
        for (std::size_t t = 0; t < kMovesBetweenLooks; ++t) {
            const std::size_t x = random.below(block.n);
            const double reach = random.uniform();  // squared: nearer neighbours more often
            const std::size_t z = block.neighbours_of(
                x)[static_cast<std::size_t>(reach * reach * static_cast<double>(block.n_neighbours))];
            const std::uint32_t a = groups.group_of(x), b = groups.group_of(z);
            if (a == b) continue;
            const double limit = warmth * block.scale[x] * random.exponential();
            const double choice = random.uniform();
            if (groups.size(a) > k) {
                if (choice < kFound) {
                    descent.found(x, limit);
                    continue;
                }
                if (choice < kMove && groups.size(b) < groups.most()) {
                    if (groups.join_cost(x, b) - groups.leave_gain(x) < limit && groups.may_move(x, b))
                        groups.move(x, b);
                    continue;
                }
            } else if (choice < kDissolve) {
                descent.dissolve(a, limit);
                continue;
            }
            double cost = limit;
            const std::size_t partner = groups.cheapest_partner(x, b, z, &cost);
            if (partner != x) groups.swap(x, partner);
        }
    }
    descent.touch_all();
    descent.run(stop);
    return descent.n_compared();
}

}  // namespace microagg
