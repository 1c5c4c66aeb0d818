// SPDX-License-Identifier: MIT
#pragma once
// Questions about a type, by SPIR-V's numbers.

#include <spirv/unified1/spirv.hpp11>

#include "spirv/compile/module/types.hpp"

namespace heddle::spirv::compiler {

/// Whether a type has this operation.
[[nodiscard]] inline bool is(const TypeInfo& info, spv::Op op) { return info.op == static_cast<std::uint16_t>(op); }
/// Images, samplers and the like: what descriptors hold besides blocks.
[[nodiscard]] inline bool is_opaque(const TypeInfo& info) {
  return is(info, spv::Op::OpTypeImage) || is(info, spv::Op::OpTypeSampler) || is(info, spv::Op::OpTypeSampledImage) ||
         is(info, spv::Op::OpTypeAccelerationStructureKHR);
}

}  // namespace heddle::spirv::compiler
