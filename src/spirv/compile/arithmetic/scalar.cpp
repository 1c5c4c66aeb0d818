// SPDX-License-Identifier: MIT
// Rules: SPV-9.
#include "spirv/compile/arithmetic/scalar.hpp"

#include <bit>

#include "base/half.hpp"

namespace heddle::spirv::compiler {

using isa::Type;

Type signed_type(unsigned bits) { return bits == 8 ? Type::B : bits == 16 ? Type::W : bits == 64 ? Type::Q : Type::D; }
Type unsigned_type(unsigned bits) {
  return bits == 8 ? Type::UB : bits == 16 ? Type::UW : bits == 64 ? Type::UQ : Type::UD;
}

Part integer_like(const Part& p, std::uint64_t value) {
  const unsigned bits = bits_of(p);
  return constant(p.type, bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1));
}

Part real_of(Type type, double value) {
  if (type == Type::DF) return constant(type, std::bit_cast<std::uint64_t>(value));
  if (type == Type::HF) return constant(type, base::float_to_half(static_cast<float>(value)));
  return real(static_cast<float>(value));
}

// --- booleans ---

Part logical_not(VisaWriter& b, const Part& p) {
  if (p.constant()) return boolean(p.bits == 0);
  const Part dst = b.predicate("not");
  b.op("not", dst, {b.to_predicate(p)});
  return dst;
}

namespace {

Part combine(VisaWriter& b, std::string_view op, const Part& p, const Part& q) {
  const Part dst = b.predicate(op);
  const Part left = b.to_predicate(p), right = b.to_predicate(q);
  b.op(op, dst, {left, right});
  return dst;
}

}  // namespace

Part logical_and(VisaWriter& b, const Part& p, const Part& q) {
  if (p.constant()) return p.bits != 0 ? q : p;
  if (q.constant()) return q.bits != 0 ? p : q;
  return combine(b, "and", p, q);
}

Part logical_or(VisaWriter& b, const Part& p, const Part& q) {
  if (p.constant()) return p.bits != 0 ? p : q;
  if (q.constant()) return q.bits != 0 ? q : p;
  return combine(b, "or", p, q);
}

Part logical_xor(VisaWriter& b, const Part& p, const Part& q) {
  if (p.constant()) return p.bits != 0 ? logical_not(b, q) : q;
  if (q.constant()) return q.bits != 0 ? logical_not(b, p) : p;
  return combine(b, "xor", p, q);
}

Guard both(VisaWriter& b, const Guard& x, const Guard& y) {
  if (x.predicate.kind != Part::Kind::Predicate) return y;
  if (y.predicate.kind != Part::Kind::Predicate) return x;
  const auto plain = [&](const Guard& g) {
    if (!g.inverse) return g.predicate;
    const Part p = b.predicate("p");
    b.op("not", p, {g.predicate});
    return p;
  };
  const Part p = b.predicate("p");
  b.op("and", p, {plain(x), plain(y)});
  return {p, false, false};
}

// --- integers ---

Part half(const Part& p, unsigned index) {
  const unsigned bits = bits_of(p) / 2;
  const Type type = unsigned_type(bits);
  if (p.kind != Part::Kind::Variable)
    return constant(type, p.bits >> (bits * index) & ((std::uint64_t{1} << bits) - 1));
  Part part = p.as(type);
  part.stride = p.stride == 0 ? 0 : 2;
  part.offset += bits / 8 * index;
  return part;
}

Part low_half(const Part& p) { return half(p, 0); }
Part high_half(const Part& p) { return half(p, 1); }

Part join(VisaWriter& b, Type type, const Part& low, const Part& high, std::string_view hint) {
  const unsigned bits = isa::type_bytes(type) * 4;
  if (low.constant() && high.constant())
    return constant(type, (low.bits & ((std::uint64_t{1} << bits) - 1)) | high.bits << bits);
  const Part dst = b.lanes(type, hint);
  b.move(half(dst, 0), low.as(unsigned_type(bits)));
  b.move(half(dst, 1), high.as(unsigned_type(bits)));
  return dst;
}

void negate(VisaWriter& b, const Part& dst, const Part& x, const Guard& guard) {
  // Where 64-bit integers are emulated, the tool takes no sign on mov (and makes a mov of an addition of 0).
  if (bits_of(x) == 64 && !isa::platform_info(b.platform()).int64) {
    const Part flipped = b.make("not", Type::Q, {as_signed(x)}, "flipped");
    b.op("add", dst, {flipped, constant(Type::Q, 1)}, guard);
  } else {
    b.op("mov", dst, {negated(as_signed(x))}, guard);
  }
}

