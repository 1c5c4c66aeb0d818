// SPDX-License-Identifier: MIT
// SAMPLE_UNORM, opcode 41 (UNO-1).
#include "instructions/families.hpp"

namespace heddle::instructions::sample_unorm {
namespace {

// clang-format off
constexpr isa::InstructionEntry kEntries[] = {
    {0x41, "sample_unorm", "ub(7-4:format{unorm},3-0:M) S T u:v/f v:v/f du:v/f dv:v/f dst:W/uw*any", "{.mask}{.format} {S} {T} {u} {v} {du} {dv} {dst}",
     "", "mod", "<PVC|ARL", "SAMPLE_UNORM.md", "filtered unorm samples of a grid of 32 pixels"},
};
// clang-format on

constexpr isa::Family kFamily = {"sample_unorm", "32 filtered samples on a grid", kEntries,
                                 "typerule=dst:visa-unorm-dst typerule=visa-unorm-coord"};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::sample_unorm
