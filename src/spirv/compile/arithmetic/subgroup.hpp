#pragma once
// What operations on subgroups share: a subgroup is one thread, its SIMD width the subgroup's size.

#include <string>
#include <string_view>

#include "spirv/compile/core/context.hpp"

namespace heddle::spirv::compiler {

/// Bits of the active lanes for which the condition holds, the same for all lanes.
[[nodiscard]] Part ballot(VisaWriter& b, const Part& condition);
/// The value of the lane that each lane's index (ud) names.
[[nodiscard]] Part shuffle(VisaWriter& b, const Part& value, const Part& index, std::string_view hint);
/// The value (ud) of the first active lane, the same for all lanes.
[[nodiscard]] Part first_value(VisaWriter& b, const Part& value);
/// Bits of lanes below (and with) each lane.
[[nodiscard]] Part lanes_below(VisaWriter& b, bool inclusive);
/// An index operand as ud.
[[nodiscard]] Part index_of(VisaWriter& b, const Part& p);

/// Whether an operand can hold a ballot; reported when it cannot (SPIRV-Tools does not look).
[[nodiscard]] bool is_ballot(ShaderTranslator& t, std::uint32_t id);

/// OpGroupNonUniformPartitionNV: bits of the active lanes that hold the same value.
void translate_partition(ShaderTranslator& t);
/// A reduction or scan within the lanes of a ballot, each lane its own; false: it is one over the whole subgroup.
bool translate_partitioned(ShaderTranslator& t);
/// OpExtInst of SPV_AMD_shader_ballot and SPV_AMD_shader_trinary_minmax; false: another set.
bool translate_amd(ShaderTranslator& t, const std::string& set);

}  // namespace heddle::spirv::compiler
