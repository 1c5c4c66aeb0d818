// SPDX-License-Identifier: MIT
#pragma once
// A render-target write as the vector functions read it: like state.hpp, plain data, `StaticState` constant.

#include "texture/simd/stored_channel.hpp"

namespace heddle::render_target::simd {

using image::BlendFactor;
using image::BlendFunction;
using image::CompareFunction;
using image::StencilOp;
using texture::simd::ChannelCode;
using texture::simd::SrgbTable;
using texture::simd::StoredChannel;

/// How depths are stored.
enum class DepthStorage : std::uint8_t { None, D32Float, D24UnormX8, D16Unorm };
[[nodiscard]] constexpr unsigned depth_bytes(DepthStorage storage) { return storage == DepthStorage::D16Unorm ? 2 : 4; }

/// BLEND_STATE entry, stencil faces and the message's shape. Only bytes.
struct StaticState {
  std::uint8_t fast = 0;
  std::uint8_t nothing = 0;  ///< the message changes no target, and which samples pass is not asked
  std::uint8_t color = 0;    ///< a color target is written
  std::uint8_t integer = 0, is_signed = 0;
  std::uint8_t half = 0;  ///< HF payload (RTW-10)
  std::uint8_t has[4]{};  ///< r, g, b, a operands (C53)
  std::uint8_t has_s0a = 0, has_omask = 0, has_z = 0, has_stencil = 0, has_sample_mask = 0;
  std::uint8_t last = 0;                         ///< LRTW
  std::uint8_t counts = 0, notes_survivors = 0;  ///< FBO-3, FBO-1
  std::uint8_t samples = 1;
  std::uint8_t element_bytes = 4;
  StoredChannel stored[4]{};
  ChannelCode decoded[4]{};   ///< for blending
  std::uint8_t routed[4]{};   ///< surface channel -> shader channel, ffh none (RTW-14)
  std::uint8_t written[4]{};  ///< by component (OM-14)
  std::uint8_t blending = 0, independent_alpha = 0;
  BlendFactor source_color = BlendFactor::One, destination_color = BlendFactor::Zero;
  BlendFunction color_function{};
  BlendFactor source_alpha = BlendFactor::One, destination_alpha = BlendFactor::Zero;
  BlendFunction alpha_function{};
  std::uint8_t pre_clamp = 0, source_only_clamp = 0, post_clamp = 0;
  std::uint8_t bounded[4]{};  ///< OM-8: component c is clamped to DynamicState::clamp[c]
  std::uint8_t alpha_to_coverage = 0, alpha_to_one = 0, alpha_test = 0;
  CompareFunction alpha_function_test{};
  std::uint8_t alpha_unorm8 = 0;
  DepthStorage depth{};
  std::uint8_t depth_test = 0, depth_write = 0;
  CompareFunction depth_function{};
  std::uint8_t stencil = 0, stencil_write = 0, double_sided = 0;
  CompareFunction stencil_function[2]{};  ///< front, back
  StencilOp fail[2]{}, depth_fail[2]{}, pass[2]{};
};

/// Memory of one level of a target, depth or stencil surface.
struct Plane {
  std::uint8_t* memory = nullptr;     ///< of the level's first layer
  const std::uint8_t* end = nullptr;  ///< of the whole memory
  std::uint32_t width = 0, height = 0;
  std::uint32_t row_pitch = 0;
  std::uint64_t layer_pitch = 0, sample_pitch = 0;  ///< bytes
  std::uint32_t first_layer = 0, last_index = 0;    ///< RTW-12
};

struct Inputs {
  const std::uint32_t* color[4];  ///< r, g, b, a: a word for each slot, halves in the low bits
  const std::uint32_t* s0a;
  const std::uint32_t* omask;
  const std::uint32_t* z;  ///< the operand, or the fragments' depths (binary32)
  std::uint32_t z_pitch;   ///< words from the depths of one sample to those of the next; 0: one depth for all samples
  const std::uint32_t* stencil;
  const std::uint32_t* sample_mask;
  std::uint32_t places[4];  ///< M1.2 to M1.5: x | y << 16
  std::uint32_t enables;    ///< M1.7
  std::uint32_t array_index, back, viewport, sspi;
  std::uint32_t* survivors;  ///< with StaticState::notes_survivors: a word for each slot, zero before
  std::uint32_t neighbors;   ///< not zero: the subspans are known to be neighbors in a row, from an even pixel on
};

struct DynamicState;
using Fallback = void (*)(const DynamicState* dynamic_state, const Inputs* inputs, std::uint32_t width,
                          std::uint32_t mask, void* thread);

struct DynamicState {
  Plane color, depth, stencil;
  const SrgbTable* srgb_decode = nullptr;
  const std::uint32_t* srgb_encode = nullptr;  ///< see encode_srgb
  Fallback fallback = nullptr;
  const void* owner = nullptr;
  std::uint64_t* samples_passed = nullptr;  ///< with StaticState::counts; changed atomically
  float clamp[4][2]{};
  float constant[4]{};
  float alpha_ref = 0;
  std::uint32_t viewports = 0;
  float depth_range[17][2]{};  ///< by viewport; the last one counts beyond `viewports`
  std::uint8_t test_mask[2]{255, 255}, write_mask[2]{255, 255}, reference[2]{};
};

}  // namespace heddle::render_target::simd

// `mask`: active lanes (EXE-2); the enables of the header are in `inputs`.
#define HEDDLE_SIMD_TARGET_ENTRY(name)                                      \
  void name(const heddle::render_target::simd::StaticState* static_state,   \
            const heddle::render_target::simd::DynamicState* dynamic_state, \
            const heddle::render_target::simd::Inputs* inputs, std::uint32_t mask, void* thread)
extern "C" {
HEDDLE_SIMD_TARGET_ENTRY(heddle_simd_rt_write_8);
HEDDLE_SIMD_TARGET_ENTRY(heddle_simd_rt_write_16);
}
