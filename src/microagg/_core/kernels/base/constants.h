// Numbers that stand for something everywhere: farther than anything, and nobody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace microagg {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr float kFloatInfinity = std::numeric_limits<float>::infinity();

// No row, group, column or place, where one is expected.
constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();
constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();  // where they are kept in 32 bits

}  // namespace microagg
