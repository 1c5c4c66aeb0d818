// SPDX-License-Identifier: MIT
// GLSL.std.450: integers, packing, floating-point numbers taken apart.
// Rules: SPV-40, SPV-41.

#include <spirv/unified1/GLSL.std.450.h>

#include <cmath>
#include <optional>
#include <spirv/unified1/spirv.hpp>

#include "spirv/compile/glsl/glsl.hpp"
namespace heddle::spirv::compiler {

using isa::Type;

namespace {

/// The smaller or larger of two integers of one type.
Part extreme(VisaWriter& b, bool smaller, const Part& x, const Part& y) {
  // 64 bits: not among the emulated instructions.
  if (bits_of(x) == 64) return b.select(b.compare(smaller ? "lt" : "gt", x, y), x, y);
  return b.make(smaller ? "min" : "max", x.type, {x, y});
}

Part absolute(VisaWriter& b, const Part& x) {
  if (bits_of(x) != 64) return b.make("mov", x.type, {magnitude(x)});
  const Part result = b.copy(x);
  negate(b, result, x, {b.compare("lt", x, integer_like(x, 0)), false, false});
  return result;
}

Part sign_of(VisaWriter& b, const Part& x) {
  const Part result = b.copy(integer_like(x, 0), "sign"), zero = integer_like(x, 0);
  b.move(result, integer_like(x, 1), {b.compare("gt", x, zero), false, false});
  b.move(result, integer_like(x, ~std::uint64_t{0}), {b.compare("lt", x, zero), false, false});
  return result;
}

/// Of ud: 31 - leading zeros, -1 for none.
Part highest_bit(VisaWriter& b, const Part& x) {
  return b.make("add", Type::D, {negated(b.make("lzd", Type::UD, {x}).as(Type::D)), constant(Type::D, 31)}, "bit");
}

Part find_bit(VisaWriter& b, std::uint32_t number, const Part& given) {
  const bool lowest = number == GLSLstd450FindILsb, is_signed = number == GLSLstd450FindSMsb;
  Part x = is_signed ? as_signed(given) : as_unsigned(given);
  const bool wide = bits_of(x) == 64;
  if (!wide) x = convert_number(b, x, is_signed ? Type::D : Type::UD);
  if (is_signed) {  // the highest bit that differs from the sign
    const Part sign = b.make("asr", x.type, {x, constant(Type::D, wide ? 63 : 31)}, "sign");
    x = as_unsigned(b.make("xor", x.type, {x, sign}, "magnitude"));
  }
  const auto find = [&](const Part& p) {
    return lowest ? b.make("fbl", Type::UD, {p}, "bit").as(Type::D) : highest_bit(b, p);
  };
  if (!wide) return find(x);
  const Part low = find(low_half(x)), high = find(high_half(x));
  const Part moved = b.make("add", Type::D, {high, constant(Type::D, 32)}, "bit");
  const Part none_high = b.compare("eq", high_half(x), ud(0));
  if (!lowest) return b.select(none_high, low, moved, "bit");
  return b.select(b.compare("ne", low_half(x), ud(0)), low, b.select(none_high, constant(Type::D, 0xffffffffu), moved),
                  "bit");
}

}  // namespace

bool glsl_integer(ShaderContext& t) {
  const std::uint32_t number = extended_number(t);
  VisaWriter& b = t.b;
  const auto operand = [&](unsigned k, unsigned i, bool is_signed) {
    const Part p = t.values.part(extended_operand(t, k), i);
    return is_signed ? as_signed(p) : as_unsigned(p);
  };
  const auto set = [&](auto f) {
    const Type type = result_scalar(t);
    each_scalar(t, [&](unsigned i) { return convert_number(b, f(i), type, t.result_name()); });
    return true;
  };
  switch (number) {
    case GLSLstd450SAbs:
      return set([&](unsigned i) { return absolute(b, operand(0, i, true)); });
    case GLSLstd450SSign:
      return set([&](unsigned i) { return sign_of(b, operand(0, i, true)); });
    case GLSLstd450SMin:
    case GLSLstd450SMax:
      return set(
          [&](unsigned i) { return extreme(b, number == GLSLstd450SMin, operand(0, i, true), operand(1, i, true)); });
    case GLSLstd450UMin:
    case GLSLstd450UMax:
      return set(
          [&](unsigned i) { return extreme(b, number == GLSLstd450UMin, operand(0, i, false), operand(1, i, false)); });
    case GLSLstd450SClamp:
    case GLSLstd450UClamp: {
      const bool s = number == GLSLstd450SClamp;
      return set([&](unsigned i) {
        return extreme(b, true, extreme(b, false, operand(0, i, s), operand(1, i, s)), operand(2, i, s));
      });
    }
    case GLSLstd450FindILsb:
    case GLSLstd450FindSMsb:
    case GLSLstd450FindUMsb:
      return set([&](unsigned i) { return find_bit(b, number, t.values.part(extended_operand(t, 0), i)); });
    default:
      return false;
  }
}

namespace {

struct Packing {
  unsigned components, bits;
  bool is_signed;
};

std::optional<Packing> packing_of(std::uint32_t number) {
  switch (number) {
    case GLSLstd450PackSnorm4x8:
    case GLSLstd450UnpackSnorm4x8:
      return Packing{4, 8, true};
    case GLSLstd450PackUnorm4x8:
    case GLSLstd450UnpackUnorm4x8:
      return Packing{4, 8, false};
    case GLSLstd450PackSnorm2x16:
    case GLSLstd450UnpackSnorm2x16:
      return Packing{2, 16, true};
    case GLSLstd450PackUnorm2x16:
    case GLSLstd450UnpackUnorm2x16:
      return Packing{2, 16, false};
    default:
      return std::nullopt;
  }
}

Part pack(ShaderContext& t, const Packing& p) {
  VisaWriter& b = t.b;
  const double scale = static_cast<double>((1u << (p.is_signed ? p.bits - 1 : p.bits)) - 1);
  Part word;
  for (unsigned k = 0; k < p.components; ++k) {
    const Real x(b, t.values.part(extended_operand(t, 0), k));
    const Real inside = min(max(x, x.number(p.is_signed ? -1 : 0)), x.number(1));
    const Real whole = round(inside * scale, Rounding::Even);
    Part bits = b.convert(whole.part(), Type::D, "field").as(Type::UD);
    if (p.is_signed) bits = b.make("and", Type::UD, {bits, ud((1u << p.bits) - 1)}, "field");
    if (k != 0) bits = b.make("shl", Type::UD, {bits, ud(k * p.bits)}, "field");
    word = k == 0 ? bits : b.make("or", Type::UD, {word, bits}, "packed");
  }
  return word;
}

Part unpack(ShaderContext& t, const Packing& p, unsigned k) {
  VisaWriter& b = t.b;
  const double scale = static_cast<double>((1u << (p.is_signed ? p.bits - 1 : p.bits)) - 1);
  const Type type = p.is_signed ? Type::D : Type::UD;
  const Part up =
      b.make("shl", Type::UD, {t.values.part(extended_operand(t, 0)).as(Type::UD), ud(32 - p.bits * (k + 1))}, "field");
  const Part field = b.make(p.is_signed ? "asr" : "shr", type, {up.as(type), constant(type, 32 - p.bits)}, "field");
  const Real value = quotient(Real(b, b.convert(field, Type::F)), scale);
  return (p.is_signed ? max(value, value.number(-1)) : value).part();
}

/// 2 to the power of d: HF is never asked for.
Part power_of_two(VisaWriter& b, const Part& exponent, Type type) {
  const bool wide = type == Type::DF;
  const Part biased = b.make("add", Type::D, {exponent, constant(Type::D, wide ? 1023 : 127)}, "exponent");
  const Part bits = b.make("shl", Type::UD, {biased.as(Type::UD), ud(wide ? 20 : 23)}, "power");
  return wide ? join(b, type, ud(0), bits, "power") : bits.as(type);
}

/// Steps, so that each power is a normal number.
Part load_exponent(VisaWriter& b, const Part& x, const Part& given) {
  if (x.type == Type::HF) return b.convert(load_exponent(b, b.convert(x, Type::F), given), Type::HF);
  const bool wide = x.type == Type::DF;
  const auto clamped = [&](const Part& value, int least, int most) {
    const Part above =
        b.make("max", Type::D, {value, constant(Type::D, static_cast<std::uint32_t>(least))}, "exponent");
    return b.make("min", Type::D, {above, constant(Type::D, static_cast<std::uint32_t>(most))}, "exponent");
  };
  const auto power = [&](const Part& value) { return clamped(value, wide ? -1022 : -126, wide ? 1023 : 127); };
  // From the largest number to zero, from the least to infinity: three powers. The one that may round comes last.
  const Part exponent = clamped(given, wide ? -2100 : -280, wide ? 2100 : 280);
  const Part last = power(exponent);
  const Part rest = b.make("add", Type::D, {exponent, negated(last)}, "exponent");
  const Part second = power(rest);
  const Part first = b.make("add", Type::D, {rest, negated(second)}, "exponent");
  const Real scaled = Real(b, x) * Real(b, power_of_two(b, first, x.type)) * Real(b, power_of_two(b, second, x.type)) *
                      Real(b, power_of_two(b, last, x.type));
  return scaled.part();
}

struct SplitFloat {
  Part significand, exponent;  ///< exponent: d
};

/// x = significand * 2^exponent, 0.5 <= |significand| < 1; zero, infinities and NaN stay, with exponent 0.
SplitFloat split_float(VisaWriter& b, const Part& given) {
  if (given.type == Type::HF) {
    SplitFloat a = split_float(b, b.convert(given, Type::F));
    return {b.convert(a.significand, Type::HF), a.exponent};
  }
  const bool wide = given.type == Type::DF;
  const Real x(b, given.constant() ? b.copy(given) : given);
  // A subnormal number is made normal first.
  const Part tiny = compare(abs(x), "lt", wide ? 0x1p-1022 : 0x1p-126);
  const Part normal = b.copy(choose(tiny, x * (wide ? 0x1p54 : 0x1p24), x).part(), "significand");
  const Part top = wide ? high_half(normal) : normal.as(Type::UD);
  const unsigned shift = wide ? 20 : 23;
  const std::uint32_t field = wide ? 0x7ff : 0xff;
  const Part down = b.make("shr", Type::UD, {top, ud(shift)}, "exponent");
  const Part biased = b.make("and", Type::UD, {down, ud(field)}, "exponent");
  const Part bias = b.select(tiny, constant(Type::D, static_cast<std::uint32_t>(wide ? -1022 - 54 : -126 - 24)),
                             constant(Type::D, static_cast<std::uint32_t>(wide ? -1022 : -126)), "bias");
  Part exponent = b.make("add", Type::D, {biased.as(Type::D), bias}, "exponent");
  b.op("and", top, {top, ud(~(field << shift))});
  b.op("or", top, {top, ud(wide ? 0x3fe00000u : 0x3f000000u)});
  const Part number = logical_and(b, compare(abs(x), "gt", 0), compare(abs(x), "lt", HUGE_VAL));
  b.move(normal, x.part(), {number, true, false});
  b.move(exponent, constant(Type::D, 0), {number, true, false});
  return {normal, exponent};
}

/// The word that has a number's sign in its highest bit.
Part sign_word(const Part& x) { return x.type == Type::DF ? high_half(x) : as_unsigned(x); }

/// x without its whole part. It has the sign of x, also where it is zero: of whole numbers, and of infinities.
Part fraction_of(VisaWriter& b, const Part& x, const Part& whole) {
  const Real number(b, x);
  const Real rest = choose(compare(number, "eq", Real(b, whole)), number.number(0), number - Real(b, whole));
  const Part word = sign_word(rest.part());
  const Part sign = b.make("and", word.type, {sign_word(x), constant(word.type, 1ull << (bits_of(word) - 1))}, "sign");
  b.op("or", word, {word, sign});
  return rest.part();
}

void store_parts(ShaderContext& t, std::uint32_t id, std::vector<Part> parts) {
  const std::shared_ptr<Pointer> pointer = t.values.of(id).pointer;
  if (pointer == nullptr) {
    t.refuse("this pointer is not supported");
    return;
  }
  Value value;
  value.type = pointer->pointee;
  value.parts = std::move(parts);
  t.memory.store(*pointer, value);
}

void frexp_or_modf(ShaderContext& t, bool frexp, bool in_struct) {
  const std::vector<Part> xs = parts_of(t, extended_operand(t, 0));
  if (!xs.empty() && !has_double(t, xs.front().type)) return;
  Type type = xs.empty() ? Type::F : xs.front().type;
  if (frexp) {
    const std::vector<Type> list = in_struct
                                       ? t.types.scalars(t.at->type)
                                       : t.types.scalars(t.types.of(t.module.type_of(extended_operand(t, 1))).element);
    if (!list.empty()) type = list.back();
  }
  std::vector<Part> first, second;
  for (const Part& p : xs) {
    if (frexp) {
      const SplitFloat a = split_float(t.b, p);
      first.push_back(a.significand);
      second.push_back(convert_number(t.b, a.exponent, type));
    } else {
      const Part x = p.constant() ? t.b.copy(p) : p, whole = round_to_integer(t.b, x, Rounding::Zero);
      first.push_back(fraction_of(t.b, x, whole));
      second.push_back(whole);
    }
  }
  if (in_struct) {
    first.insert(first.end(), second.begin(), second.end());
  } else {
    store_parts(t, extended_operand(t, 1), second);
  }
  t.set(std::move(first));
}

}  // namespace

bool glsl_pack(ShaderContext& t) {
  const std::uint32_t number = extended_number(t);
  VisaWriter& b = t.b;
  const auto packing = packing_of(number);
  switch (number) {
    case GLSLstd450PackSnorm4x8:
    case GLSLstd450PackUnorm4x8:
    case GLSLstd450PackSnorm2x16:
    case GLSLstd450PackUnorm2x16:
      t.set({pack(t, *packing)});
      return true;
    case GLSLstd450UnpackSnorm4x8:
    case GLSLstd450UnpackUnorm4x8:
    case GLSLstd450UnpackSnorm2x16:
    case GLSLstd450UnpackUnorm2x16:
      each_scalar(t, [&](unsigned i) { return unpack(t, *packing, i); });
      return true;
    case GLSLstd450PackHalf2x16: {
      const Part low = b.convert(t.values.part(extended_operand(t, 0), 0), Type::HF),
                 high = b.convert(t.values.part(extended_operand(t, 0), 1), Type::HF);
      t.set({join(b, Type::UD, low, high, t.result_name())});
      return true;
    }
    case GLSLstd450UnpackHalf2x16: {
      const std::vector<Part> halves = recast(b, {t.values.part(extended_operand(t, 0))}, Type::HF);
      const bool flush = t.float_modes.flushes(Type::HF) || t.float_modes.flushes(Type::F);
      each_scalar(t, [&](unsigned i) {
        const Part x = b.convert(halves[i], Type::F, t.result_name());
        return flush ? without_small_halves(b, x, x, t.result_name()) : x;
      });
      return true;
    }
    case GLSLstd450PackDouble2x32:
    case GLSLstd450UnpackDouble2x32:
      if (has_double(t, Type::DF)) t.set(recast(b, parts_of(t, extended_operand(t, 0)), result_scalar(t)));
      return true;
    case GLSLstd450Ldexp:
      if (!has_double(t, result_scalar(t))) return true;
      each_scalar(t, [&](unsigned i) {
        return load_exponent(b, t.values.part(extended_operand(t, 0), i),
                             convert_number(b, as_signed(t.values.part(extended_operand(t, 1), i)), Type::D));
      });
      return true;
    case GLSLstd450Frexp:
    case GLSLstd450FrexpStruct:
    case GLSLstd450Modf:
    case GLSLstd450ModfStruct:
      frexp_or_modf(t, number == GLSLstd450Frexp || number == GLSLstd450FrexpStruct,
                    number == GLSLstd450FrexpStruct || number == GLSLstd450ModfStruct);
      return true;
    default:
      return false;
  }
}

}  // namespace heddle::spirv::compiler
