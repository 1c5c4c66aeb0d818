// SPDX-License-Identifier: MIT
// URB write.
#include "instructions/families.hpp"

namespace heddle::instructions::urb {
namespace {

// clang-format off
constexpr isa::InstructionEntry kEntries[] = {
    {0x72, "urb_write_3d", "E P num_out:ub channel_mask:R^*any offset:uw handle:R*any per_slot:R^*any data:R*any", "{E} {num_out} {offset} {channel_mask} {handle} {per_slot} {data}", "", "exec=1,8", "<DG2", "URB_WRITE.md",
     "write to the unified return buffer", "", "",
     "no geometry pipeline is behind the unified return buffer"},
};
// clang-format on

constexpr isa::Family kFamily = {"urb", "unified return buffer", kEntries};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::urb
