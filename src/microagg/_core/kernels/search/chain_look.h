// The look of one record for a chain, step by step, so that many wait for memory together.
#pragma once

#include <vector>

#include "kernels/search/seats.h"

namespace microagg {

struct Step {
    std::uint32_t record, group;  // who goes, and where to
};
using Chain = std::vector<Step>;

template <class Real>
class ChainLook {
  public:
    // A chain has at most `longest` steps, and lowers the sum of squared errors by more than `tolerance`.
    ChainLook(const Seats<Real>& seats, const Block& block, std::size_t longest, Real tolerance);

    void begin(std::uint32_t record);
    // One step; gives whether there is more to do. While a look goes on, nothing changes.
    bool go_on();
    // When all is done: a chain that begins with the record and pays; otherwise an empty one.
    const Chain& chain() const { return chain_; }

  private:
    static constexpr std::size_t kWays = 5;         // on from one record
    static constexpr std::size_t kAbreast = 5;      // chains of the same length that are followed
    static constexpr std::size_t kMostGroups = 64;  // near a record

    enum class Next { kHome, kSeats, kLeave, kGroups, kCentroids, kMembers, kWays };
    struct Near {
        std::uint32_t group;
        Real gap;
    };
    struct Node {                      // a chain that has not come home yet
        std::uint32_t leaving, group;  // who comes next, and the group in which it gives its seat to who came before
        std::size_t seat;
        Real gain;
        std::size_t before;  // the node with that one; of the first node, itself
    };

    MICROAGG_INLINE bool step();
    MICROAGG_INLINE void leave_home();
    MICROAGG_INLINE void weigh_groups();
    MICROAGG_INLINE void weigh_members();
    MICROAGG_INLINE bool closes(const Node& way) const;
    void find_groups();
    void look_from(std::size_t node);
    bool go_further();
    bool is_on_chain(std::uint32_t group) const;
    void write_chain(const Node& last);

    friend bool go_on(ChainLook<float>& look);
    friend bool go_on(ChainLook<double>& look);

    const Seats<Real>& seats_;
    const Block& block_;
    std::size_t longest_;
    Real least_gain_, tolerance_ = 0;
    Real straight_;  // what the cosine of an angle may be at most
    Next next_ = Next::kHome;
    Chain chain_;
    std::uint32_t record_ = 0, home_ = 0;  // who begins, and the group it leaves
    Real share_ = 0;                       // (a - 1) / a of its size a
    Large<Real> rest_;                     // its centroid without that record
    std::vector<Node> nodes_, ways_;       // of all lengths so far; and those of the next length
    std::size_t node_ = 0, last_ = 0;      // the node that is looked from, and the end of those of its length
    std::size_t length_ = 0;
    Near near_[kMostGroups];
    std::size_t n_near_ = 0;
};

}  // namespace microagg
