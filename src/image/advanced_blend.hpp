// SPDX-License-Identifier: MIT
#pragma once
// Vulkan's advanced blend operations as state: VK_EXT_blend_operation_advanced (OM-26).

#include <cstdint>

namespace heddle::image {

/// In the order of Vulkan's enumerators from VK_BLEND_OP_ZERO_EXT on, behind Off.
enum class AdvancedBlendOp : std::uint8_t {
  Off,  ///< factors and functions blend
  Zero,
  Src,
  Dst,
  SrcOver,
  DstOver,
  SrcIn,
  DstIn,
  SrcOut,
  DstOut,
  SrcAtop,
  DstAtop,
  Xor,
  Multiply,
  Screen,
  Overlay,
  Darken,
  Lighten,
  ColorDodge,
  ColorBurn,
  HardLight,
  SoftLight,
  Difference,
  Exclusion,
  Invert,
  InvertRgb,
  LinearDodge,
  LinearBurn,
  VividLight,
  LinearLight,
  PinLight,
  HardMix,
  HslHue,
  HslSaturation,
  HslColor,
  HslLuminosity,
  Plus,
  PlusClamped,
  PlusClampedAlpha,
  PlusDarker,
  Minus,
  MinusClamped,
  Contrast,
  InvertOvg,
  Red,
  Green,
  Blue
};

/// How the parts of a pixel that source and destination cover lie to each other.
enum class BlendOverlap : std::uint8_t { Uncorrelated, Disjoint, Conjoint };

struct AdvancedBlend {
  AdvancedBlendOp op = AdvancedBlendOp::Off;
  BlendOverlap overlap = BlendOverlap::Uncorrelated;
  bool straight_source = false, straight_destination = false;  ///< colors are not multiplied by alpha
  bool clamped = false;                                        ///< results are clamped to 0 to 1
  bool operator==(const AdvancedBlend&) const = default;
};

}  // namespace heddle::image
