// SPDX-License-Identifier: MIT
// 3D_SAMPLE, opcode 6d (SAM-1).
#include "instructions/families.hpp"
#include "instructions/sampler/message_entries.hpp"

namespace heddle::instructions::sample {
namespace {

using texture::Op;

constexpr MessageFormat kFormat = {
    .opcode = 0x6d,
    .before_code = "op(7-0=",
    .behind_code =
        ",8:null_mask,9:cps,10:div_s) E P M aoffimmi:v/uw S T dst:W*exec.mask/f,hf,w,uw,d,ud "
        "paired:R^@newer # params:R*exec/f,hf@ICLLP,d,ud...",
    .text =
        "{.null_mask:flag=pixel_null_mask}{.cps:flag=cps}{.div_s:flag=divS}{.mask} {E} {aoffimmi} {S} {T} {dst} "
        "{paired} {params}",
    .traits = "exec=8,16,32 oprule=visa-sampler-op",
    .platform_traits = "",
    .page = "3D_SAMPLE.md",
};

// clang-format off
constexpr isa::InstructionEntry kEntries[] = {
    message_entry<kFormat, Op::Sample>("sample_3d", "filtered sample at the computed level of detail"),
    message_entry<kFormat, Op::SampleB>("sample_b", "filtered sample with a level-of-detail bias"),
    message_entry<kFormat, Op::SampleL>("sample_l", "filtered sample at an explicit level of detail"),
    message_entry<kFormat, Op::SampleC>("sample_c", "filtered sample of comparisons with a reference"),
    message_entry<kFormat, Op::SampleD>("sample_d", "filtered sample with explicit gradients"),
    message_entry<kFormat, Op::SampleBC>("sample_b_c", "comparing sample with a bias"),
    message_entry<kFormat, Op::SampleLC>("sample_l_c", "comparing sample at an explicit level of detail"),
    message_entry<kFormat, Op::Lod>("lod", "level of detail that a sample would use"),
    message_entry<kFormat, Op::SampleKillpix>("sample_killpix", "filtered sample with chroma key; no tool has a text form"),
    message_entry<kFormat, Op::SampleDCMlod>("sample_d_c_mlod", "comparing sample with gradients and a minimum level of detail"),
    message_entry<kFormat, Op::SampleMlod>("sample_mlod", "filtered sample with a minimum level of detail"),
    message_entry<kFormat, Op::SampleCMlod>("sample_c_mlod", "comparing sample with a minimum level of detail"),
    message_entry<kFormat, Op::SampleDC>("sample_d_c", "comparing sample with explicit gradients"),
    message_entry<kFormat, Op::SampleLz>("sample_lz", "filtered sample of level zero"),
    message_entry<kFormat, Op::SampleCLz>("sample_c_lz", "comparing sample of level zero"),
    message_entry<kFormat, Op::SamplePo>("sample_po", "filtered sample with packed offsets"),
    message_entry<kFormat, Op::SamplePoB>("sample_po_b", "filtered sample with packed offsets and a bias"),
    message_entry<kFormat, Op::SamplePoL>("sample_po_l", "filtered sample with packed offsets at an explicit level of detail"),
    message_entry<kFormat, Op::SamplePoC>("sample_po_c", "comparing sample with packed offsets"),
    message_entry<kFormat, Op::SamplePoD>("sample_po_d", "filtered sample with packed offsets and gradients"),
    second_code_entry<kFormat, Op::SamplePoBC>("sample_po_b_c", "comparing sample with packed offsets and a bias, message code"),
    message_entry<kFormat, Op::SamplePoLC>("sample_po_l_c", "comparing sample with packed offsets at an explicit level of detail"),
    second_code_entry<kFormat, Op::SamplePoDC>("sample_po_d_c", "comparing sample with packed offsets and gradients, message code"),
    message_entry<kFormat, Op::SamplePoLz>("sample_po_lz", "filtered sample of level zero with packed offsets"),
    message_entry<kFormat, Op::SamplePoCLz>("sample_po_c_lz", "comparing sample of level zero with packed offsets"),
    message_entry<kFormat, Op::SamplePoBC>("sample_po_b_c", "comparing sample with packed offsets and a bias"),
    message_entry<kFormat, Op::SamplePoDC>("sample_po_d_c", "comparing sample with packed offsets and gradients"),
};
// clang-format on

constexpr isa::Family kFamily = {"sample", "filtered sampling", kEntries,
                                 "lanewise private typerule=aoffimmi:visa-sampler-aoffimmi "
                                 "typerule=dst:visa-sampler-dst-type typerule=visa-sampler-param-type"};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::sample