namespace {

/// 64-bit product of two ud scalars.
Part wide_product(VisaWriter& b, const Part& x, const Part& y) {
  const Part dst = b.lanes(Type::UQ, "product");
  b.op("mul", low_half(dst), {x, y});
  b.op("mulh", high_half(dst), {x, y});
  return dst;
}

/// a + b, its carry out added to `carry` (a uq scalar or constant 0).
Part add_carry(VisaWriter& b, const Part& x, const Part& y, Part& carry) {
  const Part sum = b.make("add", Type::UQ, {x, y}, "sum");
  const Part over = b.compare("lt", sum, x, "carry");
  const Part one = b.lanes(Type::UQ, "carry");
  b.move(one, constant(Type::UQ, 0));
  b.move(low_half(one), ud(1), {over, false, false});
  carry = b.make("add", Type::UQ, {one, carry}, "carry");
  return sum;
}

/// The high 64 bits of an unsigned 128-bit product, of its four 64-bit partial products.
Part high_product(VisaWriter& b, const Part& x, const Part& y) {
  const Part xl = low_half(x), xh = high_half(x), yl = low_half(y), yh = high_half(y);
  const Part low = wide_product(b, xl, yl);
  Part carry = constant(Type::UQ, 0);
  Part middle = wide_product(b, xh, yl);
  const Part other = wide_product(b, xl, yh);
  middle = add_carry(b, middle, other, carry);
  const Part top = join(b, Type::UQ, high_half(low), ud(0));
  Part second = constant(Type::UQ, 0);
  middle = add_carry(b, middle, top, second);
  carry = b.make("add", Type::UQ, {carry, second}, "carry");
  const Part shifted = join(b, Type::UQ, high_half(middle), low_half(carry));
  return b.make("add", Type::UQ, {wide_product(b, xh, yh), shifted}, "high");
}

}  // namespace

void multiply(VisaWriter& b, const Part& dst, const Part& x, const Part& y) {
  if (bits_of(dst) != 64) {
    b.op("mul", dst, {x.as(dst.type), y.as(dst.type)});
    return;
  }
  const Part xl = low_half(x), xh = high_half(x), yl = low_half(y), yh = high_half(y);
  const Part product = wide_product(b, xl, yl);
  const Part cross = b.make("mul", Type::UD, {xh, yl}, "cross");
  b.op("add", high_half(product), {high_half(product), cross});
  const Part second = b.make("mul", Type::UD, {xl, yh}, "cross");
  b.op("add", high_half(product), {high_half(product), second});
  b.move(dst, product.as(dst.type));
}

std::pair<Part, Part> multiply_extended(VisaWriter& b, const Part& x, const Part& y) {
  const unsigned bits = bits_of(x);
  const bool is_signed = isa::is_signed(x.type);
  if (bits < 32) {
    const Type wide = is_signed ? Type::D : Type::UD;
    const Part product = b.make("mul", wide, {b.convert(x, wide), b.convert(y, wide)}, "product");
    const Part top = b.make(is_signed ? "asr" : "shr", wide, {product, constant(wide, bits)}, "high");
    return {b.convert(product, x.type, "low"), b.convert(top, x.type, "high")};
  }
  if (bits == 32) return {b.make("mul", x.type, {x, y}, "low"), b.make("mulh", x.type, {x, y}, "high")};
  const Part low = b.lanes(x.type, "low");
  multiply(b, low, x, y);
  Part high = high_product(b, x.as(Type::UQ), y.as(Type::UQ)).as(x.type);
  if (is_signed) {
    // As signed numbers, a negative factor takes the other factor from the high half.
    const auto correction = [&](const Part& sign, const Part& other) {
      const Part mask = b.make("asr", Type::Q, {sign, constant(Type::D, 63)}, "sign");
      const Part amount = b.make("and", Type::Q, {mask, other}, "correction");
      high = b.make("add", Type::Q, {high, negated(amount)}, "high");
    };
    correction(x, y);
    correction(y, x);
  }
  return {low, high};
}

namespace {

/// Unsigned long division, one bit in each round of a loop that all lanes run together.
std::pair<Part, Part> long_division(VisaWriter& b, const Part& x, const Part& y) {
  const Type type = x.type;
  const unsigned bits = bits_of(x);
  const Part rest = b.lanes(type, "remainder"), quotient = b.lanes(type, "quotient"), divisor = b.copy(y, "divisor");
  b.move(quotient, x);
  b.move(rest, constant(type, 0));
  const Part round = b.array(Type::UD, "round", 1), more = b.predicate("more");
  b.op("mov", round, {ud(0)});
  const std::string loop = b.label("divide");
  b.place(loop);
  const Part top = b.compare("lt", rest.as(signed_type(bits)), constant(signed_type(bits), 0), "top");
  const Part next = b.make("shr", type, {quotient, constant(Type::UD, bits - 1)}, "bit");
  b.op("shl", rest, {rest, constant(Type::UD, 1)});
  b.op("or", rest, {rest, next});
  b.op("shl", quotient, {quotient, constant(Type::UD, 1)});
  const Part fits = logical_or(b, top, b.compare("ge", rest, divisor, "fits"));
  b.op("add", rest, {rest, negated(divisor.as(signed_type(bits)))}, {fits, false, false});
  b.op("or", quotient, {quotient, constant(type, 1)}, {fits, false, false});
  b.op("add", round, {round, ud(1)});
  b.instruction("cmp.lt", kOneLane, {b.name(more), b.source(round, kOneLane, true), b.source(ud(bits), kOneLane)},
                every_lane());
  b.instruction("jmp", kOneLane, {loop}, {more, false, false});
  return {quotient, rest};
}

/// |x| as an unsigned number, and whether x is negative.
std::pair<Part, Part> split_sign(VisaWriter& b, const Part& x) {
  const Part sign = b.compare("lt", x, integer_like(x, 0), "negative");
  const Part size = b.lanes(x.type, "size");
  b.move(size, x);
  negate(b, size, size, {sign, false, false});
  return {as_unsigned(size), sign};
}

}  // namespace

