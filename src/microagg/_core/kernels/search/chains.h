// Chains: a record takes the place of one of another group, which takes the place of a third, and so on, until the last
// one takes the place that the first one left.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <vector>

#include "kernels/base/watch.h"
#include "kernels/search/chain_look.h"
#include "kernels/search/grouping.h"

namespace microagg {

class Chains {
  public:
    // A chain has at most `longest` steps.
    Chains(Grouping& groups, std::size_t longest, std::size_t threads);

    // Puts a record in the queue of those that look for a chain.
    void touch(std::uint32_t record);

    // Makes chains that lower the sum of squared errors, until the queue is empty or `stop` is set; gives the change of
    // the sum, zero or less. Sizes of groups stay, promises are kept. The same on any number of threads. `reached` is
    // told, on the calling thread, about how much is done.
    double run(const std::atomic<bool>& stop, const std::function<void(double)>& reached);

    // Of all looks (chain_look.h) so far: the work done.
    std::size_t n_steps() const { return n_steps_; }

  private:
    template <class Real>
    double run_in(double unit, const std::atomic<bool>& stop, const std::function<void(double)>& reached);
    void take_from_queue(std::vector<std::uint32_t>& looking);
    // The squared error of a group in which one record stands for another.
    double error_with(std::uint32_t group, std::uint32_t goes, std::uint32_t comes);
    bool pays(const Chain& chain);
    bool may_be_made(const Chain& chain);
    double make(const Chain& chain);

    Grouping& groups_;
    std::size_t longest_, threads_;
    double tolerance_;
    std::uint32_t round_ = 0;
    std::vector<std::uint32_t> changed_;  // of each group: the round in which it last changed
    std::vector<std::uint32_t> queue_, rows_, targets_;
    std::vector<char> in_queue_;
    std::vector<double> mean_;
    std::size_t head_ = 0, queued_ = 0, n_steps_ = 0;
};

struct ChainPlan {
    Limits limits;  // of groups; larger ones than it allows stay as they are
    std::size_t longest, threads;
    std::uint64_t seed;
};

// All records that may take part in chains, in one block without borders, and the groups that chains last left.
class Chained {
  public:
    Chained(Records X, const ChainPlan& plan, const Graph& graph, const std::vector<std::uint32_t>& labels);

    // Improves the groups by chains that begin where groups have changed since the last time, and near them.
    void improve(std::vector<std::uint32_t>& labels, Watch& watch, const std::function<void(double)>& reached);

  private:
    ChainPlan plan_;
    std::optional<Block> block_;       // none where there is nothing to do
    std::vector<std::uint32_t> last_;  // labels of its records, when chains last ended
};

}  // namespace microagg
