// SPDX-License-Identifier: MIT
// AMD's instruction sets for shaders: SPV_AMD_shader_ballot, SPV_AMD_shader_trinary_minmax.
// Rules: SPV-21.
#include <fmt/format.h>
#include <spirv/unified1/AMD_shader_ballot.h>
#include <spirv/unified1/AMD_shader_trinary_minmax.h>

#include "spirv/compile/arithmetic/scalar.hpp"
#include "spirv/compile/arithmetic/subgroup.hpp"
#include "spirv/compile/operations/subgroup.hpp"

namespace heddle::spirv::compiler {

using isa::Type;

namespace {

void set_shuffled(ShaderContext& t, const Part& index) {
  each_scalar(
      t, [&](unsigned i) { return shuffle(t.b, t.values.part(extended_operand(t, 0), i), index, t.result_name()); });
}

/// SPIRV-Tools does not look at the operands of these sets: numbers of their own count and width.
bool are_integers(ShaderContext& t, unsigned operand, unsigned count, unsigned bits) {
  const std::uint32_t id = extended_operand(t, operand);
  const Type scalar = scalar_of(t, id);
  if (t.values.size(id) == count && scalar != Type::Bool && isa::is_integer(scalar) &&
      isa::type_bytes(scalar) * 8 == bits)
    return true;
  t.refuse(fmt::format("operand {} is not {} of {} bits", operand + 1, count == 1 ? "an integer" : "integers", bits));
  return false;
}

/// Whether an operand has the result's type.
bool is_like_result(ShaderContext& t, unsigned operand) {
  const std::uint32_t id = extended_operand(t, operand);
  if (t.values.size(id) == t.types.of(t.at->type).flat && scalar_of(t, id) == result_scalar(t)) return true;
  t.refuse(fmt::format("operand {} has not the result's type", operand + 1));
  return false;
}

void ballot_set(ShaderContext& t) {
  VisaWriter& b = t.b;
  const Part lane = b.lane_numbers();
  const auto number = [&](unsigned operand, unsigned i = 0) { return t.values.part(extended_operand(t, operand), i); };
  switch (extended_number(t)) {
    case AMD_shader_ballotSwizzleInvocationsAMD: {  // lane k of a quad takes the value of its lane offset[k]
      if (!is_like_result(t, 0) || !are_integers(t, 1, 4, 32)) return;
      const Part corner = b.make("and", Type::UD, {lane, ud(3)}, "corner");
      const Part from = b.copy(number(1, 0).as(Type::UD), "from");
      for (unsigned k = 1; k < 4; ++k)
        b.move(from, number(1, k).as(Type::UD), {b.compare("eq", corner, ud(k)), false, false});
      const Part inside = b.make("and", Type::UD, {from, ud(3)}, "from");
      return set_shuffled(t,
                          b.make("or", Type::UD, {b.make("and", Type::UD, {lane, ud(~3u)}, "quad"), inside}, "index"));
    }
    case AMD_shader_ballotSwizzleInvocationsMaskedAMD: {  // and, or, xor on the lane's number
      if (!is_like_result(t, 0) || !are_integers(t, 1, 3, 32)) return;
      const Part kept = b.make("and", Type::UD, {lane, number(1, 0).as(Type::UD)}, "index");
      const Part set = b.make("or", Type::UD, {kept, number(1, 1).as(Type::UD)}, "index");
      return set_shuffled(t, b.make("xor", Type::UD, {set, number(1, 2).as(Type::UD)}, "index"));
    }
    case AMD_shader_ballotWriteInvocationAMD: {
      if (!is_like_result(t, 0) || !is_like_result(t, 1) || !are_integers(t, 2, 1, 32)) return;
      const Part there = b.compare("eq", lane, index_of(b, number(2)), "is_lane");
      return each_scalar(t, [&](unsigned i) {
        return b.select(there, t.values.part(extended_operand(t, 1), i), t.values.part(extended_operand(t, 0), i),
                        t.result_name());
      });
    }
    case AMD_shader_ballotMbcntAMD: {  // no thread is wider than 32 lanes
      if (!are_integers(t, 0, 1, 64)) return;
      const Part below = b.make("and", Type::UD, {lanes_below(b, false), low_half(number(0))}, "below");
      return t.set({b.make("cbit", Type::UD, {below}, t.result_name()).as(result_scalar(t))});
    }
    default:
      t.refuse("this instruction of SPV_AMD_shader_ballot is not known");
  }
}

/// Least, greatest and middle of three.
void trinary_set(ShaderContext& t) {
  const std::uint32_t number = extended_number(t);
  const bool real = number == AMD_shader_trinary_minmaxFMin3AMD || number == AMD_shader_trinary_minmaxFMax3AMD ||
                    number == AMD_shader_trinary_minmaxFMid3AMD;
  const bool is_signed = number == AMD_shader_trinary_minmaxSMin3AMD || number == AMD_shader_trinary_minmaxSMax3AMD ||
                         number == AMD_shader_trinary_minmaxSMid3AMD;
  const bool least = number == AMD_shader_trinary_minmaxFMin3AMD || number == AMD_shader_trinary_minmaxUMin3AMD ||
                     number == AMD_shader_trinary_minmaxSMin3AMD;
  const bool greatest = number == AMD_shader_trinary_minmaxFMax3AMD || number == AMD_shader_trinary_minmaxUMax3AMD ||
                        number == AMD_shader_trinary_minmaxSMax3AMD;
  if (number < AMD_shader_trinary_minmaxFMin3AMD || number > AMD_shader_trinary_minmaxSMid3AMD)
    return t.refuse("this instruction of SPV_AMD_shader_trinary_minmax is not known");
  for (unsigned k = 0; k < 3; ++k)
    if (!is_like_result(t, k)) return;
  if (!has_double(t, result_scalar(t)) || result_scalar(t) == Type::Bool) return;
  each_scalar(t, [&](unsigned i) {
    const auto operand = [&](unsigned k) {
      const Part x = t.values.part(extended_operand(t, k), i);
      return t.b.copy(real ? x : is_signed ? as_signed(x) : as_unsigned(x));
    };
    const auto pick = [&](bool smaller, const Part& x, const Part& y) {
      return t.b.select(t.b.compare(smaller ? "lt" : "gt", y, x), y, x, t.result_name());
    };
    const Part x = operand(0), y = operand(1), z = operand(2);
    const Part result = least || greatest ? pick(least, pick(least, x, y), z)
                                          : pick(false, pick(true, x, y), pick(true, pick(false, x, y), z));
    return result.as(result_scalar(t));
  });
}

}  // namespace

bool translate_amd(ShaderContext& t, const std::string& set) {
  if (set == "SPV_AMD_shader_ballot")
    ballot_set(t);
  else if (set == "SPV_AMD_shader_trinary_minmax")
    trinary_set(t);
  else
    return false;
  return true;
}

}  // namespace heddle::spirv::compiler
