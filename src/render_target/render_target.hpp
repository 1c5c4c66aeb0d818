// SPDX-License-Identifier: MIT
#pragma once
// Render-target write (RTW-1 to RTW-22) and output merger (OM-1 to OM-23).

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "image/output_state.hpp"
#include "image/surface.hpp"
#include "texture/context.hpp"
#include "texture/request.hpp"

namespace heddle::render_target {

using image::BlendEntry;
using image::BlendFactor;
using image::BlendFunction;
using image::LogicOp;
using image::OutputState;
using image::StencilOp;
using texture::LaneResult;
using texture::OperationContext;

/// Type of the color payload (RTW-10).
enum class PayloadType : std::uint8_t { F, HF };

/// One word a slot: binary32 bits, or the half or integer word in the low bits.
using SlotWords = std::array<std::uint32_t, 16>;

/// What M0 and M1 of the header message say (RTW-3).
struct RenderTargetHeader {
  std::array<std::uint32_t, 4> x{}, y{};  ///< M1.2 to M1.5: upper-left pixel of the subspans
  std::uint32_t enables = 0xFFFF;         ///< M1.7 [15:0], within the slot group
  std::uint32_t array_index = 0;          ///< M0.0 [26:16]: layer, z, face
  bool back = false;                      ///< M0.0 [15]
  std::uint32_t sspi = 0;                 ///< M0.0 [8:6]
  std::uint32_t viewport = 0;             ///< M0.0 [30:27]
};

struct RenderTargetMessage {
  std::uint32_t target = 0;       ///< which of OutputTargets::color; the binding, not the blend entry
  std::uint32_t simd = 8;         ///< 8 or 16 (RTW-2)
  bool slot_high = false;         ///< slots 16-31; header, masks and lanes are those of that group already
  std::uint32_t active = 0xFFFF;  ///< lanes of the execution mask and predicate (EXE-2)
  RenderTargetHeader header;
  SlotWords sample_mask = filled(0xFFFF);  ///< coverage of the slot's pixel from the dispatch (RTW-7)
  std::array<float, 16> frag_depth{};      ///< used where `z` is absent
  /// Where it is not null, instead of frag_depth: the depth (binary32) of slot k at sample s is
  /// sample_depths[s * sample_depth_pitch + k].
  const std::uint32_t* sample_depths = nullptr;
  std::uint32_t sample_depth_pitch = 0;

  std::uint32_t rti = 0;            ///< blend entry (M0.2)
  std::optional<std::uint32_t> si;  ///< RTW-11: in sample pairs
  bool last = false;                ///< LRTW
  bool per_sample = false;          ///< PS
  bool coarse = false;              ///< CM
  std::array<std::uint32_t, 2> coarse_size{1, 1};
  /// FSR-5: pixels of a slot's fragment, across and down. Where there are several, bits of `sample_mask`, `omask` and
  /// `survivors` and the depths of `sample_depths` are those of coverage indices.
  std::array<std::uint32_t, 2> fragment_size{1, 1};
  bool null_rt = false;  ///< NULLRT

  PayloadType type = PayloadType::F;    ///< of r, g, b, a, s0a
  std::optional<SlotWords> r, g, b, a;  ///< absent: a null operand, counts as 0
  std::optional<SlotWords> s0a;
  std::optional<SlotWords> omask;                      ///< UW
  std::optional<SlotWords> z;                          ///< F
  std::optional<SlotWords> stencil;                    ///< bytes
  std::array<std::optional<SlotWords>, 4> second;      ///< OM-22: second source of dual-source blending, library only
  std::optional<std::array<float, 16>> line_coverage;  ///< OM-25: how much of its pixel a smooth line covers
  /// Where to put, slot by slot, the samples that pass all tests (FBO-1); null: nowhere.
  SlotWords* survivors = nullptr;

