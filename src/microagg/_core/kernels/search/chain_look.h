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
    static constexpr std::size_t kWays = 2;
    static constexpr std::size_t kMostGroups = 64;  // near a record

    enum class Next { kHome, kSeats, kLeave, kGroups, kCentroids, kMembers, kWays };
    struct Near {
        std::uint32_t group;
        Real gap;
    };
    struct Way {  // `leaving` leaves its seat in the group for who came before it on the chain
        std::uint32_t leaving, group;
        std::size_t seat;
        Real gain;
    };
    struct Frame {
        std::uint32_t leaving;
        std::size_t seat;
        Real gain;
        std::size_t n_ways, tried;
        Way ways[kWays];
    };

    MICROAGG_INLINE bool step();
    MICROAGG_INLINE void leave_home();
    MICROAGG_INLINE void weigh_groups();
    MICROAGG_INLINE void weigh_members();
    MICROAGG_INLINE bool follow_ways();
    void find_groups();
    void extend(std::uint32_t leaving, std::size_t seat, Real gain);
    bool is_on_chain(std::uint32_t group) const;

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
    std::vector<Frame> frames_;            // one for each record on the chain
    std::size_t depth_ = 0;
    Near near_[kMostGroups];
    std::size_t n_near_ = 0;
};

}  // namespace microagg
