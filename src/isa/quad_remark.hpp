#pragma once
// Remarks of compiled shaders (isa::remark_of) about quads and their helper invocations.

#include <string_view>

namespace heddle::isa {

/// "heddle: quad": the instruction behind it takes differences inside quads, as a derivative does, or a sample whose
/// level of detail follows from its neighbours (run-derivative-undefined).
inline constexpr std::string_view kQuadRemark = "quad";
/// "heddle: demote": the active lanes are helper invocations from here on (PIX-12).
inline constexpr std::string_view kDemoteRemark = "demote";

}  // namespace heddle::isa
