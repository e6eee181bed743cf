// Two or three groups that lie side by side, merged and cut anew.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "kernels/search/block.h"

namespace microagg {

class Recut {
  public:
    Recut(const Block& block, std::size_t least) : block_(block), least_(least) {}

    // Cuts `size` records into `parts` groups of k to 2k-1 each: two or three. part(t) says where rows[t] goes. Gives
    // by how much the sum of squared errors of the parts lies below that of one group of all. The best cut there is up
    // to kExact records, a good one otherwise.
    static constexpr std::size_t kExact = 10;
    double cut(const std::uint32_t* rows, std::size_t size, std::size_t parts);
    std::uint32_t part(std::size_t t) const { return part_[t]; }

  private:
    // A way to cut few records, as two subsets of them, one bit for each record: what they leave, the last record with
    // it, is another part. The second is empty where there are two parts.
    struct Way {
        std::uint16_t one, other;
        std::uint8_t one_size, other_size;
    };

    const std::vector<Way>& ways(std::size_t size, std::size_t parts);
    void centre(const std::uint32_t* rows, std::size_t size);
    double best_of_all(std::size_t size, std::size_t parts);
    double halve(const std::uint32_t* rows, std::size_t size, std::size_t rest);
    double good_in_two(const std::uint32_t* rows, std::size_t size);
    double good_in_three(const std::uint32_t* rows, std::size_t size);
    double cut_again(const std::uint32_t* rows, std::size_t size, std::uint32_t a, std::uint32_t b);
    bool fits(std::size_t size) const { return size >= least_ && size < 2 * least_; }

    const Block& block_;
    std::size_t least_;
    std::map<std::pair<std::size_t, std::size_t>, std::vector<Way>> ways_;  // of a size and a number of parts
    std::vector<double> centred_, squares_, across_, sums_, direction_, along_;
    std::vector<std::uint32_t> order_, starts_, part_, chosen_, places_;
    std::vector<char> side_;
};

}  // namespace microagg
