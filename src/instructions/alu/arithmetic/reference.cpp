// SPDX-License-Identifier: MIT
// Arithmetic (NUM-80 to NUM-99).
#include <cfenv>
#include <cmath>
#include <limits>

#include "instructions/alu/lanes.hpp"
#include "instructions/reference.hpp"
#include "machine/numbers/math.hpp"

namespace heddle::instructions::arithmetic {
namespace {

using namespace alu;

void add(ExecutionContext& s) {
  any_type<2>(s, [](auto a, auto b) { return a + b; });
}

void avg(ExecutionContext& s) {
  integers<2>(s, [](auto a, auto b) { return (a + b + 1) >> 1; });
}

void mul(ExecutionContext& s) {
  if (s.instruction().arithmetic == Arithmetic::Integer)
    wide_integers<2>(s, product);
  else
    floats<2>(s, [](auto a, auto b) { return a * b; });
}

/// NUM-94: one rounding.
void mad(ExecutionContext& s) {
  switch (s.instruction().arithmetic) {
    case Arithmetic::Integer:
      wide_integers<3>(s, [](Wide a, Wide b, Wide c) { return sum(product(a, b), c); });
      break;
    case Arithmetic::Single:
      apply<float, 3>(s, [](float a, float b, float c) { return std::fma(a, b, c); });
      break;
    case Arithmetic::Double:
      apply<double, 3>(s, [](double a, double b, double c) { return std::fma(a, b, c); });
      break;
    case Arithmetic::Half: {
      const machine::Rounding rounding = s.modes().rounding;
      apply<double, 3>(
          s, [rounding](double a, double b, double c) { return machine::half_multiply_add(a, b, c, rounding); });
      break;
    }
  }
}

/// NUM-99: the bounds of the destination's sign class stand for the quotient by zero.
Wide quotient(Wide a, Wide b, isa::Type type) {
  const unsigned bits = 8 * isa::type_bytes(type);
  if (b == 0) {
    if (!isa::is_signed(type)) return (Wide{1} << bits) - 1;
    return a < 0 ? -(Wide{1} << (bits - 1)) : (Wide{1} << (bits - 1)) - 1;
  }
  return a / b;
}

/// Widest source type, signed if any source is.
isa::Type division_type(const ExecutionContext& s) {
  const isa::Type a = s.source(0).type, b = s.source(1).type;
  const bool is_signed = isa::is_signed(a) || isa::is_signed(b);
  const unsigned bytes = std::max(isa::type_bytes(a), isa::type_bytes(b));
  using isa::Type;
  if (bytes == 1) return is_signed ? Type::B : Type::UB;
  if (bytes == 2) return is_signed ? Type::W : Type::UW;
  return is_signed ? Type::D : Type::UD;
}

void div(ExecutionContext& s) {
  if (s.instruction().arithmetic != Arithmetic::Integer) {
    floats<2>(s, [](auto a, auto b) { return a / b; });
    return;
  }
  const isa::Type type = division_type(s);
  wide_integers<2>(s, [type](Wide a, Wide b) { return quotient(a, b, type); });
}

void mod(ExecutionContext& s) {
  wide_integers<2>(s, [](Wide a, Wide b) { return b == 0 ? a : a % b; });
}

void mulh(ExecutionContext& s) {
  wide_integers<2>(s, [](Wide a, Wide b) { return product(a, b) >> 32; });
}

/// The low words from the destination's origin, the high words from the next register boundary behind them.
void madw(ExecutionContext& s) {
  std::array<Wide, kMaxLanes> a, b, c;
  s.read(s.source(0), a.data());
  s.read(s.source(1), b.data());
  s.read(s.source(2), c.data());
  std::array<std::uint64_t, kMaxLanes> low{}, high{};
  for (unsigned k = 0; k < s.lanes(); ++k) {
    const Wide result = sum(product(a[k], b[k]), c[k]);
    low[k] = static_cast<std::uint32_t>(result);
    high[k] = static_cast<std::uint32_t>(result >> 32);
  }
  s.write_bits(s.destination(), low);
  machine::Operand upper = s.destination();
  const unsigned grf = s.grf_bytes();
  const std::uint32_t step = (s.lanes() * 4 + grf - 1) / grf * grf;
  upper.base += step;
  upper.offset += static_cast<std::int32_t>(step);
  upper.in_bounds = upper.in_bounds && upper.base + upper.lane[s.lanes() - 1] + 4 <= upper.root_end;
  s.write_bits(upper, high);
}

void addc(ExecutionContext& s) {
  std::array<std::int64_t, kMaxLanes> a, b;
  s.read(s.source(0), a.data());
  s.read(s.source(1), b.data());
  std::array<std::uint64_t, kMaxLanes> result{}, carry{};
  for (unsigned k = 0; k < s.lanes(); ++k) {
    result[k] = static_cast<std::uint32_t>(a[k] + b[k]);
    carry[k] = static_cast<std::uint64_t>((a[k] + b[k]) >> 32 & 1);
  }
  s.write_bits(s.destination(), result);
  s.write_bits(s.second_destination(), carry);
}

void subb(ExecutionContext& s) {
  std::array<std::int64_t, kMaxLanes> a, b;
  s.read(s.source(0), a.data());
  s.read(s.source(1), b.data());
  std::array<std::uint64_t, kMaxLanes> result{}, borrow{};
  for (unsigned k = 0; k < s.lanes(); ++k) {
    result[k] = static_cast<std::uint32_t>(a[k] - b[k]);
    borrow[k] = a[k] < b[k] ? 1 : 0;
  }
  s.write_bits(s.destination(), result);
  s.write_bits(s.second_destination(), borrow);
}

void add3(ExecutionContext& s) {
  integers<3>(s, [](auto a, auto b, auto c) { return a + b + c; });
}

/// The predicate receives the overflow bits; it doesn't mask.
void add3_overflow(ExecutionContext& s) {
  std::array<std::int64_t, kMaxLanes> a, b, c, result;
  s.read(s.source(0), a.data());
  s.read(s.source(1), b.data());
  s.read(s.source(2), c.data());
  std::uint32_t overflow = 0;
  for (unsigned k = 0; k < s.lanes(); ++k) {
    result[k] = a[k] + b[k] + c[k];
    if (machine::clamp_integer(result[k], s.destination().type) != result[k]) overflow |= 1u << k;
  }
  s.write(s.destination(), result.data());
  if (s.instruction().predicate.present()) s.write_predicate(s.instruction().predicate.id(), overflow, s.enabled());
}

// --- functions (NUM-98) ---

/// The functions themselves are computed to nearest, whatever %cr0 says.
class NearestScope {
 public:
  explicit NearestScope(machine::Rounding rounding) : changed_(rounding != machine::Rounding::NearestEven) {
    if (!changed_) return;
    before_ = std::fegetround();
    std::fesetround(FE_TONEAREST);
  }
  ~NearestScope() {
    if (changed_) std::fesetround(before_);
  }
  NearestScope(const NearestScope&) = delete;
  NearestScope& operator=(const NearestScope&) = delete;

