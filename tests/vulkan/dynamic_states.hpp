// SPDX-License-Identifier: MIT
#pragma once
// States of pipelines that commands set.

#include <vector>

#include "vulkan/canvas.hpp"

namespace heddle::test {

/// Extensions whose states set_states() sets.
[[nodiscard]] std::vector<const char*> dynamic_state_extensions();
/// A pipeline of the same shaders, all of whose states commands set.
[[nodiscard]] PipelineState without_states(const PipelineState& state);
/// Sets what `state` says.
void set_states(const Canvas& canvas, VkCommandBuffer commands, const PipelineState& state);

}  // namespace heddle::test
