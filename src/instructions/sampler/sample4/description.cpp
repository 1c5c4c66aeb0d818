// SPDX-License-Identifier: MIT
// 3D_SAMPLE4, opcode 6f (GA-1, GA-2).
// Rules: ENC-30.
#include "instructions/families.hpp"
#include "instructions/sampler/message_entries.hpp"

namespace heddle::instructions::sample4 {
namespace {

using texture::Op;

constexpr MessageFormat kFormat = {
    .opcode = 0x6f,
    .before_code = "op(7-0=",
    .behind_code =
        ",8:null_mask) E P channel:ub&3 aoffimmi:v/uw S T dst:W*any/f,hf,w,uw,d,ud paired:R^@newer # "
        "params:R*exec/f,hf,d,ud...",
    .text = "{.null_mask:flag=pixel_null_mask}{.channel:channel} {E} {aoffimmi} {S} {T} {dst} {paired} {params}",
    .traits = "exec=8,16,32 oprule=visa-sampler-op",
    .platform_traits = "soft",
    .page = "3D_SAMPLE4.md",
};

// clang-format off
constexpr isa::InstructionEntry kEntries[] = {
    message_entry<kFormat, Op::Gather4>("sample4", "gather one channel of four texels"),
    message_entry<kFormat, Op::Gather4L>("sample4_l", "gather4 at an explicit level of detail"),
    message_entry<kFormat, Op::Gather4B>("sample4_b", "gather4 with a level-of-detail bias"),
    message_entry<kFormat, Op::Gather4I>("sample4_i", "gather4 at the computed level of detail"),
    message_entry<kFormat, Op::Gather4C>("sample4_c", "gather4 compared with a reference"),
    message_entry<kFormat, Op::Gather4Po, "<xe2">("sample4_po", "gather4 with offsets for each lane"),
    message_entry<kFormat, Op::Gather4PoC, "<xe2">("sample4_po_c", "gather4 with offsets for each lane, compared"),
    message_entry<kFormat, Op::Gather4IC>("sample4_i_c", "gather4 at the computed level of detail, compared"),
    message_entry<kFormat, Op::Gather4LC>("sample4_l_c", "gather4 at an explicit level of detail, compared"),
    message_entry<kFormat, Op::Gather4PoPacked, ">=xe2">("sample4_po", "gather4 with offsets for each lane"),
    message_entry<kFormat, Op::Gather4PoL>("sample4_po_l", "gather4 with packed offsets at an explicit level of detail"),
    message_entry<kFormat, Op::Gather4PoB>("sample4_po_b", "gather4 with packed offsets and a bias"),
    message_entry<kFormat, Op::Gather4PoI>("sample4_po_i", "gather4 with packed offsets at the computed level of detail"),
    message_entry<kFormat, Op::Gather4PoCPacked, ">=xe2">("sample4_po_c", "gather4 with offsets for each lane, compared"),
    message_entry<kFormat, Op::Gather4PoIC>("sample4_po_i_c", "gather4 with packed offsets at the computed level of detail, compared"),
    message_entry<kFormat, Op::Gather4PoLC>("sample4_po_l_c", "gather4 with packed offsets at an explicit level of detail, compared"),
};
// clang-format on

constexpr isa::Family kFamily = {"sample4", "gather4", kEntries,
                                 "lanewise private typerule=aoffimmi:visa-sampler-aoffimmi "
                                 "typerule=dst:visa-sampler-dst-type typerule=visa-sampler-param-type"};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::sample4
