// Chains (after Lin and Kernighan's for tours; those of pairs of records are the alternating paths of a matching).
//
//   rounds:  the next records of the queue, each on any thread, look for a chain that pays; nothing changes meanwhile
//            chains are made, one after the other, if no group of theirs has changed in this round (otherwise their
//            first record waits for the next one); the members of groups that changed join the queue, and those near
//            who moved
//
// How a record looks for one is in chain_look.cpp: in single precision, unless what that rounds off counts beside the
// squared errors. Whether a chain pays is worked out again in double precision before it is made.
#include "kernels/search/chains.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/members.h"
#include "kernels/base/pool.h"
#include "kernels/neighbours/cells.h"
#include "kernels/search/chain_look.h"

namespace microagg {
namespace {

constexpr std::size_t kAtOnce = 64;        // one record in so many looks in a round: few want the same groups
constexpr std::size_t kLeastAtOnce = 128;  // records
constexpr std::size_t kSideBySide = 12;    // looks of a thread that wait for memory together
constexpr std::size_t kPieces = 4;         // of a round, for each thread; a piece has some records
constexpr std::size_t kLeastPiece = 16, kMostPiece = 256;
constexpr std::size_t kNearby = 32;   // records that lie together in memory, whatever their order
constexpr double kTolerance = 1e-12;  // of the mean scale of a record, and of the errors of a chain's groups: a gain
constexpr double kRounded = 1e-6;     // of the squared errors: what single precision may round off

}  // namespace

Chains::Chains(Grouping& groups, std::size_t longest, std::size_t threads)
    : groups_(groups),
      longest_(longest),
      threads_(threads),
      changed_(groups.n_slots(), 0),
      queue_(groups.n_records()),
      in_queue_(groups.n_records(), false) {
    double total = 0.0;
    for (const double scale : groups.block().scale) total += scale;
    tolerance_ = kTolerance * total / static_cast<double>(groups.n_records());
}

void Chains::touch(std::uint32_t record) {
    if (in_queue_[record]) return;
    in_queue_[record] = true;
    queue_[(head_ + queued_++) % queue_.size()] = record;
}

void Chains::take_from_queue(std::vector<std::uint32_t>& looking) {
    looking.clear();
    for (std::size_t left = std::min(queued_, std::max(kLeastAtOnce, queue_.size() / kAtOnce)); left > 0; --left) {
        looking.push_back(queue_[head_]);
        in_queue_[queue_[head_]] = false;
        head_ = (head_ + 1) % queue_.size();
        --queued_;
    }
}

double Chains::run(const std::atomic<bool>& stop, const std::function<void(double)>& reached) {
    double largest = 0.0, rounded = 0.0, errors = 0.0;
    for (const double value : groups_.block().values) largest = std::max(largest, std::abs(value));
    if (!(largest > 0.0)) return 0.0;
    for (const double value : groups_.block().values) {
        const double off = value / largest - static_cast<double>(static_cast<float>(value / largest));
        rounded += off * off;
    }
    for (std::uint32_t g = 0; g < groups_.n_slots(); ++g) errors += groups_.size(g) > 0 ? groups_.error(g) : 0.0;
    const bool is_rough = rounded > kRounded * errors / largest / largest;
    return is_rough ? run_in<double>(largest, stop, reached) : run_in<float>(largest, stop, reached);
}

template <class Real>
double Chains::run_in(double unit, const std::atomic<bool>& stop, const std::function<void(double)>& reached) {
    double change = 0.0, most = 0.0, taken = 0.0;
    Pool pool(threads_);
    Seats<Real> seats(groups_, 1.0 / unit);
    const std::vector<ChainLook<Real>> looks(
        kSideBySide, ChainLook<Real>(seats, groups_.block(), longest_, static_cast<Real>(tolerance_ / unit / unit)));
    std::vector<std::vector<ChainLook<Real>>> of_thread(threads_, looks);
    std::vector<std::uint32_t> looking;
    std::vector<Chain> chains;
    std::atomic<std::size_t> n_steps{0};
    while (queued_ > 0 && !stop.load(std::memory_order_relaxed)) {
        ++round_;
        take_from_queue(looking);
        chains.resize(std::max(chains.size(), looking.size()));
        const std::size_t piece = std::clamp(looking.size() / (kPieces * threads_), kLeastPiece, kMostPiece);
        pool.run((looking.size() + piece - 1) / piece, [&](std::size_t number, std::size_t thread) {
            std::size_t next = number * piece;
            const std::size_t end = std::min(looking.size(), next + piece);
            struct {
                ChainLook<Real>* look;
                std::size_t place;
            } open[kSideBySide];
            std::size_t n_open = 0, steps = 0;
            for (; n_open < kSideBySide && next < end; ++n_open) {
                open[n_open] = {&of_thread[thread][n_open], next};
                open[n_open].look->begin(looking[next++]);
            }
            while (n_open > 0)
                for (std::size_t t = 0; t < n_open; ++t) {
                    ++steps;
                    if (open[t].look->go_on()) continue;
                    chains[open[t].place] = open[t].look->chain();
                    if (next < end)
                        open[t].look->begin(looking[open[t].place = next++]);
                    else
                        open[t] = open[--n_open];
                }
            n_steps += steps;
        });
        for (std::size_t t = 0; t < looking.size(); ++t) {
            const Chain& chain = chains[t];
            if (chain.empty()) continue;
            const bool is_stale = std::any_of(chain.begin(), chain.end(),
                                              [&](const Step& step) { return changed_[step.group] == round_; });
            if (is_stale) {
                touch(looking[t]);
            } else if (pays(chain) && may_be_made(chain)) {
                change += make(chain);
                for (const Step& step : chain) seats.follow(step.group);
            }
        }
        taken += static_cast<double>(looking.size());
        reached(most = std::max(most, taken / (taken + static_cast<double>(queued_))));
    }
    n_steps_ += n_steps;
    return change;
}

// Worked out from the records alone, from the first member of each group on: what centroids have rounded off would be a
// gain here and again there among records that are nearly equal, and chains would never end.
double Chains::error_with(std::uint32_t group, std::uint32_t goes, std::uint32_t comes) {
    const Block& block = groups_.block();
    const std::uint32_t* members = groups_.members(group);
    const auto size = static_cast<double>(groups_.size(group));
    const double* first = block[members[0]];
    mean_.assign(block.stride, 0.0);
    const auto row = [&](std::size_t t) { return block[members[t] == goes ? comes : members[t]]; };
    for (std::size_t t = 0; t < groups_.size(group); ++t)
        for (std::size_t c = 0; c < block.stride; ++c) mean_[c] += row(t)[c] - first[c];
    for (double& sum : mean_) sum /= size;
    double error = 0.0;
    for (std::size_t t = 0; t < groups_.size(group); ++t)
        for (std::size_t c = 0; c < block.stride; ++c) {
            const double off = row(t)[c] - first[c] - mean_[c];
            error += off * off;
        }
    return error;
}

// Each group gets one record and gives the one that goes next.
bool Chains::pays(const Chain& chain) {
    double before = 0.0, after = 0.0;
    for (std::size_t t = 0; t < chain.size(); ++t) {
        const std::uint32_t comes = chain[t].record, goes = chain[(t + 1) % chain.size()].record;
        before += error_with(chain[t].group, goes, goes);
        after += error_with(chain[t].group, goes, comes);
    }
    return before - after > std::max(tolerance_, kTolerance * before);
}

// Whether all its groups keep their promises.
bool Chains::may_be_made(const Chain& chain) {
    if (!groups_.has_promises()) return true;
    for (std::size_t t = 0; t < chain.size(); ++t)
        if (!groups_.keeps(chain[t].group, chain[(t + 1) % chain.size()].record, chain[t].record)) return false;
    return true;
}

double Chains::make(const Chain& chain) {
    double before = 0.0, after = 0.0;
    rows_.clear(), targets_.clear();
    for (const Step& step : chain) {
        rows_.push_back(step.record), targets_.push_back(step.group);
        before += groups_.error(step.group);
    }
    groups_.move_all(rows_, targets_);
    for (const Step& step : chain) {
        after += groups_.error(step.group);
        changed_[step.group] = round_;
        for (std::size_t t = 0; t < groups_.size(step.group); ++t) touch(groups_.members(step.group)[t]);
        for (std::size_t t = 0; t < groups_.block().n_neighbours; ++t)
            touch(groups_.block().neighbours_of(step.record)[t]);
    }
    return after - before;
}

Chained::Chained(Records X, const ChainPlan& plan, const Graph& graph, const std::vector<std::uint32_t>& labels)
    : plan_(plan) {
    std::vector<std::size_t> sizes(*std::max_element(labels.begin(), labels.end()) + std::size_t{1}, 0);
    for (const std::uint32_t label : labels) ++sizes[label];
    // What lies together in space does so in memory.
    Pool pool(plan.threads);
    std::vector<std::uint32_t> rows, place(X.n, kNobody);
    for (const std::uint32_t row : cut_cells(X, kNearby, plan.seed, 0, pool).order)
        if (sizes[labels[row]] <= plan.limits.most) {
            place[row] = static_cast<std::uint32_t>(rows.size());
            rows.push_back(row);
        }
    if (rows.size() >= 2 * plan.limits.least && graph.count > 0)
        block_.emplace(X, rows.data(), rows.size(), graph, [&](std::uint32_t row) { return place[row]; });
}

void Chained::improve(std::vector<std::uint32_t>& labels, Watch& watch, const std::function<void(double)>& reached) {
    if (!block_) return;
    std::vector<std::uint32_t> part(block_->n);
    for (std::size_t i = 0; i < part.size(); ++i) part[i] = labels[block_->rows[i]];
    const std::size_t n_groups = renumber(part);
    Grouping groups(*block_, plan_.limits, part.data());
    Chains chains(groups, plan_.longest, plan_.threads);
    // A group is as it was if its members had the same label, and nobody else had it. Who is or lies near a member of
    // another one looks.
    std::vector<std::size_t> sizes(part.size(), 0);
    std::vector<char> is_new(n_groups, false);
    for (const std::uint32_t label : last_) ++sizes[label];
    for (std::uint32_t g = 0; g < n_groups; ++g) {
        const std::uint32_t *begin = groups.members(g), *end = begin + groups.size(g);
        const auto was_beside = [&](std::uint32_t record) { return last_[record] == last_[*begin]; };
        if (!last_.empty() && sizes[last_[*begin]] == groups.size(g) && std::all_of(begin, end, was_beside)) continue;
        is_new[g] = true;
    }
    for (std::uint32_t i = 0; i < part.size(); ++i) {
        const std::uint32_t *begin = block_->neighbours_of(i), *end = begin + block_->n_neighbours;
        if (is_new[part[i]] || std::any_of(begin, end, [&](std::uint32_t near) { return is_new[part[near]]; }))
            chains.touch(i);
    }
    chains.run(watch.stop(), reached);
    last_ = groups.labels();
    // Groups that take no part keep their numbers, the others come after these.
    const std::uint32_t first = *std::max_element(labels.begin(), labels.end()) + 1;
    for (std::size_t i = 0; i < part.size(); ++i) labels[block_->rows[i]] = first + last_[i];
    renumber(labels);
}

}  // namespace microagg
