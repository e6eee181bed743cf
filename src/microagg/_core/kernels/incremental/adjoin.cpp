// New records join groups that exist (Rebollo-Monedero et al. 2018).
//
//   for each new record x:
//       g = argmin |x - centroid[g]|^2, or with inertia size[g] / (size[g] + 1) * |x - centroid[g]|^2
//       x joins g;  size[g] += 1;  sum[g] += x - anchor[g]
//       moving: centroid[g] = anchor[g] + sum[g] / size[g]
//       split in the middle: if size[g] >= 2k, MDAV on the records of g; each part has a centroid of its own
//   split at the end: MDAV on the records of each g with size[g] >= 2k
//
// The anchor of a group is its first record, so that the centroid of equal records is exactly that record.
#include "kernels/incremental/adjoin.h"

#include <algorithm>
#include <vector>

#include "kernels/mdav/mdav.h"

namespace microagg {

namespace {

class GrowingGroups {
  public:
    GrowingGroups(Records records, const std::int64_t* labels, std::size_t n_labels, std::size_t questions,
                  bool with_inertia, Search search)
        : X(records), inertia(with_inertia), centroids(records.m, questions, search) {
        grow(static_cast<std::size_t>(*std::max_element(labels, labels + n_labels)) + 1);
        for (std::size_t i = 0; i < n_labels; ++i) count(i, static_cast<std::size_t>(labels[i]));
        for (std::size_t g = 0; g < number(); ++g) place(g);
    }

    std::size_t number() const { return members.size(); }

    void nearest(const double* record, std::size_t groups, Ranked* found) { centroids.nearest(record, groups, found); }

    void join(std::size_t row, std::size_t g, bool moving) {
        count(row, g);
        if (moving)
            place(g);
        else if (inertia)
            weigh(g);
    }

    // Where a group is large enough for two.
    void split(std::size_t g, std::size_t k, std::int64_t* labels) {
        if (members[g].size() < 2 * k) return;
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
            const std::size_t part = parts[i] == 0 ? g : first + static_cast<std::size_t>(parts[i]) - 1;
            count(rows[i], part);
            labels[rows[i]] = static_cast<std::int64_t>(part);
        }
        place(g);
        for (std::size_t part = first; part < number(); ++part) place(part);
    }

  private:
    void grow(std::size_t groups) {
        members.resize(groups);
        sums.resize(groups * X.m);
        points.resize(groups * X.m);
    }

    void count(std::size_t row, std::size_t g) {
        double* sum = &sums[g * X.m];
        if (members[g].empty()) std::fill_n(sum, X.m, 0.0);
        members[g].push_back(row);
        const double* anchor = X[members[g].front()];
        for (std::size_t j = 0; j < X.m; ++j) sum[j] += X[row][j] - anchor[j];
    }

    void place(std::size_t g) {
        const double* anchor = X[members[g].front()];
        const auto n = static_cast<double>(members[g].size());
        for (std::size_t j = 0; j < X.m; ++j) points[g * X.m + j] = anchor[j] + sums[g * X.m + j] / n;
        weigh(g);
    }

    void weigh(std::size_t g) {
        const auto n = static_cast<double>(members[g].size());
        centroids.put(g, &points[g * X.m], inertia ? n / (n + 1.0) : 1.0);
    }

    Records X;
    bool inertia;
    Centroids centroids;
    std::vector<std::vector<std::size_t>> members;  // rows, ascending
    std::vector<double> sums;                       // of each group: its records as seen from its first
    std::vector<double> points;                     // of each group: its centroid
};

}  // namespace

void adjoin(Records X, std::size_t n_base, std::size_t k, Split split, bool inertia, bool moving, Search search,
            std::int64_t* labels, const Progress& progress) {
    GrowingGroups groups(X, labels, n_base, X.n - n_base, inertia, search);
    for (std::size_t i = n_base; i < X.n; ++i) {
        Ranked found;
        groups.nearest(X[i], 1, &found);
        groups.join(i, found.row, moving);
        labels[i] = static_cast<std::int64_t>(found.row);
        if (split == Split::kMiddle) groups.split(found.row, k, labels);
        progress(static_cast<double>(i + 1 - n_base) / static_cast<double>(X.n - n_base));
    }
    if (split != Split::kEnd) return;
    const std::size_t before = groups.number();
    for (std::size_t g = 0; g < before; ++g) {
        groups.split(g, k, labels);
        progress(1.0);
    }
}

void closest_groups(Records X, const std::int64_t* labels, std::size_t n_labels, std::size_t first, std::size_t count,
                    std::int64_t* closest, const Progress& progress) {
    GrowingGroups groups(X, labels, n_labels, X.n - first, false, Search::kAuto);
    std::vector<Ranked> found(count);
    for (std::size_t i = first; i < X.n; ++i) {
        groups.nearest(X[i], count, found.data());
        for (const Ranked& each : found) *closest++ = static_cast<std::int64_t>(each.row);
        progress(static_cast<double>(i + 1 - first) / static_cast<double>(X.n - first));
    }
}

}  // namespace microagg
