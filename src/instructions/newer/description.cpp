// SPDX-License-Identifier: MIT
// Opcodes of newer tools: layouts from the public sources, none could be run.
#include "instructions/families.hpp"

namespace heddle::instructions::newer {
namespace {

// clang-format off
constexpr isa::InstructionEntry kEntries[] = {
    {0x93, "raw_sendg", "ub=00 E sfid:ud{sendg} P dst:W^*any ndst:ud src0:R*any nsrc0:ud src1:R^*any nsrc1:ud ind0:v^ ind1:v^ desc:ud desc_high:ud", "{.sfid} {E} {dst}/{ndst} {src0}/{nsrc0} {src1}/{nsrc1} {ind0} {ind1} {desc:hex64}", "", "unverified anymemory", "XE3P+", "",
     "message with gathered payloads", "", "",
     "no public tool can check what its 64-bit descriptors mean"},
    {0x93, "raw_sendgc", "ub=01 E sfid:ud{sendg} P dst:W^*any ndst:ud src0:R*any nsrc0:ud src1:R^*any nsrc1:ud ind0:v^ ind1:v^ desc:ud desc_high:ud", "{.sfid} {E} {dst}/{ndst} {src0}/{nsrc0} {src1}/{nsrc1} {ind0} {ind1} {desc:hex64}", "", "unverified anymemory", "XE3P+", "",
     "message with gathered payloads, conditional", "", "",
     "no public tool can check what its 64-bit descriptors mean"},
    {0x93, "raw_sendg_eot", "ub=02 E sfid:ud{sendg} P dst:W^*any ndst:ud src0:R*any nsrc0:ud src1:R^*any nsrc1:ud ind0:v^ ind1:v^ desc:ud desc_high:ud", "{.sfid} {E} {dst}/{ndst} {src0}/{nsrc0} {src1}/{nsrc1} {ind0} {ind1} {desc:hex64}", "", "unverified eot anymemory", "XE3P+", "",
     "message with gathered payloads that ends the thread"},
    {0x93, "raw_sendgc_eot", "ub=03 E sfid:ud{sendg} P dst:W^*any ndst:ud src0:R*any nsrc0:ud src1:R^*any nsrc1:ud ind0:v^ ind1:v^ desc:ud desc_high:ud", "{.sfid} {E} {dst}/{ndst} {src0}/{nsrc0} {src1}/{nsrc1} {ind0} {ind1} {desc:hex64}", "", "unverified eot anymemory", "XE3P+", "",
     "message with gathered payloads, conditional, that ends the thread"},
    {0x94, "breakpoint", "", "", "", "unverified", "", "",
     "stop in a debugger"},
    {0x95, "shfl_idx4", "E P dst:W*any src0:s src1:s", "", "", "unverified", "XE3P+", "",
     "shuffle by 4-bit indices", "", "",
     "no public document says which lanes it exchanges"},
    {0x96, "tanh", "E P D s", "", "hf f", "sat mod alu unverified", "XE3P+", "",
     "hyperbolic tangent"},
    {0x97, "sigm", "E P D s", "", "hf f", "sat mod alu unverified", "XE3P+", "",
     "logistic function"},
    {0x98, "lfsr", "E P format:ub{lfsr} D s s", "{.format} {E} {D} {src0} {src1}", "ud", "alu unverified", "XE3P+", "",
     "linear feedback shift register", "", "",
     "no public document gives the taps of its shift registers"},
    {0x99, "bdpas", "E dst:W*any src0:R^*any src1:R*any src2:R*any src3:s-ri^*any src4:s-ri^*any ud(7-0:p1{precision},15-8:p2{precision},23-16:depth,31-24:count)", "{.p1}{.p2}{.depth}{.count} {E} {dst} {src0} {src1} {src2} {src3:origin} {src4:origin}", "", "unverified predtext", "XE3P+", "",
     "block-scaled systolic dot product", "", "",
     "no public document says how its block scales are applied"},
    {0x9a, "dnscl", "E P type:ub{dnscl} mode:ub{dnscl_mode} round:ub{dnscl_round} dst:W*any src0:R*any src1:R*any src2:R^*any", "{.type}{.mode}{.round} {E} {dst} {src0} {src1} {src2}", "", "unverified", "XE3P+", "",
     "down-scaling conversion", "", "",
     "no public document says how it packs what it scales down"},
    {0x9b, "invm", "E D predicate:p s s", "", "hf f df", "alu unverified", "", "INVM.md",
     "first step of an IEEE exact quotient"},
    {0x9c, "rsqtm", "E D predicate:p s", "", "hf f df", "alu unverified", "", "RSQTM.md",
     "first step of an IEEE exact square root"},
    {0x90, "rt_read_3d", "E P mode:uw{rt_read}&3 T si:v?mode.1/uw dst:W*any", "{.mode:rt} {E} {T} {si} {dst}", "", "unimplemented exec=16,32", "", "RT_READ.md",
     "read of the render target"},
};
// clang-format on

constexpr isa::Family kFamily = {"newer", "instructions of newer tools", kEntries};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::newer
