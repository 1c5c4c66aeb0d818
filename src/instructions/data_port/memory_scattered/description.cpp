// SPDX-License-Identifier: MIT
// Gathers and scatters.
#include "instructions/families.hpp"

namespace heddle::instructions::memory_scattered {
namespace {

// clang-format off
constexpr isa::InstructionEntry kEntries[] = {
    {0x39, "gather", "size:ub{element} modified:ub&1 Eg T offset:v/ud,d offsets:R*exec/ud dst:W*any", "{.size} {E}{.modified:flag=mod} {T} {offset} {offsets} {dst}", "", "exec=1,8,16 reads", "", "GATHER.md",
     "scattered read of elements, legacy"},
    {0x3a, "scatter", "size:ub{element} Eg T offset:v/ud,d offsets:R*exec/ud src:R*any", "{.size} {E} {T} {offset} {offsets} {src}", "", "exec=1,8,16", "", "SCATTER.md",
     "scattered write of elements, legacy"},
    {0x74, "gather4_scaled", "E P M scale:uw T offset:v/ud,d offsets:R*exec/ud dst:W*exec.mask", "{.mask} {E} {T} {offset} {offsets} {dst}", "", "exec=8,16,32 reads", "", "GATHER4_SCALED.md",
     "scattered read of up to four dwords"},
    {0x75, "scatter4_scaled", "E P M scale:uw T offset:v/ud,d offsets:R*exec/ud src:R*exec.mask", "{.mask} {E} {T} {offset} {offsets} {src}", "", "exec=8,16,32", "", "SCATTER4_SCALED.md",
     "scattered write of up to four dwords"},
    {0x78, "gather_scaled", "E P block:ub{byte} num:ub{scaled} scale:uw T offset:v/ud,d offsets:R*exec/ud dst:W*any", "{.num} {E} {T} {offset} {offsets} {dst}", "", "exec=1,2,4,8,16,32 reads", "", "GATHER_SCALED.md",
     "scattered read of bytes"},
    {0x79, "scatter_scaled", "E P block:ub{byte} num:ub{scaled} scale:uw T offset:v/ud,d offsets:R*exec/ud src:R*any", "{.num} {E} {T} {offset} {offsets} {src}", "", "exec=1,2,4,8,16,32", "", "SCATTER_SCALED.md",
     "scattered write of bytes"},
    {0x86, "qw_gather", "E P num:ub{blocks} T offsets:R*exec/ud dst:W*exec.num/uq,q,df", "{.num} {E} {T} {offsets} {dst}", "", "exec=8,16,32 reads", "XeHP_SDV+", "QW_GATHER.md",
     "scattered read of qwords"},
    {0x87, "qw_scatter", "E P num:ub{blocks} T offsets:R*exec/ud src:R*exec.num/uq,q,df", "{.num} {E} {T} {offsets} {src}", "", "exec=8,16,32", "XeHP_SDV+", "QW_SCATTER.md",
     "scattered write of qwords"},
};
// clang-format on

constexpr isa::Family kFamily = {"memory_scattered", "scattered reads and writes", kEntries, "lanewise"};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::memory_scattered