void divide(VisaWriter& b, const Part* quotient, const Part* remainder, const Part& x, const Part& y) {
  const unsigned bits = bits_of(x);
  // Integer div and mod exist before XeHP_SDV, for at most 32 bits.
  if (bits <= 32 && b.platform() < isa::Platform::XeHP_SDV) {
    const Part dividend = x.constant() && y.constant() ? b.copy(x) : x;
    if (quotient != nullptr) b.op("div", *quotient, {dividend, y});
    if (remainder != nullptr) b.op("mod", *remainder, {dividend, y});
    return;
  }
  const bool is_signed = isa::is_signed(x.type);
  if (bits < 32) {
    const Type wide = is_signed ? Type::D : Type::UD;
    const Part q = b.lanes(wide, "quotient"), r = b.lanes(wide, "remainder");
    divide(b, &q, &r, b.convert(x, wide), b.convert(y, wide));
    if (quotient != nullptr) b.op("mov", *quotient, {q});
    if (remainder != nullptr) b.op("mov", *remainder, {r});
    return;
  }
  if (!is_signed) {
    const auto [q, r] = long_division(b, x, y);
    if (quotient != nullptr) b.move(*quotient, q);
    if (remainder != nullptr) b.move(*remainder, r);
    return;
  }
  const auto [dividend, negative] = split_sign(b, b.copy(x));
  const auto [divisor, flipped] = split_sign(b, b.copy(y));
  const auto [q, r] = long_division(b, dividend, divisor);
  if (quotient != nullptr) {
    b.move(*quotient, q.as(x.type));
    negate(b, *quotient, *quotient, {logical_xor(b, negative, flipped), false, false});
  }
  if (remainder != nullptr) {
    b.move(*remainder, r.as(x.type));
    negate(b, *remainder, *remainder, {negative, false, false});
  }
}

// --- floating point ---

namespace {

std::string_view rounding_op(Rounding rounding) {
  switch (rounding) {
    case Rounding::Down:
      return "rndd";
    case Rounding::Up:
      return "rndu";
    case Rounding::Even:
      return "rnde";
    case Rounding::Zero:
      break;
  }
  return "rndz";
}

/// DF has no rounding instruction: |x| + 2^52 - 2^52 rounds to the nearest even integer, then one step in the wanted
/// direction.
Part round_double(VisaWriter& b, const Part& x, Rounding rounding) {
  const Part big = real_of(Type::DF, 4503599627370496.0);
  const Part size = b.make("mov", Type::DF, {magnitude(x)}, "size");
  Part nearest = b.make("add", Type::DF, {size, b.copy(big)}, "nearest");
  nearest = b.make("add", Type::DF, {nearest, b.copy(real_of(Type::DF, -4503599627370496.0))}, "nearest");
  if (rounding == Rounding::Zero) {
    const Part less = b.make("add", Type::DF, {nearest, b.copy(real_of(Type::DF, -1.0))}, "less");
    b.op("mov", nearest, {less}, {b.compare("gt", nearest, size), false, false});
  }
  // The sign of x, also on zero.
  const Part sign = b.make("and", Type::UD, {high_half(x), ud(0x80000000u)}, "sign");
  b.op("or", high_half(nearest), {high_half(nearest), sign});
  if (rounding == Rounding::Down || rounding == Rounding::Up) {
    const bool down = rounding == Rounding::Down;
    const Part step = b.make("add", Type::DF, {nearest, b.copy(real_of(Type::DF, down ? -1.0 : 1.0))}, "step");
    b.op("mov", nearest, {step}, {b.compare(down ? "gt" : "lt", nearest, x), false, false});
    b.op("or", high_half(nearest), {high_half(nearest), sign});
  }
  // 2^52 and above, infinities and NaN are what they are.
  const Part small = b.compare("lt", size, b.copy(big), "small");
  return b.select(small, nearest, x, "rounded");
}

}  // namespace

Part round_to_integer(VisaWriter& b, const Part& x, Rounding rounding) {
  if (x.type == Type::DF) return round_double(b, b.copy(x), rounding);
  if (x.type == Type::HF)
    return b.convert(b.make(rounding_op(rounding), Type::F, {b.convert(x, Type::F)}, "rounded"), Type::HF, "rounded");
  return b.make(rounding_op(rounding), Type::F, {x}, "rounded");
}

}  // namespace heddle::spirv::compiler
