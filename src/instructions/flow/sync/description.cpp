// Barriers, fences and waits.
#include "instructions/families.hpp"

namespace heddle::instructions::sync {
namespace {

// clang-format off
constexpr isa::Row kRows[] = {
    {0x59, "barrier", "", "", "", "", "", "BARRIER.md",
     "all threads of the group meet"},
    {0x5a, "sampler_cache_flush", "", "", "", "", "", "CACHE_FLUSH.md",
     "flush of the sampler cache"},
    {0x5b, "wait", "mask:v/ub,ud,uw", "", "", "", "!XeHP_SDV|!DG2|!MTL|!PVC|!PVCXT|!ARL|!XE2|!XE3|!XE3P", "WAIT.md",
     "wait for a notification"},
    {0x5c, "fence_global", "ub(7=0,5=0,6-0:options{fence}&5f)", "{.options:letters}", "", "", "", "FENCE.md",
     "order of memory accesses, global"},
    {0x5c, "fence_local", "ub(7=0,5=1,6-0:options{fence}&5f)", "{.options:letters}", "", "", "", "FENCE.md",
     "order of memory accesses, shared local memory"},
    {0x5c, "fence_sw", "ub=80", "", "", "", "", "FENCE.md",
     "order of memory accesses for the compiler only"},
    {0x5f, "yield", "", "", "", "", "", "YIELD.md",
     "let other threads run"},
    {0x60, "nbarrier.wait", "ub=00 id:v/ub,ud,uw count:v~=id", "{id}", "", "", "PVC+", "NBARRIER.md",
     "wait at a named barrier", "", "12504"},
    {0x60, "nbarrier.signal", "ub=01 id:v/ub,ud,uw count:v/ub,ud,uw", "{id} {count}", "", "", "PVC+", "NBARRIER.md",
     "arrive at a named barrier", "", "12504"},
    {0x60, "nbarrier.wait", "ub=00 id:v/ub,ud,uw type:v producers:v consumers:v", "{id}", "", "", "PVC+", "NBARRIER.md",
     "wait at a named barrier", "", "newer"},
    {0x60, "nbarrier.signal", "ub=01 id:v/ub,ud,uw type:v producers:v/ub,ud,uw consumers:v~=producers", "{id} {producers}", "", "", "PVC+", "NBARRIER.md",
     "arrive at a named barrier", "", "newer"},
    {0x60, "nbarrier.signal", "ub=02 id:v/ub,ud,uw type:v/uw,ub,ud producers:v/ub,ud,uw consumers:v/ub,ud,uw", "{id} {type} {producers} {consumers}", "", "", "PVC+", "NBARRIER.md",
     "arrive at a named barrier as producer or consumer", "", "newer"},
    {0x7c, "sbarrier.wait", "ub=00", "", "", "", "", "SBARRIER.md",
     "second half of a split barrier"},
    {0x7c, "sbarrier.signal", "ub=01", "", "", "", "", "SBARRIER.md",
     "first half of a split barrier"},
};
// clang-format on

constexpr isa::Family kFamily = {"sync", "synchronisation", kRows};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::sync
