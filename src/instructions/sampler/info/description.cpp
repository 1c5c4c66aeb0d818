// INFO, opcode 70 (INF-1 to INF-3).
#include "instructions/families.hpp"

namespace heddle::instructions::info {
namespace {

// clang-format off
constexpr isa::Row kRows[] = {
    {0x70, "resinfo", "ub=0a E M~15 T lod:R/ud*exec dst:W/ud*exec.mask", "{.mask} {E} {T} {lod} {dst}", "", "exec=8,16,32 oprule=visa-info-op", "", "INFO.md",
     "width, height, depth or array length and mip count of a surface at a level of detail"},
    {0x70, "sampleinfo", "ub=0b E M~15 T dst:W/ud*exec.mask", "{.mask} {E} {T} {dst}", "", "exec=8,16,32 oprule=visa-info-op", "", "INFO.md",
     "number of samples of a surface"},
};
// clang-format on

constexpr isa::Family kFamily = {"info", "surface queries", kRows};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::info
