// SPDX-License-Identifier: MIT
// Media instructions and the legacy sampler forms.
#include "instructions/families.hpp"

namespace heddle::instructions::media {
namespace {

// clang-format off
constexpr isa::InstructionEntry kEntries[] = {
    {0x40, "sample", "ub(3-0:M,4:simd16{simd16}) S T u:R*exec/f v:R*exec/f r:R*exec/f dst:W*any", "{.mask} [({simd16})] {S} {T} {u} {v} {r} {dst}", "", "typerule=dst:visa-sampler-dst-type typerule=visa-sampler-param-type", "", "",
     "filtered sample, undocumented legacy form"},
    {0x42, "load", "ub(3-0:M,4:simd16{simd16}) T u:R*exec/f,d,ud v:R*exec/f,d,ud r:R*exec/f,d,ud dst:W*any", "{.mask} [({simd16})] {T} {u} {v} {r} {dst}", "", "typerule=dst:visa-sampler-dst-type typerule=visa-sampler-param-type", "", "",
     "texel load, undocumented legacy form"},
    {0x43, "avs", "M S T u:v/f v:v/f du:v/f dv:v/f u2d:v/f group:v/ud,d,f vblock:v/ud,d,f format:ub{avs_format} v2d:v/f mode:ub{avs_mode} iefbypass:v dst:W*any", "{.mask} {T} {S} {u} {v} {du} {dv} {u2d} {group} {vblock} {format} {v2d} {mode} {iefbypass} {dst}", "", "mod", "<TGLLP", "AVS.md",
     "adaptive video scaler", "", "",
     "the scaler's coefficient tables are not part of the sampler state, and its filter is not publicly defined"},
    {0x54, "vme_ime", "stream:ub search:ub uni:R*any ime:R*any T ref0:R^*any ref1:R^*any cost:R^*any dst:W*any", "({stream},{search}) {T} {uni} {ime} {ref0} {ref1} {cost} {dst}", "", "", "<TGLLP", "VME_IME.md",
     "integer motion estimation", "", "",
     "the search of the motion estimator is not publicly defined to the bit"},
    {0x55, "vme_sic", "uni:R*any sic:R*any T dst:W*any", "{T} {uni} {sic} {dst}", "", "", "<TGLLP", "VME_SIC.md",
     "skip and intra check", "", "",
     "the checks of the motion estimator are not publicly defined to the bit"},
    {0x56, "vme_fbr", "uni:R*any fbr:R*any T mbmode:v submb:v predmode:v dst:W*any", "({mbmode}, {submb}, {predmode}) {T} {uni} {fbr} {dst}", "", "", "<TGLLP", "VME_FBR.md",
     "fractional and bidirectional refinement", "", "",
     "the refinement of the motion estimator is not publicly defined to the bit"},
    {0x57, "vme_idm", "uni:R*any idm:R*any T dst:W*any", "{T} {uni} {idm} {dst}", "", "unverified", "SKL-ICLLP", "VME_IDM.md",
     "integer distortion mesh; no tool has a text form", "", "",
     "the distortion mesh of the motion estimator is not publicly defined to the bit"},
};
// clang-format on

constexpr isa::Family kFamily = {"media", "legacy sampling, AVS and motion estimation", kEntries};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::media
