// SPDX-License-Identifier: MIT
#pragma once
// Remarks of compiled shaders (isa::remark_of) about quads, their helper invocations, and what nothing has written.

#include <string_view>

namespace heddle::isa {

/// "heddle: quad": the instruction behind it takes differences inside quads, as a derivative does, or a sample whose
/// level of detail follows from its neighbors (run-derivative-undefined).
inline constexpr std::string_view kQuadRemark = "quad";
/// "heddle: demote": the active lanes are helper invocations from here on (PIX-12).
inline constexpr std::string_view kDemoteRemark = "demote";
/// Between the two stand the instructions that give a variable the value that it has where the shader writes none. Who
/// looks for undefined values passes them over: the variable is then still unwritten (run-undefined-register).
inline constexpr std::string_view kStandInRemark = "stand-in";
inline constexpr std::string_view kStandInEndRemark = "stand-in-end";
/// Between the two stand moves that only carry values on, in another type or place: what nothing has written stays
/// unwritten there, and is reported where it is used.
inline constexpr std::string_view kCarryRemark = "carry";
inline constexpr std::string_view kCarryEndRemark = "carry-end";
/// "heddle: forget 16 a b": what the active ones of 16 lanes hold in these variables is undefined from here on, as
/// outputs are behind an emitted vertex. They keep their values.
inline constexpr std::string_view kForgetRemark = "forget";

}  // namespace heddle::isa
