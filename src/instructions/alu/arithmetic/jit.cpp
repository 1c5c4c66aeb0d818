// SPDX-License-Identifier: MIT
// Arithmetic, compiled: the same results as reference.cpp.
#include <bit>
#include <optional>

#include "instructions/alu/jit_lanes.hpp"
#include "instructions/alu/jit_math.hpp"

namespace heddle::instructions::arithmetic {
namespace {

using namespace jit_alu;

template <Binary Integer, Binary Float>
bool two(CodegenContext& e, unsigned exact_bytes) {
  if (is_integer(e))
    return modular<2>(e, exact_bytes, [&](const auto& in) { return e.b().binary(Integer, in[0], in[1]); });
  return floats<2>(e, [&](const auto& in) { return e.b().binary(Float, in[0], in[1]); });
}
bool add(CodegenContext& e) { return two<Binary::Add, Binary::FAdd>(e, 4); }
bool mul(CodegenContext& e) { return two<Binary::Mul, Binary::FMul>(e, 2); }

bool add3(CodegenContext& e) {
  return is_integer(e) && modular<3>(e, 4, [&](const auto& in) {
           return e.b().binary(Binary::Add, e.b().binary(Binary::Add, in[0], in[1]), in[2]);
         });
}

bool avg(CodegenContext& e) {
  const unsigned wide = widest(e, 2);
  if (!is_integer(e) || wide == 8) return false;
  const unsigned bytes = std::max<unsigned>(wide == 4 ? 8 : 4, e.destination().size);
  std::array<Value, 2> in;
  if (!read_integers<2>(e, bytes, in)) return false;
  const Value one = e.lanes_of(1, machine::jit::integer_of(bytes));
  const Value sum = e.b().binary(Binary::Add, e.b().binary(Binary::Add, in[0], in[1]), one);
  return e.write_exact(e.destination(), e.b().binary(Binary::AShr, sum, one));
}

bool mad(CodegenContext& e) {
  switch (e.instruction().arithmetic) {
    case Arithmetic::Integer:
      return modular<3>(e, 2, [&](const auto& in) {
        return e.b().binary(Binary::Add, e.b().binary(Binary::Mul, in[0], in[1]), in[2]);
      });
    case Arithmetic::Single:
    case Arithmetic::Double:
      return floats<3>(e, [&](const auto& in) { return e.b().fma(in[0], in[1], in[2]); });
    case Arithmetic::Half:
      break;
  }
  // One rounding to HF. The sum of a product of HF and an HF is exact in binary64, or one part is too small to matter.
  return floats<3>(e, [&](const auto& in) {
    Builder& b = e.b();
    const machine::jit::VectorType twice{Element::F64, e.lanes()};
    const Value product = b.cast(Cast::FExt, b.binary(Binary::FMul, in[0], in[1]), twice);
    return rounded_to_odd(e, b.binary(Binary::FAdd, product, b.cast(Cast::FExt, in[2], twice)));
  });
}

/// The number k of an immediate 2^k, the same in all lanes; nothing of other operands.
std::optional<unsigned> power_of_two(const Operand& operand) {
  if (operand.kind != isa::OperandKind::Immediate || !operand.scalar) return std::nullopt;
  const unsigned bits = 8u * operand.size;
  const std::uint64_t value = operand.value & (~std::uint64_t{0} >> (64 - bits));
  if (!std::has_single_bit(value) || (isa::is_signed(operand.type) && value >> (bits - 1) != 0)) return std::nullopt;
  return static_cast<unsigned>(std::countr_zero(value));
}

/// The same by a power of two: shifts, toward zero.
bool divide_by_power(CodegenContext& e, unsigned power, bool remainder) {
  Builder& b = e.b();
  const Value dividend = e.read_integer(e.source(0), 4);
  if (!dividend) return false;
  const auto number = [&](std::uint64_t value) { return e.lanes_of(value, Element::I32); };
  if (!isa::is_signed(e.source(0).type))
    return e.write_low(e.destination(), remainder
                                            ? b.binary(Binary::And, dividend, number((std::uint64_t{1} << power) - 1))
                                            : b.binary(Binary::LShr, dividend, number(power)));
  Value raised = dividend;  // negative numbers, by what is cut off at most
  if (power != 0)
    raised = b.binary(Binary::Add, dividend,
                      b.binary(Binary::LShr, b.binary(Binary::AShr, dividend, number(31)), number(32 - power)));
  if (remainder)
    return e.write_low(
        e.destination(),
        b.binary(Binary::Sub, dividend, b.binary(Binary::And, raised, number(0xffffffffu << power & 0xffffffffu))));
  return e.write_low(e.destination(), b.binary(Binary::AShr, raised, number(power)));
}

/// Quotient and remainder of sources of at most 32 bits: binary64 holds both and its quotient truncates rightly,
/// because the distance to the next whole number is at least 1 / b.
bool divide(CodegenContext& e, bool remainder) {
  Builder& b = e.b();
  const Operand& to = e.destination();
  if (e.instruction().saturate || isa::is_float(to.type) || widest(e, 2) > 4) return false;
  for (unsigned i = 0; i < 2; ++i)
    if (e.source(i).modifier != isa::Modifier::None) return false;
  if (const auto power = power_of_two(e.source(1)); power && to.size <= 4) return divide_by_power(e, *power, remainder);
  std::array<Value, 2> in;
  if (!read_integers<2>(e, 8, in)) return false;
  const machine::jit::VectorType twice{Element::F64, e.lanes()}, wide{Element::I64, e.lanes()};
  const Value zero = b.constant(wide, 0), no_divisor = b.compare(Compare::Eq, in[1], zero);
  const Value divisor = b.select(no_divisor, b.constant(wide, 1), in[1]);
  const Value quotient = b.cast(
      Cast::FToS, b.binary(Binary::FDiv, b.cast(Cast::SToF, in[0], twice), b.cast(Cast::SToF, divisor, twice)), wide);
  if (remainder) {
    const Value rest = b.binary(Binary::Sub, in[0], b.binary(Binary::Mul, quotient, divisor));
    return e.write_low(to, b.select(no_divisor, in[0], rest));  // NUM-99
  }
  const bool is_signed = isa::is_signed(e.source(0).type) || isa::is_signed(e.source(1).type);
  const unsigned bits = 8 * widest(e, 2);
  Value bound = b.constant(wide, (std::uint64_t{1} << bits) - 1);
  if (is_signed) {
    const std::uint64_t low = ~std::uint64_t{0} << (bits - 1), high = (std::uint64_t{1} << (bits - 1)) - 1;
    bound = b.select(b.compare(Compare::Slt, in[0], zero), b.constant(wide, low), b.constant(wide, high));
  }
  return e.write_low(to, b.select(no_divisor, bound, quotient));
}

/// HF through F: the quotient of 11-bit numbers is never so near a midpoint of HF that rounding to 24 bits first would
/// matter, nor is a square root.
bool div(CodegenContext& e) {
  if (is_integer(e)) return divide(e, false);
  return floats<2>(e, [&](const auto& in) { return e.b().binary(Binary::FDiv, in[0], in[1]); });
}
bool mod(CodegenContext& e) { return is_integer(e) && divide(e, true); }

/// High words of products of 32-bit lanes: those of the even lanes, then those of the odd ones, as the processor has
/// it.
Value high_words(CodegenContext& e, Value x, Value y, bool is_signed) {
  Builder& b = e.b();
  const unsigned n = e.lanes();
  const machine::jit::VectorType pairs{Element::I64, n / 2}, words{Element::I32, n};
  const Value half = b.constant(pairs, 32);
  const auto lane = [&](Value v, bool odd) {
    v = b.cast(Cast::Bits, v, pairs);
    if (!odd) v = b.binary(Binary::Shl, v, half);
    return b.binary(is_signed ? Binary::AShr : Binary::LShr, v, half);
  };
  const auto product = [&](bool odd) {
    return b.cast(Cast::Bits, b.binary(Binary::Mul, lane(x, odd), lane(y, odd)), words);
  };
  std::array<int, machine::kMaxLanes> from{};
  for (unsigned k = 0; k < n; ++k) from[k] = static_cast<int>(k % 2 == 0 ? k + 1 : n + k);
  return b.shuffle(product(false), product(true), std::span(from).first(n));
}

bool mulh(CodegenContext& e) {
  if (e.instruction().saturate || e.destination().size > 4 || widest(e, 2) > 4) return false;
  std::array<Value, 2> in;
  const Operand &a = e.source(0), &c = e.source(1);
  const bool is_signed = isa::is_signed(a.type);
  if (a.modifier == isa::Modifier::None && c.modifier == isa::Modifier::None && isa::is_signed(c.type) == is_signed &&
      e.lanes() % 2 == 0)
    return read_integers<2>(e, 4, in) && e.write_low(e.destination(), high_words(e, in[0], in[1], is_signed));
  if (!read_integers<2>(e, 8, in)) return false;
  const Value product = e.b().binary(Binary::Mul, in[0], in[1]);
  return e.write_low(e.destination(), e.b().binary(Binary::LShr, product, e.lanes_of(32, Element::I64)));
}

/// The high words start at the next register behind the low ones.
bool madw(CodegenContext& e) {
  std::array<Value, 3> in;
  const unsigned grf = e.grf_bytes(), step = (e.lanes() * 4 + grf - 1) / grf * grf;
  const Operand& to = e.destination();
  Operand upper = to;
  upper.base += step;
  upper.offset += static_cast<std::int32_t>(step);
  upper.in_bounds = to.in_bounds && upper.base + upper.lane[e.lanes() - 1] + 4 <= upper.root_end;
  if (widest(e, 3) > 4 || to.size != 4 || to.kind != isa::OperandKind::General || !e.takes_bits(to) ||
      !e.takes_bits(upper) || !read_integers<3>(e, 8, in))
    return false;
  Builder& b = e.b();
  const machine::jit::VectorType word{Element::I32, e.lanes()};
  const Value result = b.binary(Binary::Add, b.binary(Binary::Mul, in[0], in[1]), in[2]);
  const Value high = b.binary(Binary::LShr, result, e.lanes_of(32, Element::I64));
  return e.write_bits(to, b.cast(Cast::Trunc, result, word)) && e.write_bits(upper, b.cast(Cast::Trunc, high, word));
}

/// Sums of at most 40 bits: of 64 bits where the destination saturates.
bool dp4a(CodegenContext& e) {
  Builder& b = e.b();
  const Operand& to = e.destination();
  const bool wide = e.instruction().saturate;
  if (isa::is_float(to.type) || to.size > 4 || e.source(1).size != 4 || e.source(2).size != 4 ||
      e.source(1).modifier != isa::Modifier::None || e.source(2).modifier != isa::Modifier::None)
    return false;
  Value sum = e.read_integer(e.source(0), wide ? 8 : 4);
  const std::array words{e.read_bits(e.source(1)), e.read_bits(e.source(2))};
  if (!sum || !words[0] || !words[1]) return false;
  const auto byte_of = [&](unsigned which, unsigned i) {
    const Value top = b.binary(Binary::Shl, words[which], e.lanes_of(24 - 8 * i, Element::I32));
    return b.binary(isa::is_signed(e.source(1 + which).type) ? Binary::AShr : Binary::LShr, top,
                    e.lanes_of(24, Element::I32));
  };
  for (unsigned i = 0; i < 4; ++i) {
    Value product = b.binary(Binary::Mul, byte_of(0, i), byte_of(1, i));
    if (wide) product = b.cast(Cast::SExt, product, {Element::I64, e.lanes()});
    sum = b.binary(Binary::Add, sum, product);
  }
  return wide ? e.write_exact(to, sum) : e.write_low(to, sum);
}

bool all_dwords(const CodegenContext& e, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    if (e.source(i).type != isa::Type::UD || e.source(i).modifier != isa::Modifier::None) return false;
  return true;
}

bool addc(CodegenContext& e) {
  std::array<Value, 2> in;
  if (!all_dwords(e, 2) || e.destination().size != 4 || e.second_destination().size != 4 || !read_integers<2>(e, 4, in))
    return false;
  if (!e.takes_bits(e.destination()) || !e.takes_bits(e.second_destination())) return false;
  const Value sum = e.b().binary(Binary::Add, in[0], in[1]);
  const Value carry = e.b().cast(Cast::ZExt, e.b().compare(Compare::Ult, sum, in[0]), {Element::I32, e.lanes()});
  return e.write_bits(e.destination(), sum) && e.write_bits(e.second_destination(), carry);
}

bool subb(CodegenContext& e) {
  std::array<Value, 2> in;
  if (!all_dwords(e, 2) || e.destination().size != 4 || e.second_destination().size != 4 || !read_integers<2>(e, 4, in))
    return false;
  if (!e.takes_bits(e.destination()) || !e.takes_bits(e.second_destination())) return false;
  const Value difference = e.b().binary(Binary::Sub, in[0], in[1]);
  const Value borrow = e.b().cast(Cast::ZExt, e.b().compare(Compare::Ult, in[0], in[1]), {Element::I32, e.lanes()});
  return e.write_bits(e.destination(), difference) && e.write_bits(e.second_destination(), borrow);
}

// --- functions (NUM-98) ---

bool is_single(const CodegenContext& e) { return e.instruction().arithmetic == Arithmetic::Single; }

/// HF is rounded through F.
template <unsigned Count, typename Op>
bool function(CodegenContext& e, Op op) {
  if (e.instruction().arithmetic == Arithmetic::Double) return false;
  const LaneMath n(e);
  return floats<Count>(e, [&](const auto& in) { return op(n, in).value; });
}

bool exp(CodegenContext& e) {
  return function<1>(e, [](const LaneMath& n, const auto& in) { return machine::math::exp2(n, n.given(in[0])); });
}
bool log(CodegenContext& e) {
  return function<1>(e, [](const LaneMath& n, const auto& in) { return machine::math::log2(n, n.given(in[0])); });
}
bool sin(CodegenContext& e) {
  return function<1>(e, [](const LaneMath& n, const auto& in) { return machine::math::sine(n, n.given(in[0])); });
}
bool cos(CodegenContext& e) {
  return function<1>(e, [](const LaneMath& n, const auto& in) { return machine::math::cosine(n, n.given(in[0])); });
}
bool pow(CodegenContext& e) {
  return function<2>(
      e, [](const LaneMath& n, const auto& in) { return machine::math::power(n, n.given(in[0]), n.given(in[1])); });
}
bool rsqrt(CodegenContext& e) {
  return function<1>(
      e, [](const LaneMath& n, const auto& in) { return machine::math::reciprocal_root(n, n.given(in[0])); });
}

Value one_of(CodegenContext& e, Value like) {
  const machine::jit::VectorType type = e.b().type(like);
  return e.b().constant(type, type.element == Element::F64 ? 0x3ff0000000000000u : 0x3f800000u);
}

bool inv(CodegenContext& e) {
  return floats<1>(e, [&](const auto& in) { return e.b().binary(Binary::FDiv, one_of(e, in[0]), in[0]); });
}

template <Unary Op>
bool unary(CodegenContext& e) {
  return floats<1>(e, [&](const auto& in) { return e.b().unary(Op, in[0]); });
}

bool frc(CodegenContext& e) {
  return floats<1>(e,
                   [&](const auto& in) { return e.b().binary(Binary::FSub, in[0], e.b().unary(Unary::Floor, in[0])); });
}

bool lrp(CodegenContext& e) {
  if (e.instruction().arithmetic == Arithmetic::Half) return false;  // several roundings in F
  return floats<3>(e, [&](const auto& in) {
    Builder& b = e.b();
    const Value rest = b.binary(Binary::FSub, one_of(e, in[0]), in[0]);
    return b.binary(Binary::FAdd, b.binary(Binary::FMul, in[0], in[1]), b.binary(Binary::FMul, in[2], rest));
  });
}

/// dp2, dp3, dp4, dph: the sum over each group of four lanes goes to all four.
template <unsigned Components, bool Homogeneous>
bool dot(CodegenContext& e) {
  if (!is_single(e) || e.lanes() % 4 != 0) return false;
  return floats<2>(e, [&](const auto& in) {
    Builder& b = e.b();
    const auto component = [&](Value value, unsigned i) {
      std::array<int, machine::kMaxLanes> lanes{};
      for (unsigned k = 0; k < e.lanes(); ++k) lanes[k] = static_cast<int>(k / 4 * 4 + i);
      return e.pick(value, std::span(lanes).first(e.lanes()));
    };
    const Value products = b.binary(Binary::FMul, in[0], in[1]);
    Value total = component(products, 0);
    for (unsigned i = 1; i < Components; ++i) total = b.binary(Binary::FAdd, total, component(products, i));
    return Homogeneous ? b.binary(Binary::FAdd, total, component(in[1], 3)) : total;
  });
}

/// The scalars of a source whose region is ignored, flushed as %cr0 says.
bool coefficients(CodegenContext& e, const Operand& operand, std::array<Value, 4>& out) {
  if (!e.has_modes() || !operand.is_register() || operand.kind != isa::OperandKind::General) return false;
  Value words = e.read_raw(operand, 0, 4, 4);
  if (!words) return false;
  words = e.b().cast(Cast::Bits, words, {Element::F32, 4});
  if (!e.modes().keep_single) words = e.flush(words);
  for (unsigned i = 0; i < 4; ++i) out[i] = e.b().splat(e.b().extract(words, i), e.lanes());
  return true;
}

bool line(CodegenContext& e) {
  std::array<Value, 4> c;
  if (!is_single(e) || !e.takes_float(e.destination()) || !coefficients(e, e.source(0), c)) return false;
  const Value u = e.read_float(e.source(1));
  return u && e.write_float(e.destination(), e.b().fma(c[0], u, c[3]));
}

bool plane(CodegenContext& e) {
  std::array<Value, 4> c;
  const unsigned n = e.lanes();
  const Operand& raw = e.source(1);
  if (n % 8 != 0 || !is_single(e) || !e.takes_float(e.destination()) || raw.kind != isa::OperandKind::General ||
      !coefficients(e, e.source(0), c))
    return false;
  const Value words = e.read_raw(raw, 0, 4, 2 * n);
  if (!words) return false;
  std::array<int, machine::kMaxLanes> u{}, v{};
  for (unsigned k = 0; k < n; ++k) {
    u[k] = static_cast<int>(k / 8 * 16 + k % 8);
    v[k] = u[k] + 8;
  }
  const auto part = [&](const std::array<int, machine::kMaxLanes>& lanes) {
    const Value bits = e.b().cast(Cast::Bits, e.pick(words, std::span(lanes).first(n)), {Element::F32, n});
    return e.modes().keep_single ? bits : e.flush(bits);
  };
  const Value x = part(u), y = part(v);
  return e.write_float(e.destination(), e.b().fma(c[1], y, e.b().fma(c[0], x, c[3])));
}

constexpr JitHook kHooks[] = {
    {"add", add},
    {"avg", avg},
    {"div", div},
    {"divm", [](CodegenContext& e) { return !is_integer(e) && div(e); }},
    {"dp2", dot<2, false>},
    {"dp3", dot<3, false>},
    {"dp4", dot<4, false>},
    {"dph", dot<3, true>},
    {"dp4a", dp4a},
    {"madw", madw},
    {"exp", exp},
    {"frc", frc},
    {"line", line},
    {"log", log},
    {"mad", mad},
    {"mulh", mulh},
    {"lrp", lrp},
    {"mod", mod},
    {"mul", mul},
    {"pow", pow},
    {"rndd", unary<Unary::Floor>},
    {"rndu", unary<Unary::Ceil>},
    {"rnde", unary<Unary::RoundEven>},
    {"rndz", unary<Unary::Trunc>},
    {"sin", sin},
    {"cos", cos},
    {"sqrt", unary<Unary::Sqrt>},
    {"sqrtm", unary<Unary::Sqrt>},
    {"rsqrt", rsqrt},
    {"inv", inv},
    {"addc", addc},
    {"subb", subb},
    {"plane", plane},
    {"add3", add3},
};

}  // namespace

std::span<const JitHook> jit() { return kHooks; }

}  // namespace heddle::instructions::arithmetic
