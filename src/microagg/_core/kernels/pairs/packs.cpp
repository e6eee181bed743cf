#include "kernels/pairs/packs.h"

#include <algorithm>
#include <utility>

namespace microagg {

void Packs::add(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const auto pack = static_cast<std::uint32_t>(packs_.size());
    packs_.push_back({a, b, c});
    errors_.push_back(0.0);
    note_error(pack);
    for (const std::uint32_t record : packs_.back())
        if (record != kNobody) pack_of_[record] = pack;
}

std::pair<std::size_t, double> Packs::best_split(std::uint32_t record, std::uint32_t pack) const {
    const auto& three = packs_[pack];
    std::pair<std::size_t, double> best{0, kInfinity};
    for (std::size_t t = 0; t < 3; ++t) {
        const double cost = error(record, three[t]) + error(three[(t + 1) % 3], three[(t + 2) % 3]);
        if (cost < best.second) best = {t, cost};
    }
    return best;
}

double Packs::cost_to_join(std::uint32_t record, std::uint32_t pack) const {
    const double after =
        is_triple(pack) ? best_split(record, pack).second : error(record, packs_[pack][0], packs_[pack][1]);
    return after - error(pack);
}

void Packs::join(std::uint32_t record, std::uint32_t pack) {
    auto& who = packs_[pack];
    if (who[2] == kNobody) {
        who[2] = record;
        pack_of_[record] = pack;
        note_error(pack);
        return;
    }
    std::swap(who[best_split(record, pack).first], who[2]);
    const std::uint32_t with = std::exchange(who[2], kNobody);
    note_error(pack);
    add(with, record);
}

void Packs::leave(std::uint32_t record) {
    const std::uint32_t pack = std::exchange(pack_of_[record], kNobody);
    auto& who = packs_[pack];
    std::swap(*std::find(who.begin(), who.end(), record), who[2]);
    who[2] = kNobody;
    note_error(pack);
}

void Packs::take_place(std::uint32_t record, std::uint32_t other) {
    const std::uint32_t pack = std::exchange(pack_of_[other], kNobody);
    auto& who = packs_[pack];
    *std::find(who.begin(), who.end(), other) = record;
    pack_of_[record] = pack;
    note_error(pack);
}

}  // namespace microagg
