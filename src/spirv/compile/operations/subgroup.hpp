// SPDX-License-Identifier: MIT
#pragma once
// What the handlers of subgroup operations share.

#include <cstdint>
#include <string>

#include "spirv/compile/core/handler.hpp"

namespace heddle::spirv::compiler {

/// Whether an operand can hold a ballot; reported when it cannot (SPIRV-Tools does not look).
[[nodiscard]] bool is_ballot(ShaderContext& t, std::uint32_t id);

/// A boolean: which of the active lanes group operations see, but those of quads. Helper invocations of fragment
/// shaders are not among them where there are others, and the shader asks neither for full quads nor to reconverge
/// maximally (SPV-21).
[[nodiscard]] Part group_members(ShaderContext& t);

/// OpGroupNonUniformPartitionNV: bits of the active lanes that hold the same value.
void translate_partition(ShaderContext& t);
/// A reduction or scan within the lanes of a ballot, each lane its own; false: it is one over the whole subgroup.
bool translate_partitioned(ShaderContext& t);
/// OpExtInst of SPV_AMD_shader_ballot and SPV_AMD_shader_trinary_minmax; false: another set.
bool translate_amd(ShaderContext& t, const std::string& set);

}  // namespace heddle::spirv::compiler
