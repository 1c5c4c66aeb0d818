#include "unit/lanes/srgb_table.hpp"

#include "base/half.hpp"
#include "image/formats/srgb.hpp"

namespace heddle::unit::lanes {
namespace {

SrgbTable make_table() {
  SrgbTable table{};
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

const SrgbTable& srgb_table() {
  static const SrgbTable table = make_table();
  return table;
}

}  // namespace heddle::unit::lanes
