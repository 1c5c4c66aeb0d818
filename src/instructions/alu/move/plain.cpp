// SPDX-License-Identifier: MIT
// Moves of whole words: the same as reference.cpp beside it.
#include "instructions/alu/words.hpp"

namespace heddle::instructions::move {
namespace {

using namespace alu;
using isa::Type;

/// Bits stay as they are, but for a sign that a modifier changes.
template <typename T>
struct Copied {
  template <unsigned N>
  static void run(const PlainStep& step, machine::Registers& registers, std::uint32_t lanes, std::uint32_t /*chosen*/) {
    std::array<T, N> words;
    load_words<T, N>(step.source[0], registers, words);
    if constexpr (std::is_same_v<T, float>)
      if (step.saturate)
        for (float& x : words) x = machine::saturate_float(x);
    store_words<T, N>(step, registers, lanes, words);
  }
};

template <typename From, typename To, typename Op>
struct Converted {
  template <unsigned N>
  static void run(const PlainStep& step, machine::Registers& registers, std::uint32_t lanes, std::uint32_t /*chosen*/) {
    std::array<From, N> from;
    load_words<From, N>(step.source[0], registers, from);
    std::array<To, N> to;
    for (unsigned k = 0; k < N; ++k) to[k] = Op{}(from[k]);
    store_words<To, N>(step, registers, lanes, to);
  }
};

using ToFloat = decltype([](auto x) { return static_cast<float>(x); });
/// NUM-80, C35: truncated and clamped, NaN gives 0.
using ToSigned = decltype([](float x) {
  if (!(x >= -0x1p31f)) return x < 0 ? INT32_MIN : 0;
  return x < 0x1p31f ? static_cast<std::int32_t>(x) : INT32_MAX;
});
using ToUnsigned = decltype([](float x) {
  if (!(x > 0)) return std::uint32_t{0};
  return x < 0x1p32f ? static_cast<std::uint32_t>(x) : UINT32_MAX;
});

bool mov(const machine::Operands& o, PlainStep& step) {
  if (o.destination().kind != isa::OperandKind::General) return false;
  const Type from = o.source(0).type, to = o.destination().type;
  if (is_single(o)) return choose<Copied<float>>(o, step);
  if (o.instruction().saturate) return false;
  if (is_integer(o)) return choose<Copied<std::uint32_t>>(o, step);
  if (to == Type::D) return choose<Converted<float, std::int32_t, ToSigned>>(o, step);
  if (to == Type::UD) return choose<Converted<float, std::uint32_t, ToUnsigned>>(o, step);
  return isa::is_signed(from) ? choose<Converted<std::int32_t, float, ToFloat>>(o, step)
                              : choose<Converted<std::uint32_t, float, ToFloat>>(o, step);
}

/// The predicate chooses; only the execution mask disables.
template <typename T>
struct Chosen {
  template <unsigned N>
  static void run(const PlainStep& step, machine::Registers& registers, std::uint32_t lanes, std::uint32_t chosen) {
    std::array<T, N> a, b;
    load_words<T, N>(step.source[0], registers, a);
    load_words<T, N>(step.source[1], registers, b);
    for (unsigned k = 0; k < N; ++k) a[k] = (chosen >> k & 1u) != 0 ? a[k] : b[k];
    store_words<T, N>(step, registers, lanes, a);
  }
};

bool sel(const machine::Operands& o, PlainStep& step) {
  step.chooses = true;
  if (o.destination().kind != isa::OperandKind::General || o.instruction().saturate) return false;
  if (is_single(o)) return choose<Chosen<float>>(o, step);
  return is_integer(o) && choose<Chosen<std::uint32_t>>(o, step);
}

constexpr PlainHook kHooks[] = {{"mov", mov}, {"sel", sel}};

}  // namespace

std::span<const PlainHook> plain() { return kHooks; }

}  // namespace heddle::instructions::move
