// SPDX-License-Identifier: MIT
// Debug information and variable lifetimes.
#include "instructions/families.hpp"

namespace heddle::instructions::misc {
namespace {

// clang-format off
constexpr isa::InstructionEntry kEntries[] = {
    {0x51, "FILE", "name:n4", "", "", "", "", "FILE.md",
     "source file of what follows"},
    {0x52, "LOC", "line:ud", "", "", "", "", "LOC.md",
     "source line of what follows"},
    {0x7b, "lifetime.start", "ub=00 variable:gv", "", "", "lifetime=start", "", "LIFETIME.md",
     "start of the life of a variable"},
    {0x7b, "lifetime.start", "ub=10 variable:av", "", "", "lifetime=start", "", "LIFETIME.md",
     "start of the life of a variable"},
    {0x7b, "lifetime.start", "ub=20 variable:pv", "", "", "lifetime=start", "", "LIFETIME.md",
     "start of the life of a variable"},
    {0x7b, "lifetime.end", "ub=01 variable:gv", "", "", "lifetime=end", "", "LIFETIME.md",
     "end of the life of a variable"},
    {0x7b, "lifetime.end", "ub=11 variable:av", "", "", "lifetime=end", "", "LIFETIME.md",
     "end of the life of a variable"},
    {0x7b, "lifetime.end", "ub=21 variable:pv", "", "", "lifetime=end", "", "LIFETIME.md",
     "end of the life of a variable"},
};
// clang-format on

constexpr isa::Family kFamily = {"misc", "debug information and lifetimes", kEntries, "flow=remark private"};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::misc
