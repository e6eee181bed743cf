// Points that may move, and which of them are nearest to a record.
#pragma once

#include <vector>

#include "kernels/base/ranked.h"
#include "kernels/base/records.h"

namespace microagg {

// Where to look for the nearest: at all points, under boxes, or whatever has been less work.
enum class Search { kAuto, kScan, kBoxes };

class Centroids {
  public:
    static constexpr std::size_t kLane = 32;

    // `questions` are expected: boxes must pay for themselves.
    Centroids(std::size_t n_columns, std::size_t questions, Search how);

    std::size_t size() const { return slot_of.size(); }

    // Moves a point, or adds the one numbered size(). Its squared distances count `weight` times.
    void put(std::size_t number, const double* point, double weight);

    // The `count` nearest, at most size(), ascending, `row` being a number; the lower one on a tie. The same, wherever
    // it looks.
    void nearest(const double* record, std::size_t count, Ranked* found);

  private:
    // The boxes of kLane blocks, or of kLane such nodes, side by side: column by column the least, then the greatest.
    struct Level {
        std::size_t n_boxes = 0;
        std::vector<double> boxes;
        std::vector<double> weights;  // of each box: the least in it
    };
    struct Query;

    double* value(std::size_t slot, std::size_t column) {
        return &values[(slot / kLane * m + column) * kLane + slot % kLane];
    }
    void write(std::size_t slot, const double* point, double weight);
    void widen(std::size_t slot, const double* point, double weight);
    void build();
    void sort(std::size_t* begin, std::size_t* end, Records points) const;
    void visit(Query& query, std::size_t level, std::size_t node) const;
    void visit_block(Query& query, std::size_t block) const;

    std::size_t m;
    Search search;
    bool stale = true;
    std::size_t changes = 0, asked = 0, visited = 0;  // since it was built
    std::vector<std::size_t> slot_of, number_of;      // of a number, of a slot
    std::vector<double> values, weights;              // blocks of kLane points, each m rows of kLane
    std::vector<Level> levels;                        // boxes of blocks, boxes of these, and so on to a single node
};

}  // namespace microagg