  static constexpr SlotWords filled(std::uint32_t word) {
    SlotWords words{};
    words.fill(word);
    return words;
  }
};

/// What the messages of a pixel shader write to. Pointers may be null (no such surface) and several may name one
/// surface.
struct OutputTargets {
  std::vector<image::Surface*> color;
  image::Surface* depth = nullptr;    ///< R32_FLOAT, R24_UNORM_X8_TYPELESS or R16_UNORM
  image::Surface* stencil = nullptr;  ///< R8_UINT
  std::uint32_t samples = 1;          ///< of a pixel, where there is no surface that says it
  /// Counts the samples that pass all tests of messages with `last` (FBO-3); null: they are not counted.
  std::atomic<std::uint64_t>* samples_passed = nullptr;
};

/// Carries out one RT_WRITE message. Refused states are reported through the context; what remains of the message is
/// carried out. There is no state between messages: depth and stencil are tested against what is stored and committed
/// by the message with `last` set, after all its tests (RTW-17).
void write_render_target(OperationContext& context, const OutputTargets& targets, const OutputState& state,
                         const RenderTargetMessage& message);

/// One RT_READ message: slots as RTW-5 and RTW-6 place them. Pixels outside the target read 0; targets of several
/// samples are read at the slot's sample, or without `per_sample` at sample 0.
struct RenderTargetRead {
  std::uint32_t simd = 8;  ///< 8 or 16
  std::uint32_t active = 0xFFFF;
  RenderTargetHeader header;
  bool per_sample = false;
};
[[nodiscard]] LaneResult read_render_target(OperationContext& context, const image::Surface& surface,
                                            const RenderTargetRead& read);

/// OM-23: the mean of the samples of each pixel (integer formats: sample 0), written to the same level and slice of
/// `to`. Id: OM-23.
[[nodiscard]] base::Result<base::Done> resolve_samples(const image::Surface& from, image::Surface& to);

/// MSP-1: positions of the samples in 1/16 pixel.
struct SamplePosition {
  std::uint8_t x = 8, y = 8;
  bool operator==(const SamplePosition&) const = default;
};
struct SamplePattern {
  std::array<SamplePosition, 16> samples{};
  std::uint32_t count = 1;
};
/// 1, 2, 4, 8 or 16; other counts give the pattern of 1.
[[nodiscard]] SamplePattern standard_samples(std::uint32_t count);
/// From the dwords of 3DSTATE_SAMPLE_PATTERN (9 dwords, the command header first).
[[nodiscard]] SamplePattern sample_pattern(const std::array<std::uint32_t, 9>& words, std::uint32_t count);

/// One pixel of a render-target write through the whole output merger (RTW, OM): for people who want a value, not a
/// message.
void write_pixel(image::Surface& target, std::uint32_t x, std::uint32_t y, const std::array<float, 4>& rgba,
                 const image::OutputState& state = {}, OperationContext* context = nullptr);

/// The pieces, for tests and other engines.

/// OM-2 [C13]: which of 16 samples an alpha covers.
[[nodiscard]] std::uint32_t alpha_coverage(float alpha);
/// The color calculator's compare, not inverted; NaN by IEEE (C57).
[[nodiscard]] bool compare_values(image::CompareFunction function, double left, double right);
/// OM-7.
[[nodiscard]] std::uint8_t stencil_result(StencilOp op, std::uint8_t stored, std::uint8_t ref);
/// OM-13 on `bits` bits.
[[nodiscard]] std::uint32_t logic_result(LogicOp op, std::uint32_t source, std::uint32_t destination, unsigned bits);
/// OM-9: S, D, S1, C with R, G, B, A; the alpha set applies when `independent_alpha`.
struct BlendColors {
  std::array<float, 4> source{}, destination{}, second{}, constant{};
};
[[nodiscard]] std::array<float, 4> blend(const BlendEntry& entry, bool independent_alpha, const BlendColors& colors);
/// OM-12: the value added before the low four bits are dropped.
[[nodiscard]] unsigned dither_value(std::uint32_t x, std::uint32_t y);

}  // namespace heddle::render_target
