// New records join groups that exist (Rebollo-Monedero et al. 2018).
//
//   for each new record x:
//       g = argmin |x - centroid[g]|^2, or with inertia size[g] / (size[g] + 1) * |x - centroid[g]|^2
//       x joins g;  size[g] += 1;  sum[g] += x - anchor[g];  centroid[g] = anchor[g] + sum[g] / size[g]
//       split in the middle: if size[g] >= 2k, MDAV on the records of g
//   split at the end: MDAV on the records of each g with size[g] >= 2k
//
// The anchor of a group is its first record, so that the centroid of equal records is exactly that record. Centroids
// lie in blocks of kLane, column by column: the distances of a block are computed side by side, each with its columns
// in order, and are the same at every vector width.
#include "kernels/adjoin.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/mdav.h"
#include "kernels/multiversion.h"

namespace microagg {

namespace {

constexpr std::size_t kLane = 32;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The weighted squared distances of a point to the centroids of a block, and the least of them.
MICROAGG_MULTIVERSION
double measure(const double* block, const double* weights, const double* point, std::size_t m, double* distances) {
    double sums[kLane] = {};
    for (std::size_t j = 0; j < m; ++j) {
        const double* column = block + j * kLane;
        for (std::size_t lane = 0; lane < kLane; ++lane) {
            const double gap = point[j] - column[lane];
            sums[lane] += gap * gap;
        }
    }
    double least[kLane];
    for (std::size_t lane = 0; lane < kLane; ++lane) least[lane] = distances[lane] = sums[lane] * weights[lane];
    for (std::size_t half = kLane / 2; half > 0; half /= 2) {
        for (std::size_t lane = 0; lane < half; ++lane) {
            least[lane] = least[lane + half] < least[lane] ? least[lane + half] : least[lane];
        }
    }
    return least[0];
}

class Cells {
  public:
    Cells(Records records, std::size_t n_base, bool with_inertia, std::int64_t* group_of)
        : X(records), inertia(with_inertia), labels(group_of) {
        const auto last = *std::max_element(labels, labels + n_base);
        grow(static_cast<std::size_t>(last) + 1);
        for (std::size_t i = 0; i < n_base; ++i) count(i, static_cast<std::size_t>(labels[i]));
        for (std::size_t g = 0; g < members.size(); ++g) place(g);
    }

    std::size_t number() const { return members.size(); }
    std::size_t size(std::size_t g) const { return members[g].size(); }

    std::size_t nearest(const double* point) const {
        std::size_t best = 0;
        double least = kInfinity;
        double distances[kLane];
        for (std::size_t first = 0; first < weights.size(); first += kLane) {
            const double found = measure(&centroids[first * X.m], &weights[first], point, X.m, distances);
            if (!(found < least)) continue;
            least = found;
            best = first + static_cast<std::size_t>(std::find(distances, distances + kLane, found) - distances);
        }
        return best;
    }

    void join(std::size_t row, std::size_t g) {
        count(row, g);
        place(g);
    }

    // Where a group is large enough for two.
    void split(std::size_t g, std::size_t k) {
        if (size(g) < 2 * k) return;
        const std::vector<std::size_t> rows = std::move(members[g]);
        std::vector<double> values(rows.size() * X.m);
        for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(X[rows[i]], X.m, &values[i * X.m]);
        std::vector<std::int64_t> parts(rows.size());
        mdav({values.data(), rows.size(), X.m}, k, 1, parts.data(), [](double) {});
        const std::size_t first = number();
        const auto last = *std::max_element(parts.begin(), parts.end());
        members[g].clear();
        grow(first + static_cast<std::size_t>(last));
        for (std::size_t i = 0; i < rows.size(); ++i) {
            count(rows[i], parts[i] == 0 ? g : first + static_cast<std::size_t>(parts[i]) - 1);
        }
        place(g);
        for (std::size_t part = first; part < number(); ++part) place(part);
    }

  private:
    void grow(std::size_t groups) {
        members.resize(groups);
        sums.resize(groups * X.m);
        const std::size_t lanes = (groups + kLane - 1) / kLane * kLane;
        weights.resize(lanes, 1.0);
        centroids.resize(lanes * X.m, kInfinity);  // nobody is near an empty lane
    }

    void count(std::size_t row, std::size_t g) {
        labels[row] = static_cast<std::int64_t>(g);
        double* sum = &sums[g * X.m];
        if (members[g].empty()) std::fill_n(sum, X.m, 0.0);
        members[g].push_back(row);
        const double* anchor = X[members[g].front()];
        for (std::size_t j = 0; j < X.m; ++j) sum[j] += X[row][j] - anchor[j];
    }

    void place(std::size_t g) {
        const double* anchor = X[members[g].front()];
        const auto n = static_cast<double>(size(g));
        double* lane = &centroids[g / kLane * kLane * X.m + g % kLane];
        for (std::size_t j = 0; j < X.m; ++j) lane[j * kLane] = anchor[j] + sums[g * X.m + j] / n;
        if (inertia) weights[g] = n / (n + 1.0);
    }

    Records X;
    bool inertia;
    std::int64_t* labels;
    std::vector<std::vector<std::size_t>> members;  // rows, ascending
    std::vector<double> sums;                       // of each group: its records as seen from its first
    std::vector<double> weights;
    std::vector<double> centroids;  // blocks of kLane groups, each m rows of kLane
};

}  // namespace

void adjoin(Records X, std::size_t n_base, std::size_t k, Split split, bool inertia, std::int64_t* labels,
            const Progress& progress) {
    Cells cells(X, n_base, inertia, labels);
    for (std::size_t i = n_base; i < X.n; ++i) {
        const std::size_t g = cells.nearest(X[i]);
        cells.join(i, g);
        if (split == Split::kMiddle) cells.split(g, k);
        progress(static_cast<double>(i + 1 - n_base) / static_cast<double>(X.n - n_base));
    }
    if (split != Split::kEnd) return;
    const std::size_t before = cells.number();
    for (std::size_t g = 0; g < before; ++g) {
        cells.split(g, k);
        progress(1.0);
    }
}

}  // namespace microagg
