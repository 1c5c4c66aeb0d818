#pragma once
// Render target writes: what RT_WRITE and raw render-target messages share (image-unit.md section 14).

#include <array>
#include <optional>

#include "machine/step.hpp"
#include "unit/render_target.hpp"

namespace heddle::instructions {

using HeaderWords = std::array<std::uint32_t, 8>;

/// RTW-3: the fields of M0 and M1 (`enables` as M1.7 has them).
[[nodiscard]] unit::RenderTargetHeader target_header(const HeaderWords& m0, const HeaderWords& m1);
/// Eight dwords of the thread's payload, from a byte on.
[[nodiscard]] HeaderWords payload_words(machine::Step& step, std::uint32_t offset);
/// RTW-3: M1 of a message without its own is R1, or R2 for the upper slots. Nothing, after a refusal, when the thread
/// was not started by a pixel dispatch.
[[nodiscard]] std::optional<HeaderWords> dispatched_positions(machine::Step& step, bool slot_high,
                                                              const machine::Operand* operand);

/// One word a slot of a raw operand.
[[nodiscard]] unit::SlotWords slot_words(machine::Step& step, const machine::Operand& operand, unsigned size);

/// Adds what the dispatch knows (RTW-7; slot 0 is the dispatch's lane `first_lane`) and carries the message out.
/// `surface` may be null with null_rt.
void write_target(machine::Step& step, const image::Surface* surface, unit::RenderTargetMessage& message,
                  unsigned first_lane);

/// Reads the target at the slots' pixels into R, G, B, A, each from the next register on. `first_slot`: lanes below it
/// keep what they have (SIMD32 is two reads of sixteen).
void read_target(machine::Step& step, const image::Surface& surface, const unit::RenderTargetHeader& header,
                 bool per_sample, unsigned first_slot, const machine::Operand& destination);

}  // namespace heddle::instructions
