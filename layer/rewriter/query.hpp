// SPDX-License-Identifier: MIT
#pragma once
// One OpImageSampleFootprintNV: its operands, checked, and where its sampler comes from.

#include <cstdint>
#include <string>

#include "layer/rewriter/module.hpp"

namespace heddle::layer {

/// Where a sampler is loaded from.
struct SamplerOrigin {
  bool found = false;
  std::uint32_t set = 0, binding = 0;
  std::uint32_t index = 0;  ///< id of the array index, 0: no array
};

enum class LevelOperand : std::uint8_t { None, Lod, Grad };

struct Query {
  unsigned dim = 2;
  std::uint32_t type = 0, result = 0, sampled_image = 0, image_type = 0, coordinate = 0, granularity = 0, coarse = 0;
  std::uint32_t components = 2;  ///< of the coordinate: more than `dim` where a producer was generous
  LevelOperand operand = LevelOperand::None;
  std::uint32_t lod = 0, dx = 0, dy = 0, bias = 0, min_lod = 0, offset = 0;  ///< ids, 0: absent
  SamplerOrigin sampler;
};

/// Empty, or why the instruction is none that can be rewritten.
[[nodiscard]] std::string read_query(const Module& module, const Instruction& instruction, Query& query);

}  // namespace heddle::layer
