// SPDX-License-Identifier: MIT
#pragma once
// Counts what tests of depth and stencil look at and write, for the process's sink (texture/touches.hpp).

#include <memory>

#include "render_target/simd/prepared.hpp"

namespace heddle::render_target {

/// A message whose tests are counted: as itself it goes to write_counted, which has vector functions run it.
struct CountedWrite : simd::PreparedWrite {
  std::unique_ptr<simd::PreparedWrite> whole;    ///< the message
  std::unique_ptr<simd::PreparedWrite> stencil;  ///< its stencil test alone, which changes nothing; null: it has none
};

/// Null where vector functions can't say which samples the tests look at: the reference then tells each of them.
/// `message` notes its survivors.
[[nodiscard]] std::unique_ptr<CountedWrite> prepare_counted(const OutputTargets& targets, const OutputState& state,
                                                            const RenderTargetMessage& message,
                                                            OperationContext& context);

/// simd::DynamicState::fallback of a CountedWrite.
void write_counted(const simd::DynamicState* dynamic_state, const simd::Inputs* inputs, std::uint32_t width,
                   std::uint32_t mask, void* thread);

}  // namespace heddle::render_target
