// SPDX-License-Identifier: MIT
// Moves, conversions, addresses.
#include "instructions/families.hpp"

namespace heddle::instructions::move {
namespace {

// clang-format off
constexpr isa::InstructionEntry kEntries[] = {
    {0x1d, "fcvt", "E D s", "", "b ub hf f ud", "alu types=free typerule=visa-convert", "PVC+", "FCVT.md", "conversion to and from bf8 and tf32"},
    {0x1e, "srnd", "E D s s", "", "b ub hf f bf", "alu types=free typerule=visa-convert", "PVCXT+", "SRND.md", "conversion with stochastic rounding"},
    {0x28, "addr_add", "E dst:A/uw s-i+aOt/uw,w s+o/uw,w,ub,b", "", "", "mod alu operation=addresssum", "", "ADDR_ADD.md", "address arithmetic"},
    {0x29, "mov", "E P D+a s+apo", "", "i q bool hf f df bf@XeHP_SDV v@BDW uv@BDW vf@BDW", "sat mod alu predcopy types=free operation=move", "", "MOV.md", "copy with conversion"},
    {0x2a, "sel", "E P D s s", "", "i q hf f df bf@XeHP_SDV", "sat mod alu types=converted", "", "SEL.md", "src0 where the predicate is true, else src1"},
    {0x2d, "movs", "E D+t s+t", "", "ud d", "types=free operation=statemove typerule=visa-movs", "", "MOVS.md", "copy of surface or sampler state"},
};
// clang-format on

constexpr isa::Family kFamily = {"move", "moves, conversions, addresses", kEntries, "lanewise private"};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::move
