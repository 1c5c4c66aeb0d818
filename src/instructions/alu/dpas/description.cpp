// SPDX-License-Identifier: MIT
// DPAS and DPASW. The predicate exists in the newer dialect only.
#include "instructions/families.hpp"

namespace heddle::instructions::dpas {
namespace {

// clang-format off
constexpr isa::InstructionEntry kEntries[] = {
    {0x1c, "dpasw", "E P@newer dst:W*any src0:R^*any src1:R*any src2:s-ri*any p1:ub{precision} p2:ub{precision} depth:ub count:ub", "{.p1}{.p2}{.depth}{.count} {E} {dst} {src0} {src1} {src2:origin}", "", "exec=8", "XeHP_SDV-DG2", "DPASW.md",
     "systolic dot product accumulate, half-wide", "", "",
     "it shares src2 between two threads that run in lockstep"},
    {0x83, "dpas", "E P@newer dst:W*any src0:R^*any src1:R*any src2:s-ri*any p1:ub{precision} p2:ub{precision} depth:ub count:ub", "{.p1}{.p2}{.depth}{.count} {E} {dst} {src0} {src1} {src2:origin}", "", "exec=8,16", "XeHP_SDV+", "DPAS.md",
     "systolic dot product accumulate"},
};
// clang-format on

constexpr isa::Family kFamily = {"dpas", "systolic dot products", kEntries, "typerule=visa-dpas"};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::dpas
