// SPDX-License-Identifier: MIT
// Conversions between number types, and bits read as another type (NUM-80 to NUM-88).
// Rules: NUM-80, SPV-9, SPV-11.
#include <utility>

#include "spirv/compile/arithmetic/scalar.hpp"

namespace heddle::spirv::compiler {

using isa::Type;

namespace {

bool has_int64(const VisaWriter& b) { return isa::platform_info(b.platform()).int64; }
bool is_wide(Type type) { return isa::is_integer(type) && isa::type_bytes(type) == 8; }

/// 64-bit integer to F where the hardware has none: the top 32 bits below the leading zeros, the rest as a sticky bit,
/// times a power of two.
Part wide_to_float(VisaWriter& b, const Part& x, std::string_view hint) {
  Part size = b.copy(x.as(Type::UQ), "size");
  Part negative = boolean(false);
  if (isa::is_signed(x.type)) {
    negative = b.compare("lt", x, constant(Type::Q, 0), "negative");
    negate(b, size, x, {negative, false, false});
  }
  const Part zeros = b.make("lzd", Type::UD, {high_half(size)}, "zeros");
  // zeros is 32 when the high half is empty: one less keeps the shift in range, then the low half is the top.
  const Part shifted = b.make("shl", Type::UQ, {size, zeros}, "shifted");
  const Part inexact = b.compare("ne", low_half(shifted), ud(0), "inexact");
  const Part top = b.copy(high_half(shifted), "top");
  b.op("or", top, {top, ud(1)}, {inexact, false, false});
  const Part mantissa = b.convert(top, Type::F, "mantissa");
  const Part exponent = b.make("add", Type::D, {negated(zeros.as(Type::D)), constant(Type::D, 127 + 32)}, "exponent");
  const Part scale = b.make("shl", Type::UD, {exponent.as(Type::UD), ud(23)}, "scale");
  const Part value = b.make("mul", Type::F, {mantissa, scale.as(Type::F)}, hint);
  if (isa::is_signed(x.type)) b.op("mov", value, {negated(value)}, {negative, false, false});
  return value;
}

/// F to a 64-bit integer where the hardware has none; out of range as NUM-80.
Part float_to_wide(VisaWriter& b, const Part& x, Type type, std::string_view hint) {
  const bool is_signed = isa::is_signed(type);
  const Part whole = b.make("rndz", Type::F, {x}, "whole");
  const Part size = b.lanes(Type::F, "size");
  b.op("mov", size, {is_signed ? magnitude(whole) : Source(whole)});
  const Part quotient = b.make("mul", Type::F, {size, real(0x1p-32f)}, "high");
  const Part high = b.make("rndz", Type::F, {quotient}, "high");
  const Part low = b.make("mad", Type::F, {negated(high), b.copy(real(0x1p32f)), size}, "low");
  const Part result = b.lanes(type, hint);
  b.op("mov", low_half(result), {low});
  b.op("mov", high_half(result), {high});
  const Part large = b.compare("ge", size, real(is_signed ? 0x1p63f : 0x1p64f), "large");
  b.move(low_half(result), ud(0xffffffffu), {large, false, false});
  b.move(high_half(result), ud(is_signed ? 0x7fffffffu : 0xffffffffu), {large, false, false});
  if (!is_signed) return result;
  const Part negative = b.compare("lt", whole, real(0), "negative");
  negate(b, result, result, {negative, false, false});
  // The least integer has no opposite: -(2^63 - 1) is one too many there.
  const Part least = logical_and(b, large, negative);
  b.move(low_half(result), ud(0), {least, false, false});
  b.move(high_half(result), ud(0x80000000u), {least, false, false});
  return result;
}

/// DF to HF in two steps rounds once when the first step keeps what it loses in its last bit ("round to odd").
Part double_to_half(VisaWriter& b, const Part& x, std::string_view hint) {
  const Part kept = x.constant() ? b.copy(x) : x;
  const Part single = b.convert(kept, Type::F, "single"), back = b.convert(single, Type::DF, "back");
  const Part bits = single.as(Type::D);
  b.op("add", bits, {bits, constant(Type::D, 0xffffffffu)},
       {b.compare("gt", magnitude(back), magnitude(kept)), false, false});
  b.op("or", bits, {bits, constant(Type::D, 1)}, {b.compare("ne", back, kept), false, false});
  return b.convert(single, Type::HF, hint);
}

}  // namespace

Part contiguous(VisaWriter& b, const Part& p) { return p.kind == Part::Kind::Variable && p.stride > 1 ? b.copy(p) : p; }

Part convert_number(VisaWriter& b, const Part& x, Type type, std::string_view hint) {
  const Type from = x.type;
  if (from == type ||
      (isa::is_integer(from) && isa::is_integer(type) && isa::type_bytes(from) == isa::type_bytes(type)))
    return x.as(type);
  const bool from_float = isa::is_float(from), to_float = isa::is_float(type);
  if (from_float && to_float) {
    if (from == Type::DF && type == Type::HF) return double_to_half(b, x, hint);
    if (from == Type::HF && type == Type::DF) return b.convert(b.convert(x, Type::F), type, hint);
    return b.convert(x, type, hint);
  }
  if (from_float) {
    if (from == Type::HF) return convert_number(b, b.convert(x, Type::F), type, hint);
    if (is_wide(type) && !has_int64(b))
      return float_to_wide(b, from == Type::DF ? b.convert(x, Type::F) : x, type, hint);
    if (from == Type::DF && isa::type_bytes(type) < 4) {
      const Part whole = b.convert(x, isa::is_signed(type) ? Type::D : Type::UD);
      return b.make("mov.sat", type, {whole}, hint);
    }
    return b.convert(x, type, hint);
  }
  if (to_float) {
    // Integers that HF can hold are exact in F, so this rounds once; the same for 8 and 16 bits on the way to DF.
    if (type == Type::HF) return b.convert(convert_number(b, x, Type::F), type, hint);
    if (is_wide(from) && !has_int64(b)) return convert_number(b, wide_to_float(b, x, hint), type, hint);
    if (type == Type::DF && isa::type_bytes(from) < 4)
      return b.convert(b.convert(x, isa::is_signed(from) ? Type::D : Type::UD), type, hint);
    return b.convert(x, type, hint);
  }
  if (is_wide(from)) {
    const Part low = low_half(x);
    return isa::type_bytes(type) == 4 ? low.as(type) : b.convert(low, type, hint);
  }
  return b.convert(x, type, hint);
}

std::vector<Part> recast(VisaWriter& b, const std::vector<Part>& parts, Type type) {
  std::vector<Part> list = parts;
  const unsigned wanted = isa::type_bytes(type) * 8;
  while (!list.empty() && bits_of(list.front()) > wanted) {
    std::vector<Part> halves;
    for (const Part& p : list) {
      const Part whole = contiguous(b, p);
      halves.push_back(half(whole, 0));
      halves.push_back(half(whole, 1));
    }
    list = std::move(halves);
  }
  while (list.size() > 1 && bits_of(list.front()) < wanted) {
    std::vector<Part> joined;
    for (std::size_t i = 0; i + 1 < list.size(); i += 2)
      joined.push_back(join(b, unsigned_type(bits_of(list[i]) * 2), list[i], list[i + 1]));
    list = std::move(joined);
  }
  for (Part& p : list) p = p.as(type);
  return list;
}

Part without_small_halves(VisaWriter& b, const Part& x, const Part& value, std::string_view hint) {
  const Part small = b.compare("lt", magnitude(x), real(0x1p-14f), "small");
  const Part zero = b.make("and", Type::UD, {x.as(Type::UD), ud(0x80000000u)}, "zero");
  return b.select(small, zero.as(Type::F), value, hint);
}

}  // namespace heddle::spirv::compiler
