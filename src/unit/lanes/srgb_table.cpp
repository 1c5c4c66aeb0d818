#include "unit/lanes/srgb_table.hpp"

#include <array>
#include <cstdint>

#include "base/half.hpp"
#include "image/formats/srgb.hpp"

namespace heddle::unit::lanes {
namespace {

struct alignas(64) Table {
  std::array<float, 256> values;
  std::array<std::array<std::uint8_t, 256>, 3> low;  ///< bytes 0 to 2 of each value
  std::array<std::uint8_t, 128> high;                ///< byte 3 of the first 128 values
  std::array<std::uint8_t, 64> high_pairs;           ///< byte 3 of the others, two after two
};

Table make_table() {
  Table table{};
  const auto values = image::srgb_decode_table(8);
  for (std::uint32_t v = 0; v < 256; ++v) {
    const std::uint32_t bits = base::bits_of(values[v]);
    table.values[v] = values[v];
    for (std::uint32_t k = 0; k < 3; ++k) table.low[k][v] = static_cast<std::uint8_t>(bits >> 8 * k);
    (v < 128 ? table.high[v] : table.high_pairs[v / 2 - 64]) = static_cast<std::uint8_t>(bits >> 24);
  }
  return table;
}

}  // namespace

const float* srgb_table() {
  static const Table table = make_table();
  return table.values.data();
}

}  // namespace heddle::unit::lanes
