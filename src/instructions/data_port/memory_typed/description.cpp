// SPDX-License-Identifier: MIT
// Typed surface reads and writes.
#include "instructions/families.hpp"

namespace heddle::instructions::memory_typed {
namespace {

// clang-format off
constexpr isa::InstructionEntry kEntries[] = {
    {0x4b, "gather4_typed", "E P M T u:R*exec/d,ud v:R^*exec/d,ud r:R^*exec/d,ud lod:R^*exec/d,ud dst:W*exec.mask/f,d,ud", "{.mask} {E} {T} {u} {v} {r} {lod} {dst}", "", "exec=1,2,4,8,16 reads", "", "GATHER4_TYPED.md",
     "read of texels with conversion from the surface format"},
    {0x4c, "scatter4_typed", "E P M T u:R*exec/d,ud v:R^*exec/d,ud r:R^*exec/d,ud lod:R^*exec/d,ud src:R*exec.mask/f,d,ud", "{.mask} {E} {T} {u} {v} {r} {lod} {src}", "", "exec=1,2,4,8,16", "", "SCATTER4_TYPED.md",
     "write of texels with conversion to the surface format"},
};
// clang-format on

constexpr isa::Family kFamily = {"memory_typed", "typed reads and writes", kEntries, "lanewise typed"};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::memory_typed