 private:
  bool changed_;
  int before_ = 0;
};

/// Binary32 sources, results rounded to F even on the way to HF.
template <unsigned Count, typename Op>
void rounded(ExecutionContext& s, Op op) {
  const machine::Rounding rounding = s.modes().rounding;
  floats<Count>(s, [op, rounding](auto x, auto... more) {
    double value = 0;
    {
      const NearestScope scope(rounding);
      value = op(static_cast<float>(x), static_cast<float>(more)...);
    }
    return static_cast<decltype(x)>(static_cast<float>(value));
  });
}

template <double (*Function)(float)>
void function(ExecutionContext& s) {
  rounded<1>(s, Function);
}

/// NUM-93: in ALT mode these take the absolute value of an F source.
template <double (*Function)(float)>
void absolute_function(ExecutionContext& s) {
  const bool absolute = s.modes().alt && s.instruction().arithmetic == Arithmetic::Single;
  rounded<1>(s, [absolute](float x) { return Function(absolute ? std::fabs(x) : x); });
}

void pow(ExecutionContext& s) { rounded<2>(s, machine::math::power); }

void inv(ExecutionContext& s) {
  floats<1>(s, [](auto x) { return decltype(x){1} / x; });
}

void sqrt(ExecutionContext& s) {
  const bool absolute = s.modes().alt && s.instruction().arithmetic == Arithmetic::Single;
  floats<1>(s, [absolute](auto x) { return std::sqrt(absolute ? std::fabs(x) : x); });
}

void sqrtm(ExecutionContext& s) {
  floats<1>(s, [](auto x) { return std::sqrt(x); });
}

// --- rounding to whole numbers ---

void frc(ExecutionContext& s) {
  floats<1>(s, [](auto x) { return x - std::floor(x); });
}
void rndd(ExecutionContext& s) {
  floats<1>(s, [](auto x) { return std::floor(x); });
}
void rndu(ExecutionContext& s) {
  floats<1>(s, [](auto x) { return std::ceil(x); });
}
void rnde(ExecutionContext& s) {
  floats<1>(s, [](auto x) { return static_cast<decltype(x)>(machine::math::round_even(static_cast<double>(x))); });
}
void rndz(ExecutionContext& s) {
  floats<1>(s, [](auto x) { return std::trunc(x); });
}

// --- products of several lanes ---

void lrp(ExecutionContext& s) {
  floats<3>(s, [](auto a, auto b, auto c) { return a * b + c * (decltype(a){1} - a); });
}

/// dp2, dp3, dp4, dph: the sum over each group of four lanes goes to all four.
template <unsigned Components, bool Homogeneous>
void dot(ExecutionContext& s) {
  std::array<float, kMaxLanes> a{}, b{}, out{};
  s.read(s.source(0), a.data());
  s.read(s.source(1), b.data());
  {
    const RoundingScope scope(s.modes());
    for (unsigned group = 0; group < s.lanes(); group += 4) {
      float total = a[group] * b[group];
      for (unsigned i = 1; i < Components; ++i) total = total + a[group + i] * b[group + i];
      if (Homogeneous) total = total + b[group + 3];
      for (unsigned i = 0; i < 4 && group + i < kMaxLanes; ++i) out[group + i] = total;
    }
  }
  s.finish(out.data());
  s.write(s.destination(), out.data());
}

/// The four scalars p, q, -, r at the origin of a source whose region is ignored.
std::array<float, 4> coefficients(ExecutionContext& s, const machine::Operand& operand) {
  machine::Operand raw = operand;
  raw.kind = isa::OperandKind::Raw;
  std::array<std::uint64_t, 4> words{};
  s.read_raw(raw, 0, 4, 4, words.data(), 0b1011u);
  std::array<float, 4> out{};
  for (unsigned i = 0; i < 4; ++i) {
    out[i] = base::float_from_bits(static_cast<std::uint32_t>(words[i]));
    if (!s.modes().keep_single) out[i] = machine::flush(out[i]);
  }
  return out;
}

void line(ExecutionContext& s) {
  const auto c = coefficients(s, s.source(0));
  std::array<float, kMaxLanes> u{}, out{};
  s.read(s.source(1), u.data());
  {
    const RoundingScope scope(s.modes());
    for (unsigned k = 0; k < s.lanes(); ++k) out[k] = std::fma(c[0], u[k], c[3]);
  }
  s.finish(out.data());
  s.write(s.destination(), out.data());
}

/// src1: u of lanes 0-7, v of lanes 0-7, then the same of lanes 8-15. Two fused steps, as the finalizer lowers it.
void plane(ExecutionContext& s) {
  const auto c = coefficients(s, s.source(0));
  machine::Operand raw = s.source(1);
  raw.kind = isa::OperandKind::Raw;
  std::array<float, kMaxLanes> out{};
  for (unsigned half = 0; half * 8 < s.lanes(); ++half) {
    std::array<std::uint64_t, 8> u{}, v{};
    const std::uint32_t needed = s.enabled() >> (8 * half) & 0xffu;
    s.read_raw(raw, 64 * half, 4, 8, u.data(), needed);
    s.read_raw(raw, 64 * half + 32, 4, 8, v.data(), needed);
    const RoundingScope scope(s.modes());
    for (unsigned k = 0; k < 8; ++k) {
      float x = base::float_from_bits(static_cast<std::uint32_t>(u[k])),
            y = base::float_from_bits(static_cast<std::uint32_t>(v[k]));
      if (!s.modes().keep_single) x = machine::flush(x), y = machine::flush(y);
      out[8 * half + k] = std::fma(c[1], y, std::fma(c[0], x, c[3]));
    }
  }
  s.finish(out.data());
  s.write(s.destination(), out.data());
}

/// Even lanes get the sum of the pair's absolute differences; odd lanes (undefined) keep their value.
void sad2(ExecutionContext& s) {
  std::array<std::int64_t, kMaxLanes> a{}, b{}, c{}, out{};
  s.read(s.source(0), a.data());
  s.read(s.source(1), b.data());
  if (s.has_source(2)) s.read(s.source(2), c.data());
  const auto difference = [&](unsigned k) { return a[k] < b[k] ? b[k] - a[k] : a[k] - b[k]; };
  for (unsigned k = 0; k + 1 < s.lanes(); k += 2) out[k] = difference(k) + difference(k + 1) + c[k];
  s.narrow(0x55555555u);
  s.write(s.destination(), out.data());
}

void dp4a(ExecutionContext& s) {
  std::array<std::int64_t, kMaxLanes> c{}, out{};
  machine::Lanes a{}, b{};
  s.read(s.source(0), c.data());
  s.read_bits(s.source(1), a);
  s.read_bits(s.source(2), b);
  const auto byte_of = [](std::uint64_t bits, unsigned i, isa::Type type) {
    return static_cast<std::int64_t>(
        machine::wide_of(bits >> (8 * i) & 0xffu, isa::is_signed(type) ? isa::Type::B : isa::Type::UB));
  };
  for (unsigned k = 0; k < s.lanes(); ++k) {
    out[k] = c[k];
    for (unsigned i = 0; i < 4; ++i) out[k] += byte_of(a[k], i, s.source(1).type) * byte_of(b[k], i, s.source(2).type);
  }
  s.write(s.destination(), out.data());
}

constexpr ReferenceHook kHooks[] = {
    {"add", add},
    {"avg", avg},
    {"div", div},
    {"dp2", dot<2, false>},
    {"dp3", dot<3, false>},
    {"dp4", dot<4, false>},
    {"dph", dot<3, true>},
    {"exp", function<machine::math::exp2>},
    {"frc", frc},
    {"line", line},
    {"log", absolute_function<machine::math::log2>},
    {"mad", mad},
    {"mulh", mulh},
    {"lrp", lrp},
    {"mod", mod},
    {"mul", mul},
    {"pow", pow},
    {"rndd", rndd},
    {"rndu", rndu},
    {"rnde", rnde},
    {"rndz", rndz},
    {"sad2", sad2},
    {"sad2add", sad2},
    {"sin", function<machine::math::sine>},
    {"cos", function<machine::math::cosine>},
    {"sqrt", sqrt},
    {"rsqrt", absolute_function<machine::math::reciprocal_root>},
    {"inv", inv},
    {"addc", addc},
    {"subb", subb},
    {"plane", plane},
    {"sqrtm", sqrtm},
    {"divm", div},
    {"dp4a", dp4a},
    {"add3", add3},
    {"madw", madw},
    {"add3.o", add3_overflow},
};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::arithmetic
