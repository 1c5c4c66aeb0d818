// SPDX-License-Identifier: MIT
// Logic, shifts and bit fields.
#include "instructions/families.hpp"

namespace heddle::instructions::logic {
namespace {

// clang-format off
constexpr isa::InstructionEntry kEntries[] = {
    {0x1f, "lzd", "E P D/ud s/ud,d", "", "", "alu", "", "LZD.md", "leading zero bits"},
    {0x20, "and", "E P D+p s+p s+p", "", "i q bool", "not alu operation=and", "", "AND.md", "bitwise and, of values or predicates"},
    {0x21, "or", "E P D+p s+p s+p", "", "i q bool", "not alu operation=or", "", "OR.md", "bitwise or, of values or predicates"},
    {0x22, "xor", "E P D+p s+p s+p", "", "i q bool", "not alu operation=xor", "", "XOR.md", "bitwise exclusive or, of values or predicates"},
    {0x23, "not", "E P D+p s+p", "", "i q bool", "not alu", "", "NOT.md", "bitwise complement, of values or predicates"},
    {0x24, "shl", "E P D s s", "", "i q", "sat mod alu", "", "SHL.md", "shift left"},
    {0x25, "shr", "E P D s s", "", "i q", "sat mod alu signs=unsigned", "", "SHR.md", "logical shift right"},
    {0x26, "asr", "E P D s s", "", "i q", "mod alu signs=signed sat", "", "ASR.md", "arithmetic shift right"},
    {0x27, "cbit", "E P D/ud,d s/b,ub,w,uw,d,ud", "", "", "alu", "", "CBIT.md", "number of set bits"},
    {0x2e, "fbl", "E P D/ud,d s/ud,d,uw", "", "", "alu", "", "FBL.md", "first set bit from the low side"},
    {0x2f, "fbh", "E P D/ud,d s/d,ud", "", "", "alu", "", "FBH.md", "first bit from the high side"},
    {0x46, "bfe", "E P D s s s", "", "d ud", "alu exec=1,4,8,16,32", "", "BFE.md", "bit-field extract"},
    {0x47, "bfi", "E P D s s s s", "", "d ud", "alu exec=1,4,8,16,32", "", "BFI.md", "bit-field insert"},
    {0x48, "bfrev", "E P D s", "", "ud d", "alu", "", "BFREV.md", "reverse the bits"},
    {0x80, "rol", "E P D s s", "", "w uw d ud q@PVC uq@PVC", "alu typerule=visa-rotate-type", "ICLLP+", "ROL.md", "rotate left"},
    {0x81, "ror", "E P D s s", "", "w uw d ud q@PVC uq@PVC", "alu typerule=visa-rotate-type", "ICLLP+", "ROR.md", "rotate right"},
    {0x85, "bfn", "E P D s s s function:ub", "{.function:x}{.sat} {E} {D} {src0} {src1} {src2}", "w uw d ud", "alu", "XeHP_SDV+", "BFN.md", "any boolean function of three"},
};
// clang-format on

constexpr isa::Family kFamily = {"logic", "logic, shifts and bit fields", kEntries, "lanewise private"};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::logic
