// SPDX-License-Identifier: MIT
// Granularities and the structure's encoding: footprint.md sections 2 and 5.
// Rules: FC4, FP-3, FP-11, FP-14, FP-16 to FP-20, I1, I2, I4 to I9, I12 to I14, I16.

#include <algorithm>
#include <bit>

#include "texture/footprint.hpp"

namespace heddle::texture {
namespace {

struct GranularityRow {
  Coordinates3 flat, volume;  ///< first component 0: reserved
};
constexpr GranularityRow kGranularities[16] = {
    {{0, 0, 0}, {0, 0, 0}},       {{2, 2, 1}, {2, 2, 2}},        {{4, 2, 1}, {0, 0, 0}},
    {{4, 4, 1}, {4, 4, 2}},       {{8, 4, 1}, {0, 0, 0}},        {{8, 8, 1}, {0, 0, 0}},
    {{16, 8, 1}, {0, 0, 0}},      {{16, 16, 1}, {0, 0, 0}},      {{0, 0, 0}, {0, 0, 0}},
    {{0, 0, 0}, {0, 0, 0}},       {{0, 0, 0}, {16, 16, 16}},     {{64, 64, 1}, {32, 16, 16}},
    {{128, 64, 1}, {32, 32, 16}}, {{128, 128, 1}, {32, 32, 32}}, {{256, 128, 1}, {64, 32, 32}},
    {{256, 256, 1}, {0, 0, 0}},
};

constexpr std::uint64_t kByteColumns = 0x0101010101010101u;
constexpr std::uint64_t kNibbleColumns = 0x1111111111111111u;

/// Bits whose column, row or slice (k = 0, 1, 2) belongs to the anchor's own set.
std::uint64_t own_bits(unsigned dim, unsigned k, std::uint32_t offset) {
  if (dim == 2) return k == 0 ? (0xffu >> offset) * kByteColumns : ~std::uint64_t{0} >> (8 * offset);
  if (k == 0) return (0xfu >> offset) * kNibbleColumns;
  if (k == 2) return ~std::uint64_t{0} >> (16 * offset);
  const std::uint64_t rows = 0xffffu >> (4 * offset);
  return rows * 0x0001000100010001u;
}

}  // namespace

std::optional<Coordinates3> granularity_size(unsigned dim, std::uint32_t granularity) {
  if (granularity > 15 || (dim != 2 && dim != 3)) return std::nullopt;
  const Coordinates3& size = dim == 2 ? kGranularities[granularity].flat : kGranularities[granularity].volume;
  if (size[0] == 0) return std::nullopt;
  return size;
}

std::uint32_t nearest_granularity(unsigned dim, std::uint32_t granularity) {
  for (std::uint32_t g = granularity; g <= 15; ++g)
    if (granularity_size(dim, g)) return g;
  return dim == 3 ? 14 : 15;
}

std::optional<Footprint> encode(std::span<const Coordinates3> texels, unsigned dim, std::uint32_t requested) {
  Footprint result;
  if (texels.empty()) return result;
  const std::uint32_t w = set_width(dim);
  for (std::uint32_t g = requested; g <= 15; ++g) {
    const auto size = granularity_size(dim, g);
    if (!size) continue;
    Coordinates3 low{~0u, ~0u, ~0u}, high{};
    for (const auto& t : texels)
      for (unsigned k = 0; k < dim; ++k) {
        low[k] = std::min(low[k], t[k] / (*size)[k]);
        high[k] = std::max(high[k], t[k] / (*size)[k]);
      }
    bool fits = true;
    for (unsigned k = 0; k < dim; ++k) fits &= high[k] - low[k] < w;
    if (!fits) continue;
    for (unsigned k = 0; k < dim; ++k) {  // FC4
      result.anchor[k] = high[k] / w;
      result.offset[k] = w * result.anchor[k] > low[k] ? w * result.anchor[k] - low[k] : 0;
    }
    for (const auto& t : texels) {
      unsigned bit = 0, scale = 1;
      for (unsigned k = 0; k < dim; ++k, scale *= w) bit += t[k] / (*size)[k] % w * scale;
      result.mask |= std::uint64_t{1} << bit;
    }
    result.granularity = g == requested ? 0 : g;
    return result;
  }
  return std::nullopt;
}

std::vector<Group> decode(const Footprint& footprint, unsigned dim) {
  std::vector<Group> groups;
  const std::uint32_t w = set_width(dim);
  for (std::uint64_t rest = footprint.mask; rest != 0; rest &= rest - 1) {
    const auto bit = static_cast<std::uint32_t>(std::countr_zero(rest));
    Group g{};
    std::uint32_t scale = 1;
    for (unsigned k = 0; k < dim; ++k, scale *= w) {
      const std::uint32_t local = bit / scale % w;
      g[k] = static_cast<std::int32_t>(w * footprint.anchor[k] + local) -
             (local + footprint.offset[k] >= w ? static_cast<std::int32_t>(w) : 0);
    }
    groups.push_back(g);
  }
  return groups;
}

SplitMasks split(const Footprint& footprint, unsigned dim) {
  SplitMasks result;
  const std::uint32_t w = set_width(dim);
  for (unsigned part = 0; part < (1u << dim); ++part) {
    SetMask one;
    one.mask = footprint.mask;
    for (unsigned k = 0; k < dim; ++k) {
      const std::uint64_t own = own_bits(dim, k, std::min(footprint.offset[k], w - 1));
      const bool before = (part >> k & 1u) != 0;
      one.mask &= before ? ~own : own;
      one.set[k] = static_cast<std::int32_t>(footprint.anchor[k]) - (before ? 1 : 0);
    }
    if (one.mask != 0) result.parts[result.count++] = one;
  }
  return result;
}

}  // namespace heddle::texture
