// SPDX-License-Identifier: MIT
#pragma once
// Shared shape of the ALU instructions: read the sources in the execution type (NUM-91), compute lane by lane, finish,
// convert, write.

#include <array>
#include <cfenv>
#include <type_traits>

#include "machine/execution_context.hpp"

namespace heddle::instructions::alu {

using machine::Arithmetic;
using machine::ExecutionContext;
using machine::kMaxLanes;
using machine::UnsignedWide;
using machine::Wide;

/// Lets floating arithmetic round as %cr0 says while it lives.
class RoundingScope {
 public:
  explicit RoundingScope(const machine::Modes& modes) : changed_(modes.rounding != machine::Rounding::NearestEven) {
    if (!changed_) return;
    constexpr int kModes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    std::fesetround(kModes[static_cast<unsigned>(modes.rounding)]);
  }
  ~RoundingScope() {
    if (changed_) std::fesetround(FE_TONEAREST);
  }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  bool changed_;
};

template <typename T, unsigned Sources, typename Op>
void apply(ExecutionContext& s, Op op) {
  std::array<std::array<T, kMaxLanes>, Sources> in;
  std::array<T, kMaxLanes> out;
  for (unsigned i = 0; i < Sources; ++i) s.read(s.source(i), in[i].data());
  const auto compute = [&] {
    for (unsigned k = 0; k < s.lanes(); ++k) {
      if constexpr (Sources == 1)
        out[k] = op(in[0][k]);
      else if constexpr (Sources == 2)
        out[k] = op(in[0][k], in[1][k]);
      else if constexpr (Sources == 3)
        out[k] = op(in[0][k], in[1][k], in[2][k]);
      else
        out[k] = op(in[0][k], in[1][k], in[2][k], in[3][k]);
    }
  };
  if constexpr (std::is_floating_point_v<T>) {
    {
      const RoundingScope scope(s.modes());
      compute();
    }
    s.finish(out.data());
  } else {
    compute();
  }
  s.write(s.destination(), out.data());
}

/// Sources of 64 bits need the wide integer type.
template <unsigned Sources>
bool needs_wide(const ExecutionContext& s) {
  for (unsigned i = 0; i < Sources; ++i)
    if (s.source(i).size == 8) return true;
  return false;
}

/// `op` takes and returns values of any of std::int64_t, Wide, float, double. Integer results must fit 64 bits for
/// 32-bit sources.
template <unsigned Sources, typename Op>
void any_type(ExecutionContext& s, Op op) {
  switch (s.instruction().arithmetic) {
    case Arithmetic::Integer:
      if (needs_wide<Sources>(s))
        apply<Wide, Sources>(s, op);
      else
        apply<std::int64_t, Sources>(s, op);
      break;
    case Arithmetic::Single:
      apply<float, Sources>(s, op);
      break;
    case Arithmetic::Half:
    case Arithmetic::Double:
      apply<double, Sources>(s, op);
      break;
  }
}

template <unsigned Sources, typename Op>
void integers(ExecutionContext& s, Op op) {
  if (needs_wide<Sources>(s))
    apply<Wide, Sources>(s, op);
  else
    apply<std::int64_t, Sources>(s, op);
}
template <unsigned Sources, typename Op>
void wide_integers(ExecutionContext& s, Op op) {
  apply<Wide, Sources>(s, op);
}
template <unsigned Sources, typename Op>
void floats(ExecutionContext& s, Op op) {
  if (s.instruction().arithmetic == Arithmetic::Single)
    apply<float, Sources>(s, op);
  else
    apply<double, Sources>(s, op);
}

/// Wide product, defined for any operands.
inline Wide product(Wide a, Wide b) {
  return static_cast<Wide>(static_cast<UnsignedWide>(a) * static_cast<UnsignedWide>(b));
}
inline Wide sum(Wide a, Wide b) {
  return static_cast<Wide>(static_cast<UnsignedWide>(a) + static_cast<UnsignedWide>(b));
}

}  // namespace heddle::instructions::alu
