// SPDX-License-Identifier: MIT
// Barriers, fences and waits.
#include "instructions/families.hpp"

namespace heddle::instructions::sync {
namespace {

// clang-format off
constexpr isa::InstructionEntry kEntries[] = {
    {0x59, "barrier", "", "", "", "barrier=group", "", "BARRIER.md",
     "all threads of the group meet"},
    {0x5a, "sampler_cache_flush", "", "", "", "", "", "CACHE_FLUSH.md",
     "flush of the sampler cache"},
    {0x5b, "wait", "mask:v/ub,b,ud,d,uw,w", "", "", "", "!XeHP_SDV|!DG2|!MTL|!PVC|!PVCXT|!ARL|!XE2|!XE3|!XE3P", "WAIT.md",
     "wait for a notification"},
    {0x5c, "fence_global", "ub(7=0,5=0,6-0:options{fence}&5f)", "{.options:letters}", "", "fence=buffers", "", "FENCE.md",
     "order of memory accesses, global"},
    {0x5c, "fence_local", "ub(7=0,5=1,6-0:options{fence}&5f)", "{.options:letters}", "", "fence=shared", "", "FENCE.md",
     "order of memory accesses, shared local memory"},
    {0x5c, "fence_sw", "ub=80", "", "", "fence=shared", "", "FENCE.md",
     "order of memory accesses for the compiler only"},
    {0x5f, "yield", "", "", "", "", "", "YIELD.md",
     "let other threads run"},
    {0x60, "nbarrier.wait", "ub=00 id:v/ub,b,ud,d,uw,w count:v~=id", "{id} {count?}", "", "barrier=namedwait typerule=visa-nbarrier-id", "PVC+", "NBARRIER.md",
     "wait at a named barrier", "", "12504"},
    {0x60, "nbarrier.signal", "ub=01 id:v/ub,b,ud,d,uw,w count:v/ub,b,ud,d,uw,w", "{id} {count}", "", "barrier=namedsignal typerule=visa-nbarrier-id", "PVC+", "NBARRIER.md",
     "arrive at a named barrier", "", "12504"},
    {0x60, "nbarrier.wait", "ub=00 id:v/ub,b,ud,d,uw,w type:v producers:v consumers:v", "{id} {type?} {producers?} {consumers?}", "", "barrier=namedwait typerule=visa-nbarrier-id", "PVC+", "NBARRIER.md",
     "wait at a named barrier", "", "newer"},
    {0x60, "nbarrier.signal", "ub=01 id:v/ub,b,ud,d,uw,w type:v producers:v/ub,ud,uw consumers:v~=producers", "{id} {producers}", "", "barrier=namedsignal typerule=visa-nbarrier-id", "PVC+", "NBARRIER.md",
     "arrive at a named barrier", "", "newer"},
    {0x60, "nbarrier.signal", "ub=02 id:v/ub,b,ud,d,uw,w type:v/uw,ub,ud producers:v/ub,ud,uw consumers:v/ub,ud,uw", "{id} {type} {producers} {consumers}", "", "barrier=namedsignal typerule=visa-nbarrier-id", "PVC+", "NBARRIER.md",
     "arrive at a named barrier as producer or consumer", "", "newer"},
    {0x7c, "sbarrier.wait", "ub=00", "", "", "barrier=wait", "", "SBARRIER.md",
     "second half of a split barrier"},
    {0x7c, "sbarrier.signal", "ub=01", "", "", "barrier=signal", "", "SBARRIER.md",
     "first half of a split barrier"},
};
// clang-format on

constexpr isa::Family kFamily = {"sync", "synchronization", kEntries};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::sync
