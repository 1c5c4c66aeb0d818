// SPDX-License-Identifier: MIT
// Flow control.
#include "instructions/families.hpp"

namespace heddle::instructions::flow {
namespace {

// clang-format off
constexpr isa::InstructionEntry kEntries[] = {
    {0x30, "func", "label:U", "", "", "flow=subroutine", "", "SUBROUTINE.md",
     "start of a subroutine; in text a .function line"},
    {0x31, "label", "label:L", "", "", "flow=label", "", "LABEL.md",
     "a label; in text a name and a colon"},
    {0x32, "jmp", "E P label:L", "", "", "exec=1 flow=jump", "", "JMP.md",
     "uniform jump"},
    {0x33, "call", "E P label:U", "", "", "flow=call", "", "CALL.md",
     "call of a subroutine"},
    {0x33, "fccall", "E P label:F", "", "", "flow=call", "", "FCCALL.md",
     "call of a fast-composite function"},
    {0x34, "ret", "E P", "", "", "flow=return", "", "RET.md",
     "return from a subroutine, or end of the thread"},
    {0x4f, "ifcall", "E P flags:ub@newer{fc_flags} address:v/uq,ud args:ub rets:ub", "{.flags?} {E} {address} {args} {rets}", "", "flow=functioncall", "", "IFCALL.md",
     "call through a function address"},
    {0x50, "faddr", "name:n2 dst:D*1/uq,q,ud", "{name:name} {dst}", "", "", "", "FADDR.md",
     "address of a function or symbol"},
    {0x67, "fcall", "E P name:n2 args:ub rets:ub", "{E} {name:name} {args} {rets}", "", "flow=functioncall", "", "FCALL.md",
     "call of a function object"},
    {0x68, "fret", "E P", "", "", "flow=functionreturn", "", "FRET.md",
     "return from a function object"},
    {0x69, "switchjmp", "E # index:v/ub,uw,ud,b,w,d labels:L...", "{E} {index} {labels:list}", "", "exec=1 flow=switch typerule=visa-switchjmp", "!TGLLP|!XeHP_SDV|!DG2|!MTL|!ARL", "SWITCHJMP.md",
     "jump to the label with a number"},
    {0x6c, "goto", "E P label:L", "", "", "flow=goto", "", "GOTO.md",
     "divergent jump"},
};
// clang-format on

constexpr isa::Family kFamily = {"flow", "flow control", kEntries, "private"};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::flow
