// SPDX-License-Identifier: MIT
#pragma once
// A compiled stage as bytes that outlive the process: of shader objects, and of pipelines.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/shader_stage.hpp"

namespace heddle::vulkan {

/// Names a stage's vISA, in 32 characters.
[[nodiscard]] std::string name_of(isa::ShaderStage stage, std::string_view visa);

[[nodiscard]] std::vector<std::uint8_t> bytes_of(isa::ShaderStage stage, std::string_view visa);

struct StageBinary {
  isa::ShaderStage stage{};
  std::shared_ptr<const std::string> visa;  ///< null: the bytes are none of this build
};
[[nodiscard]] StageBinary read_stage_binary(std::span<const std::uint8_t> bytes);

}  // namespace heddle::vulkan
