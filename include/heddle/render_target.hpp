// SPDX-License-Identifier: MIT
#pragma once
// Render targets: what a pixel shader's output does to color, depth and stencil images: coverage, depth and stencil
// test, blending, logic operations, conversion to the format.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "heddle/arrays.hpp"
#include "heddle/image.hpp"
#include "heddle/sampler.hpp"

namespace heddle {

enum class BlendFactor : std::uint8_t {
  Zero,
  One,
  SrcColor,
  InvSrcColor,
  DstColor,
  InvDstColor,
  SrcAlpha,
  InvSrcAlpha,
  DstAlpha,
  InvDstAlpha,
  ConstantColor,
  InvConstantColor,
  ConstantAlpha,
  InvConstantAlpha,
  SrcAlphaSaturate
};
enum class BlendOp : std::uint8_t { Add, Subtract, ReverseSubtract, Min, Max };
/// In the order of Vulkan's VkStencilOp.
enum class StencilOp : std::uint8_t {
  Keep,
  Zero,
  Replace,
  IncrementAndClamp,
  DecrementAndClamp,
  Invert,
  IncrementAndWrap,
  DecrementAndWrap
};

/// Color of one target.
struct BlendState {
  bool enable = false;
  BlendFactor src_color = BlendFactor::One, dst_color = BlendFactor::Zero;
  BlendOp color_op = BlendOp::Add;
  BlendFactor src_alpha = BlendFactor::One, dst_alpha = BlendFactor::Zero;
  BlendOp alpha_op = BlendOp::Add;
  std::array<bool, 4> write{true, true, true, true};  ///< R, G, B, A
};

struct StencilState {
  CompareOp compare = CompareOp::Always;  ///< (reference & read mask) OP (stored & read mask)
  StencilOp fail = StencilOp::Keep, depth_fail = StencilOp::Keep, pass = StencilOp::Keep;
  std::uint8_t reference = 0, read_mask = 0xFF, write_mask = 0xFF;
};

struct OutputState {
  std::vector<BlendState> blend;  ///< one for each target; missing ones are defaults; at most 8
  std::array<float, 4> blend_constant{};
  bool depth_test = false, depth_write = false;
  CompareOp depth_compare = CompareOp::Less;  ///< depth OP stored depth
  std::optional<StencilState> stencil;        ///< the stencil test, for front and back faces
};

/// What a pixel is written to.
struct RenderTargets {
  std::vector<Image> color;  ///< at most 8
  Image depth;               ///< R32_FLOAT, R24_UNORM_X8_TYPELESS or R16_UNORM; may be empty
  Image stencil;             ///< R8_UINT; may be empty
};

struct Pixel {
  std::uint32_t x = 0, y = 0;                ///< texels of the targets; pixels outside are dropped
  std::uint32_t layer = 0;                   ///< layer, z or face
  std::vector<std::array<float, 4>> colors;  ///< R, G, B, A for each target
  float depth = 0;                           ///< 0 to 1
};

/// Writes one pixel to all targets. All samples of a multisampled target are covered. Warnings of the rules are
/// dropped. Ids: usage-argument, and those of the rules ("RTW-10", "OM-8").
Result<Done> write_pixel(RenderTargets& targets, const Pixel& pixel, const OutputState& state = {});

/// Many pixels as arrays of 32-bit words. Inputs without an address are 0, `coverage` all samples.
struct PixelArrays {
  std::size_t count = 0;
  ArrayInput x, y, layer;                         ///< integers, as in Pixel
  std::vector<std::array<ArrayInput, 4>> colors;  ///< R, G, B, A for each target: floats, or the integers of its format
  ArrayInput depth;                               ///< floats
  ArrayInput coverage;                            ///< bit k: sample k of the pixel is covered
};

/// Writes them one after the other, so that later ones blend over earlier ones. Ids: as write_pixel.
Result<Done> write_pixels(RenderTargets& targets, const PixelArrays& pixels, const OutputState& state = {});

/// The same for one color target.
Result<Done> write_pixel(Image& target, std::uint32_t x, std::uint32_t y, const std::array<float, 4>& rgba,
                         const BlendState& blend = {});

/// Mean of each pixel's samples (integer formats: the first sample) into `to`, an image of one sample, of the same size
/// and format. Ids: usage-argument, OM-23.
Result<Done> resolve(const Image& from, Image& to);

}  // namespace heddle
