// SPDX-License-Identifier: MIT
// Blending, logic operations, stencil operations, alpha to coverage and dither as functions of values: OM-2, OM-7,
// OM-9, OM-12, OM-13.

#include <bit>
#include <cmath>

#include "base/half.hpp"
#include "render_target/reference/advanced_blend.hpp"
#include "render_target/render_target.hpp"
#include "texture/filter.hpp"

namespace heddle::render_target {
namespace {

/// A factor for component `c` (3 = alpha).
float factor(BlendFactor which, unsigned c, const BlendColors& colors) {
  const auto& [s, d, s1, k] = colors;
  switch (which) {
    case BlendFactor::One:
      return 1.0f;
    case BlendFactor::Zero:
      return 0.0f;
    case BlendFactor::SrcColor:
      return s[c];
    case BlendFactor::SrcAlpha:
      return s[3];
    case BlendFactor::DstAlpha:
      return d[3];
    case BlendFactor::DstColor:
      return d[c];
    case BlendFactor::SrcAlphaSaturate:
      return c == 3 ? 1.0f : texture::rule_min(s[3], 1.0f - d[3]);
    case BlendFactor::ConstColor:
      return k[c];
    case BlendFactor::ConstAlpha:
      return k[3];
    case BlendFactor::Src1Color:
      return s1[c];
    case BlendFactor::Src1Alpha:
      return s1[3];
    case BlendFactor::InvSrcColor:
      return 1.0f - s[c];
    case BlendFactor::InvSrcAlpha:
      return 1.0f - s[3];
    case BlendFactor::InvDstAlpha:
      return 1.0f - d[3];
    case BlendFactor::InvDstColor:
      return 1.0f - d[c];
    case BlendFactor::InvConstColor:
      return 1.0f - k[c];
    case BlendFactor::InvConstAlpha:
      return 1.0f - k[3];
    case BlendFactor::InvSrc1Color:
      return 1.0f - s1[c];
    case BlendFactor::InvSrc1Alpha:
      return 1.0f - s1[3];
  }
  return 0.0f;
}

float combine(BlendFunction function, BlendFactor source, BlendFactor destination, unsigned c,
              const BlendColors& colors) {
  // OM-20 [C56]: MIN and MAX ignore the factors.
  if (function == BlendFunction::Min) return texture::rule_min(colors.source[c], colors.destination[c]);
  if (function == BlendFunction::Max) return texture::rule_max(colors.source[c], colors.destination[c]);
  const float a = colors.source[c] * factor(source, c, colors);
  const float b = colors.destination[c] * factor(destination, c, colors);
  switch (function) {
    case BlendFunction::Subtract:
      return base::canonical(a - b);
    case BlendFunction::ReverseSubtract:
      return base::canonical(b - a);
    default:
      return base::canonical(a + b);
  }
}

}  // namespace

std::array<float, 4> blend(const BlendEntry& entry, bool independent_alpha, const BlendColors& colors) {
  if (entry.advanced.op != image::AdvancedBlendOp::Off) return advanced_blend(entry.advanced, colors);
  std::array<float, 4> result{};
  for (unsigned c = 0; c < 3; ++c) result[c] = combine(entry.color_func, entry.src_color, entry.dst_color, c, colors);
  result[3] = independent_alpha ? combine(entry.alpha_blend_func, entry.src_alpha, entry.dst_alpha, 3, colors)
                                : combine(entry.color_func, entry.src_color, entry.dst_color, 3, colors);
  return result;
}

std::uint32_t logic_result(LogicOp op, std::uint32_t s, std::uint32_t d, unsigned bits) {
  std::uint32_t result = 0;
  switch (op) {
    case LogicOp::Clear:
      result = 0;
      break;
    case LogicOp::Nor:
      result = ~(s | d);
      break;
    case LogicOp::AndInverted:
      result = ~s & d;
      break;
    case LogicOp::CopyInverted:
      result = ~s;
      break;
    case LogicOp::AndReverse:
      result = s & ~d;
      break;
    case LogicOp::Invert:
      result = ~d;
      break;
    case LogicOp::Xor:
      result = s ^ d;
      break;
    case LogicOp::Nand:
      result = ~(s & d);
      break;
    case LogicOp::And:
      result = s & d;
      break;
    case LogicOp::Equiv:
      result = ~(s ^ d);
      break;
    case LogicOp::Noop:
      result = d;
      break;
    case LogicOp::OrInverted:
      result = ~s | d;
      break;
    case LogicOp::Copy:
      result = s;
      break;
    case LogicOp::OrReverse:
      result = s | ~d;
      break;
    case LogicOp::Or:
      result = s | d;
      break;
    case LogicOp::Set:
      result = ~0u;
      break;
  }
  return bits >= 32 ? result : result & ((1u << bits) - 1);
}

std::uint8_t stencil_result(StencilOp op, std::uint8_t stored, std::uint8_t ref) {
  switch (op) {
    case StencilOp::Keep:
      return stored;
    case StencilOp::Zero:
      return 0;
    case StencilOp::Replace:
      return ref;
    case StencilOp::IncrSat:
      return stored == 255 ? stored : static_cast<std::uint8_t>(stored + 1);
    case StencilOp::DecrSat:
      return stored == 0 ? stored : static_cast<std::uint8_t>(stored - 1);
    case StencilOp::Incr:
      return static_cast<std::uint8_t>(stored + 1);
    case StencilOp::Decr:
      return static_cast<std::uint8_t>(stored - 1);
    case StencilOp::Invert:
      return static_cast<std::uint8_t>(~stored);
  }
  return stored;
}

bool compare_values(image::CompareFunction function, double left, double right) {
  switch (function) {
    case image::CompareFunction::Always:
      return true;
    case image::CompareFunction::Never:
      return false;
    case image::CompareFunction::Less:
      return left < right;
    case image::CompareFunction::Equal:
      return left == right;
    case image::CompareFunction::Lequal:
      return left <= right;
    case image::CompareFunction::Greater:
      return left > right;
    case image::CompareFunction::Notequal:
      return left != right;
    case image::CompareFunction::Gequal:
      return left >= right;
  }
  return true;
}

std::uint32_t alpha_coverage(float alpha) {
  if (alpha != alpha) return 0;
  const float clamped = alpha < 0 ? 0.0f : alpha > 1 ? 1.0f : alpha;
  const auto m = static_cast<std::uint32_t>(clamped * 16.0f);
  return (0x1111u * ((0xFEA80u >> (m & ~3u)) & 0xFu)) | (0x0808u * (m & 2u)) | (0x0100u * (m & 1u));
}

unsigned dither_value(std::uint32_t x, std::uint32_t y) {
  static constexpr std::uint8_t kRows[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
  return kRows[y & 3][x & 3];
}

}  // namespace heddle::render_target
