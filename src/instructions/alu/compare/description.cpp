// SPDX-License-Identifier: MIT
// Comparisons, minimum and maximum.
#include "instructions/families.hpp"

namespace heddle::instructions::compare {
namespace {

// clang-format off
constexpr isa::InstructionEntry kEntries[] = {
    {0x2b, "setp", "E dst:p s/ud,uw,ub,d,w,b", "", "", "alu types=free typerule=visa-setp", "", "SETP.md", "predicate from bits"},
    {0x2c, "cmp", "E condition:ub{condition}~6 D+p s s", "{.condition?} {E} {D} {src0} {src1}", "i q hf f df bf@XeHP_SDV", "mod alu types=compared", "", "CMP.md", "comparison into a predicate or a vector of masks"},
    {0x45, "min", "E ub=00 D s s", "", "i q hf f df", "sat mod alu predtext", "", "MIN_MAX.md", "smaller of two"},
    {0x45, "max", "E ub=01 D s s", "", "i q hf f df", "sat mod alu predtext", "", "MIN_MAX.md", "larger of two"},
};
// clang-format on

constexpr isa::Family kFamily = {"compare", "comparisons, minimum and maximum", kEntries, "lanewise private"};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::compare
