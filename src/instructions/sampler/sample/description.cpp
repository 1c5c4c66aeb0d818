// 3D_SAMPLE, opcode 6d (SAM-1).
#include "instructions/families.hpp"

namespace heddle::instructions::sample {
namespace {

#define HEDDLE_SAMPLE(code)                                                              \
  "op(7-0=" #code                                                                        \
  ",8:null_mask,9:cps,10:div_s) E P M aoffimmi:v/uw S T dst:W*exec.mask/f,hf,w,uw,d,ud " \
  "paired:R^@newer # params:R*exec/f,hf@ICLLP,d,ud..."
constexpr std::string_view kText =
    "{.null_mask:flag=pixel_null_mask}{.cps:flag=cps}{.div_s:flag=divS}{.mask} {E} {aoffimmi} {S} {T} {dst} {paired} "
    "{params}";

// clang-format off
constexpr isa::Row kRows[] = {
    {0x6d, "sample_3d", HEDDLE_SAMPLE(00), kText, "", "params=1-4 exec=8,16,32 oprule=visa-sampler-op", "", "3D_SAMPLE.md",
     "filtered sample at the computed level of detail", "u v r ai"},
    {0x6d, "sample_b", HEDDLE_SAMPLE(01), kText, "", "params=2-5 exec=8,16,32 oprule=visa-sampler-op", "", "3D_SAMPLE.md",
     "filtered sample with a level-of-detail bias", "bias u v r ai"},
    {0x6d, "sample_l", HEDDLE_SAMPLE(02), kText, "", "params=2-5 exec=8,16,32 oprule=visa-sampler-op", "", "3D_SAMPLE.md",
     "filtered sample at an explicit level of detail", "lod u v r ai"},
    {0x6d, "sample_c", HEDDLE_SAMPLE(03), kText, "", "params=2-5 exec=8,16,32 oprule=visa-sampler-op", "", "3D_SAMPLE.md",
     "filtered sample of comparisons with a reference", "ref u v r ai"},
    {0x6d, "sample_d", HEDDLE_SAMPLE(04), kText, "", "params=3-10 exec=8,16,32 oprule=visa-sampler-op", "", "3D_SAMPLE.md",
     "filtered sample with explicit gradients", "u dudx dudy v dvdx dvdy r drdx drdy ai"},
    {0x6d, "sample_b_c", HEDDLE_SAMPLE(05), kText, "", "params=3-6 exec=8,16,32 oprule=visa-sampler-op", "", "3D_SAMPLE.md",
     "comparing sample with a bias", "ref bias u v r ai"},
    {0x6d, "sample_l_c", HEDDLE_SAMPLE(06), kText, "", "params=3-6 exec=8,16,32 oprule=visa-sampler-op", "", "3D_SAMPLE.md",
     "comparing sample at an explicit level of detail", "ref lod u v r ai"},
    {0x6d, "lod", HEDDLE_SAMPLE(09), kText, "", "params=1-4 exec=8,16,32 oprule=visa-sampler-op", "", "3D_SAMPLE.md",
     "level of detail that a sample would use", "u v r ai"},
    {0x6d, "sample_killpix", HEDDLE_SAMPLE(0c), kText, "", "params=1-3 exec=8,16,32 oprule=visa-sampler-op", "", "3D_SAMPLE.md",
     "filtered sample with chroma key; no tool has a text form", "u v r"},
    {0x6d, "sample_d_c_mlod", HEDDLE_SAMPLE(11), kText, "", "params=4-8 exec=8,16,32 oprule=visa-sampler-op", "XE2+", "3D_SAMPLE.md",
     "comparing sample with gradients and a minimum level of detail", "ref u dudx dudy v dvdx dvdy mlod_r"},
    {0x6d, "sample_mlod", HEDDLE_SAMPLE(12), kText, "", "params=2-5 exec=8,16,32 oprule=visa-sampler-op", "XE2+", "3D_SAMPLE.md",
     "filtered sample with a minimum level of detail", "mlod u v r ai"},
    {0x6d, "sample_c_mlod", HEDDLE_SAMPLE(13), kText, "", "params=3-6 exec=8,16,32 oprule=visa-sampler-op", "XE2+", "3D_SAMPLE.md",
     "comparing sample with a minimum level of detail", "mlod ref u v r ai"},
    {0x6d, "sample_d_c", HEDDLE_SAMPLE(14), kText, "", "params=4-11 exec=8,16,32 oprule=visa-sampler-op", "", "3D_SAMPLE.md",
     "comparing sample with explicit gradients", "ref u dudx dudy v dvdx dvdy r drdx drdy ai"},
    {0x6d, "sample_lz", HEDDLE_SAMPLE(18), kText, "", "params=1-4 exec=8,16,32 oprule=visa-sampler-op", "SKL+", "3D_SAMPLE.md",
     "filtered sample of level zero", "u v r ai"},
    {0x6d, "sample_c_lz", HEDDLE_SAMPLE(19), kText, "", "params=2-5 exec=8,16,32 oprule=visa-sampler-op", "SKL+", "3D_SAMPLE.md",
     "comparing sample of level zero", "ref u v r ai"},
    {0x6d, "sample_po", HEDDLE_SAMPLE(20), kText, "", "params=1-5 exec=8,16,32 oprule=visa-sampler-op", "XE2+", "3D_SAMPLE.md",
     "filtered sample with packed offsets", "u v r offuvr ai"},
    {0x6d, "sample_po_b", HEDDLE_SAMPLE(21), kText, "", "params=2-5 exec=8,16,32 oprule=visa-sampler-op", "XE2+", "3D_SAMPLE.md",
     "filtered sample with packed offsets and a bias", "bias_offuvr u v r ai"},
    {0x6d, "sample_po_l", HEDDLE_SAMPLE(22), kText, "", "params=2-5 exec=8,16,32 oprule=visa-sampler-op", "XE2+", "3D_SAMPLE.md",
     "filtered sample with packed offsets at an explicit level of detail", "lod_offuvr u v r ai"},
    {0x6d, "sample_po_c", HEDDLE_SAMPLE(23), kText, "", "params=2-6 exec=8,16,32 oprule=visa-sampler-op", "XE2+", "3D_SAMPLE.md",
     "comparing sample with packed offsets", "ref u v offuv_r r ai"},
    {0x6d, "sample_po_d", HEDDLE_SAMPLE(24), kText, "", "params=3-9 exec=8,16,32 oprule=visa-sampler-op", "XE2+", "3D_SAMPLE.md",
     "filtered sample with packed offsets and gradients", "u dudx dudy v dvdx dvdy offuvr_r r ai"},
    {0x6d, "sample_po_b_c", HEDDLE_SAMPLE(25), kText, "", "params=3-6 exec=8,16,32 decode", "XE2+", "3D_SAMPLE.md",
     "comparing sample with packed offsets and a bias, message code", "ref bias_offuvr u v r ai"},
    {0x6d, "sample_po_l_c", HEDDLE_SAMPLE(26), kText, "", "params=3-6 exec=8,16,32 oprule=visa-sampler-op", "XE2+", "3D_SAMPLE.md",
     "comparing sample with packed offsets at an explicit level of detail", "ref lod_offuv u v r ai"},
    {0x6d, "sample_po_d_c", HEDDLE_SAMPLE(34), kText, "", "params=4-10 exec=8,16,32 decode", "XE2+", "3D_SAMPLE.md",
     "comparing sample with packed offsets and gradients, message code", "ref u dudx dudy v dvdx dvdy offuv_r r ai"},
    {0x6d, "sample_po_lz", HEDDLE_SAMPLE(38), kText, "", "params=1-5 exec=8,16,32 oprule=visa-sampler-op", "XE2+", "3D_SAMPLE.md",
     "filtered sample of level zero with packed offsets", "u v r offuvr ai"},
    {0x6d, "sample_po_c_lz", HEDDLE_SAMPLE(39), kText, "", "params=2-6 exec=8,16,32 oprule=visa-sampler-op", "XE2+", "3D_SAMPLE.md",
     "comparing sample of level zero with packed offsets", "ref u v offuv_r r ai"},
    {0x6d, "sample_po_b_c", HEDDLE_SAMPLE(3a), kText, "", "params=3-6 exec=8,16,32 oprule=visa-sampler-op", "XE2+", "3D_SAMPLE.md",
     "comparing sample with packed offsets and a bias", "ref bias_offuvr u v r ai"},
    {0x6d, "sample_po_d_c", HEDDLE_SAMPLE(3b), kText, "", "params=4-10 exec=8,16,32 oprule=visa-sampler-op", "XE2+", "3D_SAMPLE.md",
     "comparing sample with packed offsets and gradients", "ref u dudx dudy v dvdx dvdy offuv_r r ai"},
};
// clang-format on

constexpr isa::Family kFamily = {"sample", "filtered sampling", kRows};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::sample
