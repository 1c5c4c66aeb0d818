// SPDX-License-Identifier: MIT
// Arithmetic.
#include "instructions/families.hpp"

namespace heddle::instructions::arithmetic {
namespace {

// clang-format off
constexpr isa::InstructionEntry kEntries[] = {
    {0x01, "add", "E P D s s", "", "i q hf f df bf@XeHP_SDV", "sat mod alu", "", "ADD.md", "sum"},
    {0x02, "avg", "E P D s s", "", "i", "sat mod alu", "", "AVG.md", "average of two integers, rounded up"},
    {0x03, "div", "E P D s s", "", "i hf f df", "satf mod alu", "", "DIV.md", "quotient"},
    {0x04, "dp2", "E P D s s", "", "f", "alu", "BDW-BXT", "", "dot product of two components in each group of four"},
    {0x05, "dp3", "E P D s s", "", "f", "alu", "BDW-BXT", "", "dot product of three components in each group of four"},
    {0x06, "dp4", "E P D s s", "", "f", "alu", "BDW-BXT", "", "dot product of groups of four"},
    {0x07, "dph", "E P D s s", "", "f", "alu", "BDW-BXT", "", "homogeneous dot product of groups of four"},
    {0x08, "exp", "E P D s", "", "hf f", "sat mod alu", "", "EXP.md", "two to the power of the source"},
    {0x09, "frc", "E P D s", "", "f", "mod alu", "", "FRC.md", "fraction above the floor"},
    {0x0a, "line", "E P D s s", "", "f", "alu", "BDW-BXT", "", "line equation p*u + q"},
    {0x0b, "log", "E P D s", "", "hf f", "sat mod alu", "", "LOG.md", "base-2 logarithm"},
    {0x0c, "mad", "E P D s s s", "", "i hf f df bf@XeHP_SDV", "satf mod alu", "", "MAD.md", "src0 * src1 + src2"},
    {0x0d, "mulh", "E P D s s", "", "d ud", "mod alu signs=same", "", "MULH.md", "upper half of the product"},
    {0x0e, "lrp", "E P D s s s", "", "f", "sat mod alu", "<ICLLP", "LRP.md", "linear interpolation"},
    {0x0f, "mod", "E P D s s", "", "i", "mod alu", "", "MOD.md", "remainder"},
    {0x10, "mul", "E P D s s", "", "i q hf f df bf@XeHP_SDV", "satf mod alu", "", "MUL.md", "product"},
    {0x11, "pow", "E P D s s", "", "hf f", "sat mod alu", "", "POW.md", "src0 to the power of src1"},
    {0x12, "rndd", "E P D s", "", "f", "sat mod alu", "", "RNDD.md", "round down"},
    {0x13, "rndu", "E P D s", "", "f", "sat mod alu", "", "RNDU.md", "round up"},
    {0x14, "rnde", "E P D s", "", "f", "sat mod alu", "", "RNDE.md", "round to nearest even"},
    {0x15, "rndz", "E P D s", "", "f", "sat mod alu", "", "RNDZ.md", "round toward zero"},
    {0x16, "sad2", "E P D/w,uw s/b,ub s/b,ub", "", "", "sat mod alu typerule=visa-sad", "<TGLLP", "SAD2.md", "sum of absolute differences of two neighbors"},
    {0x17, "sin", "E P D s", "", "hf f", "sat mod alu", "", "SIN.md", "sine"},
    {0x18, "cos", "E P D s", "", "hf f", "sat mod alu", "", "COS.md", "cosine"},
    {0x19, "sqrt", "E P D s", "", "hf f", "sat mod alu", "", "SQRT.md", "square root"},
    {0x1a, "rsqrt", "E P D s", "", "hf f", "sat mod alu", "", "RSQRT.md", "reciprocal square root"},
    {0x1b, "inv", "E P D s", "", "hf f df", "sat mod alu", "", "INV.md", "reciprocal"},
    {0x49, "addc", "E P D/ud carry:D/ud s/ud,uw s/ud,uw", "", "", "alu", "", "ADDC.md", "sum and carry"},
    {0x4a, "subb", "E P D borrow:D s s", "", "ud", "alu", "", "SUBB.md", "difference and borrow"},
    {0x6a, "sad2add", "E P D/w,uw s/b,ub s/b,ub s/w,uw", "", "", "sat alu typerule=visa-sad", "<TGLLP", "SAD2ADD.md", "sum of absolute differences of two neighbors plus src2"},
    {0x6b, "plane", "E P D s s", "", "f", "sat alu exec=8,16", "", "PLN.md", "plane equation p*u + q*v + r"},
    {0x7e, "sqrtm", "E P D s", "", "f df", "sat alu typerule=visa-math-type", "!ICLLP|!TGLLP|!DG2|!MTL|!ARL", "SQRTM.md", "square root, IEEE exact"},
    {0x7f, "divm", "E P D s s", "", "f df", "sat alu typerule=visa-math-type", "!ICLLP|!TGLLP|!DG2|!MTL|!ARL", "DIVM.md", "quotient, IEEE exact"},
    {0x82, "dp4a", "E P D s s s", "", "d ud", "sat alu", "TGLLP+", "DP4A.md", "dot product of four packed bytes plus src0"},
    {0x84, "add3", "E P D s s s", "", "w uw d ud", "sat mod alu", "XeHP_SDV+", "ADD3.md", "sum of three"},
    {0x91, "madw", "E P D s s s", "", "d ud", "mod alu", "", "MADW.md", "src0 * src1 + src2 as 64 bits, low and high words apart"},
    {0x92, "add3.o", "E P D s s s", "", "w uw d ud", "mod alu predout", "XeHP_SDV+", "ADD3O.md", "sum of three with overflow bits into the predicate"},
};
// clang-format on

constexpr isa::Family kFamily = {"arithmetic", "arithmetic", kEntries, "lanewise private"};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::arithmetic
