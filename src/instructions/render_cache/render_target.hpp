// SPDX-License-Identifier: MIT
#pragma once
// Render target writes: what RT_WRITE and raw render-target messages share (RTW-1 to RTW-22).

#include <array>
#include <optional>

#include "machine/execution_context.hpp"
#include "render_target/render_target.hpp"

namespace heddle::instructions {

using HeaderWords = std::array<std::uint32_t, 8>;

/// RTW-3: the fields of M0 and M1 (`enables` as M1.7 has them).
[[nodiscard]] render_target::RenderTargetHeader target_header(const HeaderWords& m0, const HeaderWords& m1);
/// Eight dwords of the thread's payload, from a byte on.
[[nodiscard]] HeaderWords payload_words(machine::ExecutionContext& context, std::uint32_t offset);
/// RTW-3: M1 of a message without its own is R1, or R2 for the upper slots. Nothing, after a refusal, when the thread
/// was not started by a pixel dispatch.
[[nodiscard]] std::optional<HeaderWords> dispatched_positions(machine::ExecutionContext& context, bool slot_high,
                                                              const machine::Operand* operand);

/// One word a slot of a raw operand. `read`: the lanes in which somebody reads it; without it those that run.
[[nodiscard]] render_target::SlotWords slot_words(machine::ExecutionContext& context, const machine::Operand& operand,
                                                  unsigned size, std::optional<std::uint32_t> read = {});

/// What a write to a target with that index leaves of its operands: those of a run that is checked are undefined only
/// where somebody reads them (run-undefined-register).
class ReadParts {
 public:
  ReadParts(machine::ExecutionContext& context, const image::Surface* surface, unsigned index);
  /// The lanes whose red, green, blue or alpha (0 to 3) is stored, or changes what is stored.
  [[nodiscard]] std::uint32_t color(unsigned component) const { return colors_[component] ? lanes_ : 0; }
  /// As color(), of the second source: where a factor of the blending names it.
  [[nodiscard]] std::uint32_t second_color(unsigned component) const { return second_[component] ? lanes_ : 0; }
  [[nodiscard]] std::uint32_t alpha_of_first() const { return coverage_from_alpha_ ? lanes_ : 0; }
  [[nodiscard]] std::uint32_t mask() const { return lanes_; }
  [[nodiscard]] std::uint32_t depth() const { return depth_ ? lanes_ : 0; }
  [[nodiscard]] std::uint32_t stencil() const { return stencil_ ? lanes_ : 0; }

 private:
  void take_factors(const image::BlendEntry& blend, bool independent_alpha);
  std::array<bool, 4> colors_{}, second_{};
  bool coverage_from_alpha_ = false, depth_ = false, stencil_ = false;
  std::uint32_t lanes_ = 0;  ///< with a sample that is covered
};

/// Adds what the dispatch knows (RTW-7; slot 0 is the dispatch's lane `first_lane`) and carries the message out.
/// `surface` may be null with null_rt.
void write_target(machine::ExecutionContext& context, const image::Surface* surface,
                  render_target::RenderTargetMessage& message, unsigned first_lane);

/// Reads the target at the slots' pixels into R, G, B, A, each from the next register on. `first_slot`: lanes below it
/// keep what they have (SIMD32 is two reads of sixteen).
void read_target(machine::ExecutionContext& context, const image::Surface& surface,
                 const render_target::RenderTargetHeader& header, bool per_sample, unsigned first_slot,
                 const machine::Operand& destination);

}  // namespace heddle::instructions
