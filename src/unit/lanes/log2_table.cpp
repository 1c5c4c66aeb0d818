#include "unit/lanes/log2_table.hpp"

#include <array>

#include "base/half.hpp"
#include "unit/lod.hpp"

namespace heddle::unit::lanes {
namespace {

/// LOD-1 in steps: for each value of the 8 upper fraction bits the count at its start, and the lower 15 bits from which
/// one and two more thresholds are passed (8000h: never).
std::array<std::uint32_t, 512> make_log2_table() {
  std::array<std::uint32_t, 512> table{};
  const auto count = [](std::uint32_t fraction) { return log2fx(base::float_from_bits(0x3f800000u | fraction)); };
  for (std::uint32_t j = 0; j < 256; ++j) {
    const std::int32_t first = count(j << 15);
    std::uint32_t step[2] = {0x8000, 0x8000};
    for (std::int32_t n = 1; n <= 2; ++n) {
      if (count(j << 15 | 0x7fff) < first + n) continue;
      std::uint32_t low = 0, high = 0x7fff;  // count(low) < first + n <= count(high)
      while (high - low > 1) {
        const std::uint32_t middle = (low + high) / 2;
        (count(j << 15 | middle) >= first + n ? high : low) = middle;
      }
      step[n - 1] = high;
    }
    table[j] = static_cast<std::uint32_t>(first) << 16 | step[0];
    table[256 + j] = step[1];
  }
  return table;
}

}  // namespace

const std::uint32_t* log2_table() {
  static const std::array<std::uint32_t, 512> table = make_log2_table();
  return table.data();
}

}  // namespace heddle::unit::lanes
