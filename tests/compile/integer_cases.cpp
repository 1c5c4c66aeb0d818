// SPDX-License-Identifier: MIT
// Integer arithmetic, logic, shifts, bit fields and comparisons.

#include <algorithm>
#include <bit>

#include "operation_cases.hpp"

namespace heddle::test {
namespace {

using Values = const std::uint64_t*;

std::string with_type(std::string text, unsigned bits) {
  for (std::size_t at = text.find("%T"); at != std::string::npos; at = text.find("%T", at + 1))
    text.replace(at, 2, "%u" + std::to_string(bits));
  return text;
}

std::int64_t s(std::uint64_t v, unsigned bits) { return signed_of(v, bits); }

bool quotient_defined(Values v, unsigned bits) {
  return v[1] != 0 && !(cut(v[1], bits) == cut(~std::uint64_t{0}, bits) && v[0] == std::uint64_t{1} << (bits - 1));
}
bool divisor_defined(Values v, unsigned) { return v[1] != 0; }
bool count_defined(Values v, unsigned bits) { return v[1] < bits; }
bool field_defined(Values v, unsigned bits) { return v[1] <= bits && v[2] <= bits && v[1] + v[2] <= bits; }

std::uint64_t field_mask(std::uint64_t count) { return count == 0 ? 0 : ~std::uint64_t{0} >> (64 - count); }

std::uint64_t reversed(std::uint64_t v, unsigned bits) {
  std::uint64_t r = 0;
  for (unsigned k = 0; k < bits; ++k) r |= (v >> k & 1) << (bits - 1 - k);
  return r;
}

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

}  // namespace

std::vector<IntegerCase> integer_cases() {
  const auto unsigned128 = [](std::uint64_t a, std::uint64_t b) { return static_cast<UnsignedWide>(a) * b; };
  const auto signed128 = [](std::int64_t a, std::int64_t b) { return static_cast<Wide>(a) * b; };
  return {
      {"IAdd", "T", "%r = OpIAdd %T %a %b", 2, [](Values v, unsigned) { return v[0] + v[1]; }},
      {"ISub", "T", "%r = OpISub %T %a %b", 2, [](Values v, unsigned) { return v[0] - v[1]; }},
      {"IMul", "T", "%r = OpIMul %T %a %b", 2, [](Values v, unsigned) { return v[0] * v[1]; }},
      {"SNegate", "T", "%r = OpSNegate %T %a", 1, [](Values v, unsigned) { return ~v[0] + 1; }},
      {"UDiv", "T", "%r = OpUDiv %T %a %b", 2, [](Values v, unsigned) { return v[0] / v[1]; }, divisor_defined},
      {"UMod", "T", "%r = OpUMod %T %a %b", 2, [](Values v, unsigned) { return v[0] % v[1]; }, divisor_defined},
      {"SDiv", "T", "%r = OpSDiv %T %a %b", 2,
       [](Values v, unsigned n) { return static_cast<std::uint64_t>(s(v[0], n) / s(v[1], n)); }, quotient_defined},
      {"SRem", "T", "%r = OpSRem %T %a %b", 2,
       [](Values v, unsigned n) { return static_cast<std::uint64_t>(s(v[0], n) % s(v[1], n)); }, quotient_defined},
      {"SMod", "T", "%r = OpSMod %T %a %b", 2,
       [](Values v, unsigned n) {
         const std::int64_t a = s(v[0], n), b = s(v[1], n), r = a % b;
         return static_cast<std::uint64_t>(r != 0 && (r < 0) != (b < 0) ? r + b : r);
       },
       quotient_defined},
      {"not", "T", "%r = OpNot %T %a", 1, [](Values v, unsigned) { return ~v[0]; }},
      {"and", "T", "%r = OpBitwiseAnd %T %a %b", 2, [](Values v, unsigned) { return v[0] & v[1]; }},
      {"or", "T", "%r = OpBitwiseOr %T %a %b", 2, [](Values v, unsigned) { return v[0] | v[1]; }},
      {"xor", "T", "%r = OpBitwiseXor %T %a %b", 2, [](Values v, unsigned) { return v[0] ^ v[1]; }},
      {"left", "T", "%r = OpShiftLeftLogical %T %a %b", 2, [](Values v, unsigned) { return v[0] << v[1]; },
       count_defined},
      {"right", "T", "%r = OpShiftRightLogical %T %a %b", 2, [](Values v, unsigned) { return v[0] >> v[1]; },
       count_defined},
      {"arithmetic", "T", "%r = OpShiftRightArithmetic %T %a %b", 2,
       [](Values v, unsigned n) { return static_cast<std::uint64_t>(s(v[0], n) >> v[1]); }, count_defined},
      {"BitReverse", "T", "%r = OpBitReverse %T %a", 1, [](Values v, unsigned n) { return reversed(v[0], n); }},
      {"BitCount", "T", "%r = OpBitCount %T %a", 1,
       [](Values v, unsigned) { return static_cast<std::uint64_t>(std::popcount(v[0])); }},
      {"insert", "T", "%_z = OpBitwiseXor %T %a %a\n%_k = OpNot %T %_z\n%r = OpBitFieldInsert %T %a %_k %b %c", 3,
       [](Values v, unsigned) { return v[0] | field_mask(v[2]) << v[1]; }, field_defined},
      {"insert_own", "T", "%_i = OpIMul %T %a %b\n%r = OpBitFieldInsert %T %a %_i %b %c", 3,
       [](Values v, unsigned n) {
         const std::uint64_t m = field_mask(v[2]) << (v[1] & 63);
         return v[1] == n ? v[0] : (v[0] & ~m) | ((v[0] * v[1]) << v[1] & m);
       },
       field_defined},
      {"sextract", "T", "%r = OpBitFieldSExtract %T %a %b %c", 3,
       [](Values v, unsigned) {
         return v[2] == 0 ? 0 : static_cast<std::uint64_t>(signed_of(v[0] >> v[1], static_cast<unsigned>(v[2])));
       },
       field_defined},
      {"uextract", "T", "%r = OpBitFieldUExtract %T %a %b %c", 3,
       [](Values v, unsigned) { return v[2] == 0 ? 0 : v[0] >> v[1] & field_mask(v[2]); }, field_defined},
      {"IEqual", "bool", "%r = OpIEqual %bool %a %b", 2,
       [](Values v, unsigned) { return std::uint64_t{v[0] == v[1]}; }},
      {"INotEqual", "bool", "%r = OpINotEqual %bool %a %b", 2,
       [](Values v, unsigned) { return std::uint64_t{v[0] != v[1]}; }},
      {"ULess", "bool", "%r = OpULessThan %bool %a %b", 2,
       [](Values v, unsigned) { return std::uint64_t{v[0] < v[1]}; }},
      {"SLess", "bool", "%r = OpSLessThan %bool %a %b", 2,
       [](Values v, unsigned n) { return std::uint64_t{s(v[0], n) < s(v[1], n)}; }},
      {"UGreaterEqual", "bool", "%r = OpUGreaterThanEqual %bool %a %b", 2,
       [](Values v, unsigned) { return std::uint64_t{v[0] >= v[1]}; }},
      {"SGreaterEqual", "bool", "%r = OpSGreaterThanEqual %bool %a %b", 2,
       [](Values v, unsigned n) { return std::uint64_t{s(v[0], n) >= s(v[1], n)}; }},
      {"UGreater", "bool", "%r = OpUGreaterThan %bool %a %b", 2,
       [](Values v, unsigned) { return std::uint64_t{v[0] > v[1]}; }},
      {"SLessEqual", "bool", "%r = OpSLessThanEqual %bool %a %b", 2,
       [](Values v, unsigned n) { return std::uint64_t{s(v[0], n) <= s(v[1], n)}; }},
      {"select", "T", "%_p = OpULessThan %bool %a %b\n%r = OpSelect %T %_p %c %a", 3,
       [](Values v, unsigned) { return v[0] < v[1] ? v[2] : v[0]; }},
      {"carry", "T", "%_s = OpIAddCarry %_S %a %b\n%r = OpCompositeExtract %T %_s 1", 2,
       [](Values v, unsigned n) { return std::uint64_t{cut(v[0] + v[1], n) < v[0]}; }},
      {"borrow", "T", "%_s = OpISubBorrow %_S %a %b\n%r = OpCompositeExtract %T %_s 1", 2,
       [](Values v, unsigned) { return std::uint64_t{v[0] < v[1]}; }},
      {"umulhigh", "T", "%_s = OpUMulExtended %_S %a %b\n%r = OpCompositeExtract %T %_s 1", 2,
       [=](Values v, unsigned n) { return static_cast<std::uint64_t>(unsigned128(v[0], v[1]) >> n); }},
      {"smulhigh", "T", "%_s = OpSMulExtended %_S %a %b\n%r = OpCompositeExtract %T %_s 1", 2,
       [=](Values v, unsigned n) { return static_cast<std::uint64_t>(signed128(s(v[0], n), s(v[1], n)) >> n); }},
      {"umullow", "T", "%_s = OpUMulExtended %_S %a %b\n%r = OpCompositeExtract %T %_s 0", 2,
       [](Values v, unsigned) { return v[0] * v[1]; }},
      {"SMin", "T", "%r = OpExtInst %T %std SMin %a %b", 2,
       [](Values v, unsigned n) { return s(v[0], n) < s(v[1], n) ? v[0] : v[1]; }},
      {"UMax", "T", "%r = OpExtInst %T %std UMax %a %b", 2, [](Values v, unsigned) { return std::max(v[0], v[1]); }},
      {"SAbs", "T", "%r = OpExtInst %T %std SAbs %a", 1,
       [](Values v, unsigned n) { return s(v[0], n) < 0 ? ~v[0] + 1 : v[0]; }},
      {"SSign", "T", "%r = OpExtInst %T %std SSign %a", 1,
       [](Values v, unsigned n) {
         return static_cast<std::uint64_t>(s(v[0], n) > 0 ? 1 : s(v[0], n) < 0 ? -1 : 0);
       }},
      {"SClamp", "T", "%r = OpExtInst %T %std SClamp %a %b %c", 3,
       [](Values v, unsigned n) { return static_cast<std::uint64_t>(std::clamp(s(v[0], n), s(v[1], n), s(v[2], n))); },
       [](Values v, unsigned n) { return s(v[1], n) <= s(v[2], n); }},
  };
}

std::vector<Operation> integer_operations(unsigned bits) {
  const std::string type = "u" + std::to_string(bits);
  std::vector<Operation> operations;
  for (const IntegerCase& c : integer_cases()) {
    Operation o{c.name, c.result == "T" ? type : c.result, std::vector<std::string>(c.inputs, type),
                with_type(c.body, bits), ""};
    if (o.body.find("%_S") != std::string::npos) o.globals = with_type("%_S = OpTypeStruct %T %T\n", bits);
    operations.push_back(std::move(o));
  }
  return operations;
}

std::map<std::pair<std::string, unsigned>, Bits> integer_inputs(std::span<const Operation> operations,
                                                                std::size_t count, unsigned bits) {
  auto inputs = inputs_of(operations, count);
  // Half of the second and third operands are small: shift counts, fields.
  for (auto& [key, list] : inputs)
    if (key.second != 0)
      for (std::size_t i = 1; i < list.size(); i += 2) list[i] = list[i] * (key.second + 6) % (bits + 1);
  return inputs;
}

}  // namespace heddle::test
