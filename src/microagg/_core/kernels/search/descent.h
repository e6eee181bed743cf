// Local search: changes that lower the sum of squared errors, until no record knows of one.
#pragma once

#include <atomic>

#include "kernels/search/grouping.h"
#include "kernels/search/near_groups.h"
#include "kernels/search/recut.h"

namespace microagg {

// Groups that are merged and cut anew, where nothing else helps any more.
struct Recuts {
    std::size_t merged = 1;  // how many at once, at most: two, three, or one for none
    std::size_t beside = 0;  // how many of the nearest groups are tried with one
};

class Descent {
  public:
    // Looks in the groups of a record's neighbours in the block or, where `near` is given, in the groups near it.
    // Recuts need `near`.
    explicit Descent(Grouping& groups, NearGroups* near = nullptr, Recuts recuts = {});

    // Puts a record in the queue of those to be looked at.
    void touch(std::size_t record);
    void touch_all();

    // Works until the queue is empty or `stop` is set; gives the change of the sum of squared errors, zero or less.
    double run(const std::atomic<bool>& stop);

    // How often a record that was looked at has been compared with a group or a member of one: the work done.
    std::size_t n_compared() const { return n_compared_; }

    // Moves the members of a group to their best other groups with room, one by one, and gives the cost. Where a
    // member has no place to go, or the cost is above `limit`, everything is as before and the cost is infinite.
    double dissolve(std::uint32_t group, double limit);

    // Makes a group of k of the record and the nearest others, as far as their groups can spare them; of more where
    // promises need them. Otherwise like dissolve.
    double found(std::size_t record, double limit);

  private:
    enum class Leave { kUnknown, kNo, kYes };

    double improve(std::size_t record);
    bool may_leave(std::size_t record, Leave* leave);
    bool trial_keeps();
    double recut(std::uint32_t home);
    double recut_together();
    double reach(std::size_t record);
    bool may_dissolve(std::uint32_t group, double limit);
    const std::vector<std::uint32_t>& companions(std::size_t record);
    std::uint32_t cheapest_host(std::size_t record, double* cost);
    void changed(std::uint32_t group);
    double settle(double cost, double limit);
    void put(std::size_t record, std::uint32_t to, double* cost);
    const std::vector<std::uint32_t>& adjacent(std::size_t record);

    Grouping& groups_;
    NearGroups* near_;
    Recut recut_;
    Recuts recuts_;
    double tolerance_;
    std::vector<std::uint32_t> queue_;
    std::size_t head_ = 0, queued_ = 0, n_compared_ = 0;
    std::vector<bool> in_queue_;
    std::vector<std::uint32_t> adjacent_, companions_, founders_, stamp_, spared_, beside_, together_, rows_, targets_;
    std::vector<std::pair<double, std::uint32_t>> ranked_;
    std::vector<char> recut_tried_;  // of each group: since it last changed
    std::uint32_t now_ = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> trial_;
};

}  // namespace microagg
