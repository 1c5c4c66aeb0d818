// SPDX-License-Identifier: MIT
#pragma once
// State of the output merger: what BLEND_STATE, COLOR_CALC_STATE, 3DSTATE_WM_DEPTH_STENCIL and CC_VIEWPORT say
// (HW-13, HW-14). Defaults are those of an `rt_write` request.

#include <array>
#include <cstdint>

#include "image/advanced_blend.hpp"
#include "image/enumerations.hpp"

namespace heddle::image {

/// BLEND_STATE entry of one render target.
struct BlendEntry {
  bool enable = false;
  BlendFactor src_color = BlendFactor::One, dst_color = BlendFactor::Zero;
  BlendFunction color_func = BlendFunction::Add;
  BlendFactor src_alpha = BlendFactor::One, dst_alpha = BlendFactor::Zero;
  BlendFunction alpha_blend_func = BlendFunction::Add;
  std::array<bool, 4> write_disable{};  ///< R, G, B, A
  bool logic_op_enable = false;
  LogicOp logic_op = LogicOp::Copy;
  bool pre_blend_src_only_clamp = false;
  ClampRange clamp_range = ClampRange::Target;
  bool pre_blend_clamp = false, post_blend_clamp = false;
  AdvancedBlend advanced;  ///< OM-26: in place of factors and functions
  bool operator==(const BlendEntry&) const = default;
};

struct StencilFace {
  CompareFunction func = CompareFunction::Always;
  StencilOp fail_op = StencilOp::Keep, zfail_op = StencilOp::Keep, pass_op = StencilOp::Keep;
  std::uint8_t test_mask = 0xFF, write_mask = 0xFF, ref = 0;
  bool operator==(const StencilFace&) const = default;
};

struct OutputState {
  std::array<BlendEntry, 8> blend{};
  bool alpha_to_coverage = false;
  bool alpha_to_coverage_dither = false;              ///< ignored (OM-2)
  bool alpha_to_coverage_disabled_by_shader = false;  ///< 3DSTATE_PS_EXTRA DW1[7]
  bool alpha_to_coverage_single = false;              ///< OM-2: targets of one sample too, as in Vulkan
  bool alpha_to_one = false;
  bool independent_alpha = false;
  bool alpha_test = false;
  CompareFunction alpha_func = CompareFunction::Always;
  float alpha_ref = 0;
  AlphaFormat alpha_format = AlphaFormat::Float32;
  bool logic_op_integers = false;  ///< OM-13: logic operations reach SNORM, UINT and SINT targets too, as in Vulkan
  bool dither = false;
  std::uint8_t dither_x = 0, dither_y = 0;
  std::array<float, 4> constant{};

  bool depth_test = false, depth_write = false;
  CompareFunction depth_func = CompareFunction::Always;
  std::array<float, 2> depth_range{0, 1};            ///< CC_VIEWPORT minimum, maximum; see `viewports`
  std::array<std::array<float, 2>, 16> viewports{};  ///< used instead of depth_range when viewport_count is not 0
  std::uint8_t viewport_count = 0;
  bool depth_bounds_test = false;  ///< OM-24
  std::array<float, 2> depth_bounds{0, 1};
  bool stencil_test = false, stencil_write = false, double_sided = false;
  StencilFace front, back;
  bool operator==(const OutputState&) const = default;
};

}  // namespace heddle::image
