// SPDX-License-Identifier: MIT
#pragma once
// What lanes of a thread learn of each other: a subgroup is one thread, its SIMD width the subgroup's size.

#include <string_view>

#include "spirv/compile/writer/visa_writer.hpp"

namespace heddle::spirv::compiler {

/// Bits of the active lanes for which the condition holds, the same for all lanes.
[[nodiscard]] Part ballot(VisaWriter& b, const Part& condition);
[[nodiscard]] Part active_lanes(VisaWriter& b);
/// The number of the first active lane for which the condition holds, the same for all lanes.
[[nodiscard]] Part first_lane(VisaWriter& b, const Part& condition);
/// Of all active lanes.
[[nodiscard]] Part first_active(VisaWriter& b);
/// The value of the lane that each lane's index (ud) names.
[[nodiscard]] Part shuffle(VisaWriter& b, const Part& value, const Part& index, std::string_view hint);
/// The value (ud) of the first active lane, the same for all lanes.
[[nodiscard]] Part first_value(VisaWriter& b, const Part& value);
/// Bits of lanes below (and with) each lane.
[[nodiscard]] Part lanes_below(VisaWriter& b, bool inclusive);
/// An index operand as ud.
[[nodiscard]] Part index_of(VisaWriter& b, const Part& p);

}  // namespace heddle::spirv::compiler
