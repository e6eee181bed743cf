// Published ways.
//
//   merging:             while a group lacks something:  A = the one that lacks most;  B = that with the nearest
//   centroid
//                        to A's;  A = A + B
//   k-anonymity first:   while records are left:
//                          c = their centroid;  r = the farthest from c;  make a group of r
//                          s = the farthest from r of what is left;       make a group of s
//                        make a group of r:  fewer than 2k left: all of them
//                          C = r and the k - 1 nearest
//                          for y of the others, nearest to r first, while C lacks something:
//                            x = that member of C with which C + y - x lacks least
//                            if that is less than C lacks:  C = C + y - x
//
//   one of each:         while records are left:  r as above, s of the next;  make a group of r: of each part the
//   nearest
//                        record to r; then the nearest of all that are left in parts with more records than groups to
//                        come
//
// Ties go to the lower row or group.
#include "kernels/promises/published.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/base/constants.h"
#include "kernels/base/members.h"

namespace microagg {
namespace {

using Rows = std::vector<std::uint32_t>;

std::vector<double> mean_of(Records X, const Rows& rows) {
    std::vector<double> mean(X.m, 0.0);
    for (const std::uint32_t row : rows)
        for (std::size_t c = 0; c < X.m; ++c) mean[c] += X[row][c];
    for (double& value : mean) value /= static_cast<double>(rows.size());
    return mean;
}

std::uint32_t farthest(Records X, const Rows& rows, const double* from) {
    std::uint32_t chosen = rows[0];
    double most = -1.0;
    for (const std::uint32_t row : rows) {
        const double distance = squared_distance(X[row], from, X.m);
        if (distance > most) most = distance, chosen = row;
    }
    return chosen;
}

// Takes the group of a record out of those that are left, which stay in ascending order.
Rows group_around(Records X, std::size_t k, std::uint32_t centre, Judge& judge, Rows& left) {
    if (left.size() < 2 * k) return std::exchange(left, {});
    std::vector<std::pair<double, std::uint32_t>> ranked;
    for (const std::uint32_t row : left) ranked.emplace_back(squared_distance(X[row], X[centre], X.m), row);
    std::sort(ranked.begin(), ranked.end());
    Rows group;
    for (std::size_t t = 0; t < k; ++t) group.push_back(ranked[t].second);
    double lack = judge.lack(group.data(), k);
    for (std::size_t t = k; t < ranked.size() && lack > 0.0; ++t) {
        double least = kInfinity;
        std::size_t leaves = 0;
        for (std::size_t u = 0; u < k; ++u) {
            const double then = judge.lack(group.data(), k, group[u], ranked[t].second);
            if (then < least) least = then, leaves = u;
        }
        if (least < lack) lack = least, group[leaves] = ranked[t].second;
    }
    std::sort(group.begin(), group.end());
    Rows rest;
    std::set_difference(left.begin(), left.end(), group.begin(), group.end(), std::back_inserter(rest));
    left.swap(rest);
    return group;
}

}  // namespace

void merge_until_kept(Records X, const Promises& promises, const Progress& progress, std::int64_t* labels) {
    Rows numbers(labels, labels + X.n);
    const std::size_t n_groups = renumber(numbers);
    std::vector<Rows> groups(n_groups);
    for (std::size_t i = 0; i < X.n; ++i) groups[numbers[i]].push_back(static_cast<std::uint32_t>(i));
    Judge judge(promises, nullptr);
    std::vector<std::vector<double>> centroids;
    std::vector<double> lacks;
    for (const Rows& group : groups) {
        centroids.push_back(mean_of(X, group));
        lacks.push_back(judge.lack(group.data(), group.size()));
    }
    for (std::size_t n_left = n_groups; n_left > 1; --n_left) {
        const auto a = static_cast<std::size_t>(std::max_element(lacks.begin(), lacks.end()) - lacks.begin());
        if (!(lacks[a] > 0.0)) break;
        std::size_t b = a;
        double nearest = kInfinity;
        for (std::size_t g = 0; g < n_groups; ++g) {
            if (g == a || groups[g].empty()) continue;
            const double distance = squared_distance(centroids[g].data(), centroids[a].data(), X.m);
            if (distance < nearest) nearest = distance, b = g;
        }
        groups[a].insert(groups[a].end(), groups[b].begin(), groups[b].end());
        groups[b].clear();
        lacks[b] = 0.0;
        centroids[a] = mean_of(X, groups[a]);
        lacks[a] = judge.lack(groups[a].data(), groups[a].size());
        progress(1.0 - static_cast<double>(n_left) / static_cast<double>(n_groups + 1));
    }
    for (std::size_t g = 0; g < n_groups; ++g)
        for (const std::uint32_t row : groups[g]) numbers[row] = static_cast<std::uint32_t>(g);
    renumber(numbers);
    std::copy(numbers.begin(), numbers.end(), labels);
}

void one_of_each(Records X, const std::int64_t* parts, std::size_t n_parts, const Progress& progress,
                 std::int64_t* labels) {
    Rows left(X.n);
    std::iota(left.begin(), left.end(), 0U);
    std::vector<std::size_t> sizes(n_parts, 0);
    for (std::size_t i = 0; i < X.n; ++i) ++sizes[static_cast<std::size_t>(parts[i])];
    const std::size_t n_groups = *std::min_element(sizes.begin(), sizes.end());
    std::vector<double> nearest(n_parts), distances(X.n);
    Rows chosen(n_parts);
    std::uint32_t end = 0;
    for (std::size_t group = 0; group < n_groups; ++group) {
        end = farthest(X, left, group % 2 == 0 ? mean_of(X, left).data() : X[end]);
        std::fill(nearest.begin(), nearest.end(), kInfinity);
        for (const std::uint32_t row : left) {
            const auto part = static_cast<std::size_t>(parts[row]);
            distances[row] = squared_distance(X[row], X[end], X.m);
            if (distances[row] < nearest[part]) nearest[part] = distances[row], chosen[part] = row;
        }
        for (std::size_t part = 0; part < n_parts; ++part) {
            labels[chosen[part]] = static_cast<std::int64_t>(group);
            --sizes[part];
        }
        std::uint32_t spare = kNobody;
        for (const std::uint32_t row : left) {
            const auto part = static_cast<std::size_t>(parts[row]);
            const bool is_spare = row != chosen[part] && sizes[part] > n_groups - group - 1;
            if (is_spare && (spare == kNobody || distances[row] < distances[spare])) spare = row;
        }
        if (spare != kNobody) {
            labels[spare] = static_cast<std::int64_t>(group);
            --sizes[static_cast<std::size_t>(parts[spare])];
        }
        left.erase(std::remove_if(left.begin(), left.end(),
                                  [&](std::uint32_t row) {
                                      return row == spare || row == chosen[static_cast<std::size_t>(parts[row])];
                                  }),
                   left.end());
        progress(static_cast<double>(group + 1) / static_cast<double>(n_groups));
    }
}

void k_anonymity_first(Records X, std::size_t k, const Promises& promises, const Progress& progress,
                       std::int64_t* labels) {
    Rows left(X.n);
    std::iota(left.begin(), left.end(), 0U);
    Judge judge(promises, nullptr);
    std::int64_t next = 0;
    const auto take = [&](std::uint32_t centre) {
        for (const std::uint32_t row : group_around(X, k, centre, judge, left)) labels[row] = next;
        ++next;
        progress(1.0 - static_cast<double>(left.size()) / static_cast<double>(X.n));
    };
    while (!left.empty()) {
        const std::uint32_t one = farthest(X, left, mean_of(X, left).data());
        take(one);
        if (!left.empty()) take(farthest(X, left, X[one]));
    }
}

}  // namespace microagg
