// SPDX-License-Identifier: MIT
#pragma once
// The entry point that is compiled.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "isa/shader_stage.hpp"
#include "spirv/compile/module/constants.hpp"
#include "spirv/module.hpp"

namespace heddle::spirv::compiler {

struct EntryPoint {
  isa::ShaderStage stage{};
  std::uint32_t function = 0;
  std::string name;
  std::vector<std::uint32_t> interface_ids;
  /// Execution mode -> operands (ids of LocalSizeId resolved).
  std::map<std::uint32_t, std::vector<std::uint32_t>> modes;

  [[nodiscard]] bool has_mode(std::uint32_t mode) const { return modes.contains(mode); }
};

/// `stage`: of its execution model.
[[nodiscard]] EntryPoint read_entry_point(const Module& module, const Instruction& point, isa::ShaderStage stage,
                                          Constants& constants);

/// R22: whether the entry point has implicit derivatives.
[[nodiscard]] bool has_derivatives(const EntryPoint& entry);

}  // namespace heddle::spirv::compiler
