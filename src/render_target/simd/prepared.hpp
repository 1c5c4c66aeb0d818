// SPDX-License-Identifier: MIT
#pragma once
// Render-target writes over SIMD lanes: write_render_target with the same bits, prepared once for a kind of message.

#include <memory>

#include "render_target/render_target.hpp"
#include "render_target/simd/state.hpp"
#include "texture/simd/prepared.hpp"

namespace heddle::render_target::simd {

using texture::simd::InstructionSet;

/// A resolved message. `message` is the pattern that the fallback completes with lanes.
struct PreparedWrite {
  StaticState static_state;
  DynamicState dynamic_state;  ///< dynamic_state.owner is this object: bind() after copying
  OutputTargets targets;
  OutputState state;
  RenderTargetMessage message;
  void bind() { dynamic_state.owner = this; }
};

/// Resolves targets, state and the shape of `message`: target, simd, rti, last, per_sample, coarse, null_rt, type and
/// which operands it has; their values, the header and the masks are not read. Refusals and warnings of the state go to
/// the context's reports. The surfaces must outlive the result; when their state or memory changes, prepare again.
[[nodiscard]] std::unique_ptr<PreparedWrite> prepare(const OutputTargets& targets, const OutputState& state,
                                                     const RenderTargetMessage& message, OperationContext& context);
[[nodiscard]] inline bool is_fast(const PreparedWrite& prepared) { return prepared.static_state.fast != 0; }

/// DynamicState::fallback (state.hpp); `thread` is an OperationContext*.
void write_reference(const DynamicState* dynamic_state, const Inputs* inputs, std::uint32_t width, std::uint32_t mask,
                     void* thread);

/// One message of the prepared kind. Equal to write_render_target().
void write(const PreparedWrite& prepared, const RenderTargetMessage& message, OperationContext& context);
void write(const PreparedWrite& prepared, const RenderTargetMessage& message, OperationContext& context,
           InstructionSet target);
/// The same with what changes from message to message as the functions take it.
void write(const PreparedWrite& prepared, const Inputs& inputs, std::uint32_t simd, std::uint32_t active,
           OperationContext& context, InstructionSet target);

}  // namespace heddle::render_target::simd
