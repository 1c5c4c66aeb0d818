// SPDX-License-Identifier: MIT
// INFO, opcode 70 (INF-1 to INF-3).
#include "instructions/families.hpp"
#include "instructions/sampler/message_entries.hpp"

namespace heddle::instructions::info {
namespace {

using texture::Op;

constexpr std::string_view kTraits = "exec=8,16,32 oprule=visa-info-op";
constexpr MessageFormat kLevelQuery = {
    .opcode = 0x70,
    .before_code = "ub=",
    .behind_code = " E M~15 T lod:R/ud*exec dst:W/ud*exec.mask",
    .text = "{.mask} {E} {T} {lod} {dst}",
    .traits = kTraits,
    .platform_traits = "",
    .page = "INFO.md",
    .repeated = false,
};
constexpr MessageFormat kSurfaceQuery = {
    .opcode = 0x70,
    .before_code = "ub=",
    .behind_code = " E M~15 T dst:W/ud*exec.mask",
    .text = "{.mask} {E} {T} {dst}",
    .traits = kTraits,
    .platform_traits = "",
    .page = "INFO.md",
    .repeated = false,
};

// clang-format off
constexpr isa::InstructionEntry kEntries[] = {
    message_entry<kLevelQuery, Op::Resinfo>("resinfo", "width, height, depth or array length and mip count of a surface at a level of detail"),
    message_entry<kSurfaceQuery, Op::Sampleinfo>("sampleinfo", "number of samples of a surface"),
};
// clang-format on

constexpr isa::Family kFamily = {"info", "surface queries", kEntries,
                                 "lanewise private typerule=lod:visa-info-lod typerule=dst:visa-info-dst"};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::info
