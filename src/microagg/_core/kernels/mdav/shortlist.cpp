// The best few of many (the pseudo-code is in shortlist.h).
//
//   limit_by(rows):  the wanted-th least key of rows that will be offered anyway is a limit from the start
#include "kernels/mdav/shortlist.h"

#include <algorithm>

#include "kernels/base/constants.h"

namespace microagg {

Shortlist::Shortlist(Records records, std::size_t row, std::size_t count, double sign)
    : X(records), asked(row), wanted(count), capacity(2 * count + 16), direction(sign) {
    found.reserve(capacity);
}

void Shortlist::limit_by(const std::vector<std::size_t>& rows) {
    if (!open()) return;
    std::vector<double> keys;
    for (const std::size_t row : rows)
        if (row != asked) keys.push_back(direction * squared_distance(X[row], X[asked], X.m));
    if (keys.size() < wanted) return;
    const auto last = keys.begin() + static_cast<std::ptrdiff_t>(wanted - 1);
    std::nth_element(keys.begin(), last, keys.end());
    if (*last < beyond.distance) beyond = {*last, kNowhere};
}

void Shortlist::shrink() {
    if (!open() || found.size() < wanted) return;
    const auto last = found.begin() + static_cast<std::ptrdiff_t>(wanted - 1);
    std::nth_element(found.begin(), last, found.end(),
                     [](const Candidate& a, const Candidate& b) { return a.high < b.high; });
    if (last->high < beyond.distance) beyond = {last->high, kNowhere};
    const double most = beyond.distance;
    found.erase(std::remove_if(found.begin(), found.end(), [most](const Candidate& c) { return c.low > most; }),
                found.end());
    if (found.size() > capacity / 2) keep_best_measured();
}

void Shortlist::keep_best_measured() {
    for (Candidate& c : found)
        if (c.low != c.high) c.low = c.high = direction * squared_distance(X[c.row], X[asked], X.m);
    const auto before = [](const Candidate& a, const Candidate& b) {
        return std::tie(a.low, a.row) < std::tie(b.low, b.row);
    };
    if (open() && found.size() >= wanted) {
        const auto last = found.begin() + static_cast<std::ptrdiff_t>(wanted - 1);
        std::nth_element(found.begin(), last, found.end(), before);
        found.resize(wanted);
        beyond = {found.back().low, found.back().row};
    }
}

std::vector<Ranked> Shortlist::settle() {
    shrink();
    keep_best_measured();
    std::vector<Ranked> best;
    best.reserve(found.size());
    for (const Candidate& c : found) best.push_back({c.low, c.row});
    std::sort(best.begin(), best.end());
    for (Ranked& r : best) r.distance *= direction;
    return best;
}

}  // namespace microagg
