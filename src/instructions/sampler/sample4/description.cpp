// 3D_SAMPLE4, opcode 6f (facts: visa 5.3).
// Rules: ENC-30.
#include "instructions/families.hpp"

namespace heddle::instructions::sample4 {
namespace {

#define HEDDLE_SAMPLE4(code)                                                                     \
  "op(7-0=" #code                                                                                \
  ",8:null_mask) E P channel:ub&3 aoffimmi:v/uw S T dst:W*any/f,hf,w,uw,d,ud paired:R^@newer # " \
  "params:R*exec/f,hf,d,ud..."
constexpr std::string_view kText =
    "{.null_mask:flag=pixel_null_mask}{.channel:channel} {E} {aoffimmi} {S} {T} {dst} {paired} {params}";

// clang-format off
constexpr isa::Row kRows[] = {
    {0x6f, "sample4", HEDDLE_SAMPLE4(08), kText, "", "params=1-4 exec=8,16,32 oprule=visa-sampler-op", "", "3D_SAMPLE4.md",
     "gather one channel of four texels", "u v r ai"},
    {0x6f, "sample4_l", HEDDLE_SAMPLE4(0d), kText, "", "params=2-5 soft exec=8,16,32 oprule=visa-sampler-op", "XE2+", "3D_SAMPLE4.md",
     "gather4 at an explicit level of detail", "lod u v r ai"},
    {0x6f, "sample4_b", HEDDLE_SAMPLE4(0e), kText, "", "params=2-5 soft doc=0f exec=8,16,32 oprule=visa-sampler-op", "XE2+", "3D_SAMPLE4.md",
     "gather4 with a level-of-detail bias", "bias u v r ai"},
    {0x6f, "sample4_i", HEDDLE_SAMPLE4(0f), kText, "", "params=1-4 soft doc=0e exec=8,16,32 oprule=visa-sampler-op", "XE2+", "3D_SAMPLE4.md",
     "gather4 at the computed level of detail", "u v r ai"},
    {0x6f, "sample4_c", HEDDLE_SAMPLE4(10), kText, "", "params=2-5 exec=8,16,32 oprule=visa-sampler-op", "", "3D_SAMPLE4.md",
     "gather4 compared with a reference", "ref u v r ai"},
    {0x6f, "sample4_po", HEDDLE_SAMPLE4(11), kText, "", "params=4-5 soft <xe2 exec=8,16,32 oprule=visa-sampler-op", "<XeHP_SDV", "3D_SAMPLE4.md",
     "gather4 with offsets for each lane", "u v offu offv r"},
    {0x6f, "sample4_po_c", HEDDLE_SAMPLE4(12), kText, "", "params=5-6 soft <xe2 exec=8,16,32 oprule=visa-sampler-op", "<XeHP_SDV", "3D_SAMPLE4.md",
     "gather4 with offsets for each lane, compared", "ref u v offu offv r"},
    {0x6f, "sample4_i_c", HEDDLE_SAMPLE4(15), kText, "", "params=2-5 soft exec=8,16,32 oprule=visa-sampler-op", "XE2+", "3D_SAMPLE4.md",
     "gather4 at the computed level of detail, compared", "ref u v r ai"},
    {0x6f, "sample4_l_c", HEDDLE_SAMPLE4(17), kText, "", "params=3-6 soft exec=8,16,32 oprule=visa-sampler-op", "XE2+", "3D_SAMPLE4.md",
     "gather4 at an explicit level of detail, compared", "ref lod u v r ai"},
    {0x6f, "sample4_po", HEDDLE_SAMPLE4(28), kText, "", "params=2-4 soft >=xe2 exec=8,16,32 oprule=visa-sampler-op", "XE2+", "3D_SAMPLE4.md",
     "gather4 with offsets for each lane", "u v r offuv"},
    {0x6f, "sample4_po_l", HEDDLE_SAMPLE4(2d), kText, "", "params=2-4 soft exec=8,16,32 oprule=visa-sampler-op", "XE2+", "3D_SAMPLE4.md",
     "gather4 with packed offsets at an explicit level of detail", "lod_offuv u v r"},
    {0x6f, "sample4_po_b", HEDDLE_SAMPLE4(2e), kText, "", "params=2-4 soft exec=8,16,32 oprule=visa-sampler-op", "XE2+", "3D_SAMPLE4.md",
     "gather4 with packed offsets and a bias", "bias_offuv u v r"},
    {0x6f, "sample4_po_i", HEDDLE_SAMPLE4(2f), kText, "", "params=2-4 soft exec=8,16,32 oprule=visa-sampler-op", "XE2+", "3D_SAMPLE4.md",
     "gather4 with packed offsets at the computed level of detail", "u v r offuv"},
    {0x6f, "sample4_po_c", HEDDLE_SAMPLE4(30), kText, "", "params=2-4 soft >=xe2 exec=8,16,32 oprule=visa-sampler-op", "XE2+", "3D_SAMPLE4.md",
     "gather4 with offsets for each lane, compared", "ref u v offuv_r"},
    {0x6f, "sample4_po_i_c", HEDDLE_SAMPLE4(35), kText, "", "params=3-5 soft exec=8,16,32 oprule=visa-sampler-op", "XE2+", "3D_SAMPLE4.md",
     "gather4 with packed offsets at the computed level of detail, compared", "ref u v offuv_r"},
    {0x6f, "sample4_po_l_c", HEDDLE_SAMPLE4(37), kText, "", "params=3-5 soft exec=8,16,32 oprule=visa-sampler-op", "XE2+", "3D_SAMPLE4.md",
     "gather4 with packed offsets at an explicit level of detail, compared", "ref lod_offuv u v r"},
};
// clang-format on

constexpr isa::Family kFamily = {"sample4", "gather4", kRows};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::sample4
