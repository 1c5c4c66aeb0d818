// SPDX-License-Identifier: MIT
// RT_WRITE, opcode 71 (RTW-1).
#include "instructions/families.hpp"

namespace heddle::instructions::rt_write {
namespace {

// clang-format off
constexpr isa::InstructionEntry kEntries[] = {
    {0x71, "rt_write_3d",
     "E P mode:uw{rt}&1ffc T header:R^*any si:v?mode.11/uw cps:v?mode.8/uw rti:v?mode.2/ub s0a:R*exec?mode.3/f,hf om:R*exec?mode.4/uw "
     "r:R^*exec/f,hf g:R^*exec/f,hf b:R^*exec/f,hf a:R^*exec/f,hf z:R*exec?mode.5/f st:R*exec?mode.6/ub",
     "{.mode:rt} {E} {T} {header} {si} {cps} {rti} {s0a} {om} {r} {g} {b} {a} {z} {st}",
     "", "exec=8,16", "", "RT_WRITE.md", "write colors, depth and stencil to a render target"},
};
// clang-format on

constexpr isa::Family kFamily = {"rt_write", "render-target write", kEntries,
                                 "targetwrite private typerule=si:visa-rt-si typerule=cps:visa-rt-cps "
                                 "typerule=rti:visa-rt-rti typerule=visa-rt-type"};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::rt_write
