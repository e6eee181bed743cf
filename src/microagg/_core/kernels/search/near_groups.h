// The groups near a record: those whose centroids lie within reach of it.
#pragma once

#include <vector>

#include "kernels/search/grouping.h"

namespace microagg {

class NearGroups {
  public:
    explicit NearGroups(const Grouping& groups);

    struct List {
        const std::uint32_t* first;
        std::size_t count;
        const std::uint32_t* begin() const { return first; }
        const std::uint32_t* end() const { return first + count; }
    };

    // About the nearest groups, of those whose centroids lie within the squared distance `reach` of a record, as they
    // lay when it last reached so far. Its own group may be among them by now, and groups that are vacant.
    List within(std::size_t record, double reach);
    List known(std::size_t record) const { return {&lists_[record * kMost], counts_[record]}; }

    // The squared distance of the nearest of them then, or how far the record looked where there was none.
    double nearest(std::size_t record) const { return nearest_[record]; }

    // The groups whose centroids are the nearest to that of a group, as they lie now, nearest first; valid until the
    // next call.
    List beside(std::uint32_t group, std::size_t count);

    // To be told of each group that changed.
    void follow(std::uint32_t group);

    // Every record looks anew when it reaches the next time.
    void forget() { reach_.assign(reach_.size(), -1.0); }

  private:
    static constexpr std::size_t kMost = 16;

    void measure(const double* x);
    std::size_t collect(float limit, std::uint32_t other_than, std::size_t most, std::uint32_t* list) const;

    const Grouping& groups_;
    double unit_;  // single precision holds 38 decades only: scales the block to at most 1
    std::size_t n_padded_;
    std::vector<float> columns_, point_, gaps_, least_;
    std::vector<double> reach_, nearest_;
    std::vector<std::uint32_t> lists_, counts_, beside_;
};

}  // namespace microagg
