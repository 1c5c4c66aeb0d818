// SPDX-License-Identifier: MIT
// 3D_LOAD, opcode 6e (LD-1).
#include "instructions/families.hpp"
#include "instructions/sampler/message_entries.hpp"

namespace heddle::instructions::load {
namespace {

using texture::Op;

constexpr MessageFormat kFormat = {
    .opcode = 0x6e,
    .before_code = "op(7-0=",
    .behind_code =
        ",8:null_mask) E P M aoffimmi:v/uw T dst:W*exec.mask/f,hf,w,uw,d,ud paired:R^@newer "
        "# params:R*exec/d,ud,uw@ICLLP,w@ICLLP...",
    .text = "{.null_mask:flag=pixel_null_mask}{.mask} {E} {aoffimmi} {T} {dst} {paired} {params}",
    .traits = "exec=8,16,32 oprule=visa-sampler-op",
    .platform_traits = "",
    .page = "3D_LOAD.md",
};

// clang-format off
constexpr isa::InstructionEntry kEntries[] = {
    message_entry<kFormat, Op::Ld>("load_3d", "texel at integer coordinates"),
    message_entry<kFormat, Op::LdLz>("load_lz", "texel of level zero"),
    message_entry<kFormat, Op::LdL>("load_l", "texel with the level of detail last"),
    message_entry<kFormat, Op::Ld2dmsW>("load_2dms_w", "sample of a multisampled surface (16-bit form: four mcs parameters)"),
    message_entry<kFormat, Op::LdMcs>("load_mcs", "multisample control value of a pixel"),
};
// clang-format on

constexpr isa::Family kFamily = {"load", "texel loads", kEntries,
                                 "lanewise private typerule=aoffimmi:visa-sampler-aoffimmi "
                                 "typerule=dst:visa-sampler-dst-type typerule=visa-sampler-param-type"};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::load
