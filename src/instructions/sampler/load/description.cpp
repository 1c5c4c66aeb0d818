// 3D_LOAD, opcode 6e (LD-1).
#include "instructions/families.hpp"

namespace heddle::instructions::load {
namespace {

#define HEDDLE_LOAD(code)                                                               \
  "op(7-0=" #code                                                                       \
  ",8:null_mask) E P M aoffimmi:v/uw T dst:W*exec.mask/f,hf,w,uw,d,ud paired:R^@newer " \
  "# params:R*exec/d,ud,uw@ICLLP,w@ICLLP..."
constexpr std::string_view kText =
    "{.null_mask:flag=pixel_null_mask}{.mask} {E} {aoffimmi} {T} {dst} {paired} {params}";

// clang-format off
constexpr isa::Row kRows[] = {
    {0x6e, "load_3d", HEDDLE_LOAD(07), kText, "", "params=1-4 exec=8,16,32 oprule=visa-sampler-op", "", "3D_LOAD.md",
     "texel at integer coordinates", "u v lod r"},
    {0x6e, "load_lz", HEDDLE_LOAD(1a), kText, "", "params=1-3 exec=8,16,32 oprule=visa-sampler-op", "SKL+", "3D_LOAD.md",
     "texel of level zero", "u v r"},
    {0x6e, "load_l", HEDDLE_LOAD(1b), kText, "", "params=1-4 exec=8,16,32 oprule=visa-sampler-op", "SKL+", "3D_LOAD.md",
     "texel with the level of detail last; no tool has a text form", "u v r lod"},
    {0x6e, "load_2dms_w", HEDDLE_LOAD(1c), kText, "", "params=4-9 exec=8,16,32 oprule=visa-sampler-op", "SKL+", "3D_LOAD.md",
     "sample of a multisampled surface (16-bit form: four mcs parameters)", "si mcsl mcsh u v r lod"},
    {0x6e, "load_mcs", HEDDLE_LOAD(1d), kText, "", "params=1-4 exec=8,16,32 oprule=visa-sampler-op", "", "3D_LOAD.md",
     "multisample control value of a pixel", "u v r lod"},
};
// clang-format on

constexpr isa::Family kFamily = {"load", "texel loads", kRows};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::load
