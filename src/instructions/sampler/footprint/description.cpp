// SPDX-License-Identifier: MIT
// heddle_footprint: Heddle's own extension, opcode 3f, which every public tool reserves (FP-23).
#include "instructions/families.hpp"

namespace heddle::instructions::footprint {
namespace {

// clang-format off
constexpr isa::InstructionEntry kEntries[] = {
    {0x3f, "heddle_footprint",
     "op:uw(1-0:source{footprint_source},2:dim{footprint_dim},3:bias,4:minlod,5:offset,7-6:mode{footprint_mode}) E P S T dst:W*any/ud,d # "
     "params:R^*exec/f,ud,d...",
     "{.dim}{.source}{.bias:flag=bias}{.minlod:flag=minlod}{.offset:flag=offset}{.mode?} {E} {S} {T} {dst} {params}", "",
     "params=4-17 exec=8,16,32 extension", "", "", "texel footprint of a sample (OpImageSampleFootprintNV)",
     "granularity coarse [lod] [bias] [mlod] u [dudx dudy] v [dvdx dvdy] [r] [drdx drdy] [offu offv offr]"},
};
// clang-format on

constexpr isa::Family kFamily = {"footprint", "texel footprints (Heddle's own)", kEntries};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::footprint
