// SPDX-License-Identifier: MIT
// Oword and media blocks.
#include "instructions/families.hpp"

namespace heddle::instructions::memory_block {
namespace {

// clang-format off
constexpr isa::InstructionEntry kEntries[] = {
    {0x35, "oword_ld", "size:ub{owords} modified:ub&1 T offset:v/ud,d dst:W*owords.size", "{.modified:flag=mod} ({size}) {T} {offset} {dst}", "", "exec=1 typerule=visa-oword-size reads", "", "OWORD_LD.md",
     "aligned read of owords"},
    {0x36, "oword_st", "size:ub{owords} T offset:v/ud,d src:R*owords.size", "({size}) {T} {offset} {src}", "", "exec=1 typerule=visa-oword-size", "", "OWORD_ST.md",
     "aligned write of owords"},
    {0x37, "media_ld", "modifier:ub{media} T plane:ub width:ub height:ub x:v/d,ud y:v/d,ud dst:W*any", "{.modifier} ({width},{height}) {T} [{plane}] {x} {y} {dst}", "", "exec=1 reads", "", "MEDIA_LD.md",
     "read of a rectangle"},
    {0x38, "media_st", "modifier:ub{media} T plane:ub width:ub height:ub x:v/d,ud y:v/d,ud src:R*any", "{.modifier} ({width},{height}) {T} [{plane}] {x} {y} {src}", "", "exec=1", "", "MEDIA_ST.md",
     "write of a rectangle"},
    {0x3c, "oword_ld_unaligned", "size:ub{owords} modified:ub&1 T offset:v/ud,d dst:W*owords.size", "{.modified:flag=mod} ({size}) {T} {offset} {dst}", "", "exec=1 typerule=visa-oword-size reads", "", "OWORD_LD_UNALIGNED.md",
     "read of owords from any dword"},
};
// clang-format on

constexpr isa::Family kFamily = {"memory_block", "block reads and writes", kEntries};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::memory_block
