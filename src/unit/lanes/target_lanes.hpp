#pragma once
// Render-target writes over SIMD lanes: write_render_target with the same bits, prepared once for a kind of message.

#include <memory>

#include "unit/lanes/lanes.hpp"
#include "unit/lanes/target_state.hpp"
#include "unit/render_target.hpp"

namespace heddle::unit::lanes {

/// A resolved message. `message` is the pattern that the fallback completes with lanes.
struct PreparedTarget {
  TargetFixed fixed;
  TargetVarying varying;  ///< varying.owner is this object: bind() after copying
  OutputTargets targets;
  OutputState state;
  RenderTargetMessage message;
  void bind() { varying.owner = this; }
};

/// Resolves targets, state and the shape of `message`: target, simd, rti, last, per_sample, coarse, null_rt, type and
/// which operands it has; their values, the header and the masks are not read. Refusals and warnings of the state go to
/// the context's reports. The surfaces must outlive the result; when their state or memory changes, prepare again.
[[nodiscard]] std::unique_ptr<PreparedTarget> prepare_target(const OutputTargets& targets, const OutputState& state,
                                                             const RenderTargetMessage& message, Context& context);
[[nodiscard]] inline bool is_fast(const PreparedTarget& prepared) { return prepared.fixed.fast != 0; }

/// The fallback of target_state.hpp; `thread` is a Context*.
void write_reference(const TargetVarying* varying, const TargetInputs* inputs, std::uint32_t width, std::uint32_t mask,
                     void* thread);

/// One message of the prepared kind. Equal to write_render_target().
void write(const PreparedTarget& prepared, const RenderTargetMessage& message, Context& context);
void write(const PreparedTarget& prepared, const RenderTargetMessage& message, Context& context, Target target);

}  // namespace heddle::unit::lanes
