// SPDX-License-Identifier: MIT
#pragma once
// Shared shape of the ALU instructions on whole words (plain.hpp): lanes.hpp for 32 bits.

#include <bit>
#include <cstring>

#include "base/half.hpp"
#include "instructions/plain.hpp"
#include "machine/numbers/number.hpp"

namespace heddle::instructions::alu {

template <unsigned N>
inline constexpr std::uint32_t kAllLanes = N >= 32 ? 0xffffffffu : (1u << N) - 1;

/// T: float, std::uint32_t or std::int32_t.
template <typename T, unsigned N>
[[gnu::always_inline]] inline void load_words(const PlainSource& source, const machine::Registers& registers,
                                              std::array<T, N>& out) {
  if (source.kind == PlainSource::Kind::Vector) {
    std::memcpy(out.data(), registers.bytes() + source.at, sizeof out);
  } else {
    T one = std::bit_cast<T>(source.at);
    if (source.kind == PlainSource::Kind::Scalar) std::memcpy(&one, registers.bytes() + source.at, sizeof one);
    out.fill(one);
  }
  if constexpr (std::is_same_v<T, float>) {
    if (source.modifier == isa::Modifier::None) return;
    const bool no_sign = source.modifier != isa::Modifier::Neg, flips = source.modifier != isa::Modifier::Abs;
    for (float& x : out) {
      std::uint32_t bits = base::bits_of(x);
      if (no_sign) bits &= 0x7fffffffu;
      if (flips) bits ^= 0x80000000u;
      x = base::float_from_bits(bits);
    }
  }
}

template <typename T, unsigned N>
[[gnu::always_inline]] inline void store_words(const PlainStep& step, machine::Registers& registers,
                                               std::uint32_t lanes, const std::array<T, N>& values) {
  std::uint8_t* const to = registers.bytes() + step.to;
  if (lanes == kAllLanes<N>) {
    std::memcpy(to, values.data(), sizeof values);
    return;
  }
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto k = static_cast<unsigned>(std::countr_zero(rest));
    std::memcpy(to + 4 * std::size_t{k}, &values[k], 4);
  }
}

/// Op: takes `Sources` values of T and returns one. Floats are finished as results of arithmetic are.
template <typename T, unsigned Sources, typename Op, unsigned N>
void run_words(const PlainStep& step, machine::Registers& registers, std::uint32_t lanes, std::uint32_t /*chosen*/) {
  std::array<std::array<T, N>, Sources> in;
  for (unsigned i = 0; i < Sources; ++i) load_words<T, N>(step.source[i], registers, in[i]);
  std::array<T, N> out;
  for (unsigned k = 0; k < N; ++k) {
    if constexpr (Sources == 1)
      out[k] = Op{}(in[0][k]);
    else if constexpr (Sources == 2)
      out[k] = Op{}(in[0][k], in[1][k]);
    else
      out[k] = Op{}(in[0][k], in[1][k], in[2][k]);
  }
  if constexpr (std::is_same_v<T, float>) {
    for (float& x : out) x = base::canonical(x);
    if (step.saturate)
      for (float& x : out) x = machine::saturate_float(x);
  }
  store_words<T, N>(step, registers, lanes, out);
}

/// Chooses among functions for 1, 8, 16 and 32 lanes: `For::template run<N>`.
template <typename For>
bool choose(const machine::Operands& operands, PlainStep& step) {
  switch (operands.lanes()) {
    case 1:
      step.run = For::template run<1>;
      return true;
    case 8:
      step.run = For::template run<8>;
      return true;
    case 16:
      step.run = For::template run<16>;
      return true;
    case 32:
      step.run = For::template run<32>;
      return true;
    default:
      return false;
  }
}

template <typename T, unsigned Sources, typename Op>
struct OfWords {
  template <unsigned N>
  static void run(const PlainStep& step, machine::Registers& registers, std::uint32_t lanes, std::uint32_t chosen) {
    run_words<T, Sources, Op, N>(step, registers, lanes, chosen);
  }
};

/// The destination is F, and so are all sources.
inline bool is_single(const machine::Operands& o) {
  if (o.destination().kind == isa::OperandKind::General && o.destination().type != isa::Type::F) return false;
  for (unsigned i = 0; i < o.instruction().sources.size() && o.has_source(i); ++i)
    if (o.source(i).type != isa::Type::F) return false;
  return true;
}
/// All are integers. Results that saturate are not plain.
inline bool is_integer(const machine::Operands& o) {
  if (o.instruction().saturate || isa::is_float(o.destination().type)) return false;
  for (unsigned i = 0; i < o.instruction().sources.size() && o.has_source(i); ++i)
    if (isa::is_float(o.source(i).type)) return false;
  return true;
}
enum class Sign : std::uint8_t { Signed, Unsigned, Mixed };
/// How the first two sources are compared as 32 bits: numbers that neither sign changes go with both.
inline Sign sign_of_two(const machine::Operands& o, const PlainStep& step) {
  bool may[2] = {true, true};
  for (unsigned i = 0; i < 2; ++i) {
    const bool small = step.source[i].kind == PlainSource::Kind::Immediate && step.source[i].at <= 0x7fffffffu;
    if (!small) may[isa::is_signed(o.source(i).type) ? 1 : 0] = false;
  }
  return may[0] ? Sign::Signed : may[1] ? Sign::Unsigned : Sign::Mixed;
}

template <unsigned Sources, typename Op>
bool single(const machine::Operands& o, PlainStep& step) {
  return is_single(o) && choose<OfWords<float, Sources, Op>>(o, step);
}
template <unsigned Sources, typename Op>
bool integer(const machine::Operands& o, PlainStep& step) {
  return is_integer(o) && choose<OfWords<std::uint32_t, Sources, Op>>(o, step);
}
template <unsigned Sources, typename Float, typename Int>
bool either(const machine::Operands& o, PlainStep& step) {
  return single<Sources, Float>(o, step) || integer<Sources, Int>(o, step);
}

}  // namespace heddle::instructions::alu
