// SPDX-License-Identifier: MIT
// Raw messages.
#include "instructions/families.hpp"

namespace heddle::instructions::send {
namespace {

// clang-format off
constexpr isa::InstructionEntry kEntries[] = {
    {0x5d, "raw_send", "ub=00 E P exdesc:ud nsrc:ub ndst:ub desc:v/ud src:R*grf.nsrc dst:W^*grf.ndst", "{E} {exdesc:hex} {nsrc} {ndst} {desc} {src} {dst}", "", "", "<XeHP_SDV", "RAW_SEND.md",
     "message with one payload"},
    {0x5d, "raw_sendc", "ub=01 E P exdesc:ud nsrc:ub ndst:ub desc:v/ud src:R*grf.nsrc dst:W^*grf.ndst", "{E} {exdesc:hex} {nsrc} {ndst} {desc} {src} {dst}", "", "", "<XeHP_SDV", "RAW_SEND.md",
     "message with one payload, after earlier threads of the same pixels"},
    {0x7a, "raw_sends", "ub=00 E P nsrc0:ub nsrc1:ub ndst:ub ffid:ub@3.6%exdesc exdesc:v/ud desc:v/ud src0:R*grf.nsrc0 src1:R^*grf.nsrc1 dst:W^*grf.ndst", "{.ffid}{.nsrc0}{.nsrc1}{.ndst} {E} {exdesc} {desc} {src0} {src1} {dst}", "", "", "SKL+", "RAW_SENDS.md",
     "message with two payloads"},
    {0x7a, "raw_sendsc", "ub=01 E P nsrc0:ub nsrc1:ub ndst:ub ffid:ub@3.6%exdesc exdesc:v/ud desc:v/ud src0:R*grf.nsrc0 src1:R^*grf.nsrc1 dst:W^*grf.ndst", "{.ffid?}{.nsrc0}{.nsrc1}{.ndst} {E} {exdesc} {desc} {src0} {src1} {dst}", "", "", "SKL+", "RAW_SENDS.md",
     "message with two payloads, after earlier threads of the same pixels"},
    {0x7a, "raw_sends_eot", "ub=02 E P nsrc0:ub nsrc1:ub ndst:ub ffid:ub@3.6%exdesc exdesc:v/ud desc:v/ud src0:R*grf.nsrc0 src1:R^*grf.nsrc1 dst:W^*grf.ndst", "{.ffid}{.nsrc0}{.nsrc1}{.ndst} {E} {exdesc} {desc} {src0} {src1} {dst}", "", "eot", "SKL+", "RAW_SENDS.md",
     "message with two payloads that ends the thread"},
    {0x7a, "raw_sendsc_eot", "ub=03 E P nsrc0:ub nsrc1:ub ndst:ub ffid:ub@3.6%exdesc exdesc:v/ud desc:v/ud src0:R*grf.nsrc0 src1:R^*grf.nsrc1 dst:W^*grf.ndst", "{.ffid?}{.nsrc0}{.nsrc1}{.ndst} {E} {exdesc} {desc} {src0} {src1} {dst}", "", "eot", "SKL+", "RAW_SENDS.md",
     "message with two payloads that ends the thread, after earlier threads of the same pixels"},
};
// clang-format on

constexpr isa::Family kFamily = {"send", "raw messages", kEntries, "anymemory"};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::send
