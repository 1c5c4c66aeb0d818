// SPDX-License-Identifier: MIT
#pragma once
// The execution modes of float controls: what becomes of subnormal numbers, and
// how results are rounded (SPV-40).

#include <cstdint>

#include "isa/types.hpp"
#include "spirv/compile/module/report.hpp"
#include "spirv/module.hpp"

namespace heddle::spirv::compiler {

/// Widths that have a mode: their sum, for 16, 32 and 64 are bits of their own.
struct FloatModes {
  std::uint32_t preserve = 0, flush = 0, to_even = 0, to_zero = 0;
  bool has_half = false;  ///< the module has numbers of 16 bits

  [[nodiscard]] static bool holds(std::uint32_t widths, isa::Type type) {
    return isa::is_float(type) && (widths & (isa::type_bytes(type) * 8u)) != 0;
  }
  [[nodiscard]] bool flushes(isa::Type type) const { return holds(flush, type); }
  [[nodiscard]] bool rounds_to_zero(isa::Type type) const { return holds(to_zero, type); }
};

/// The modes of an entry point's function; what contradicts itself is refused.
[[nodiscard]] FloatModes read_float_modes(const Module& module, std::uint32_t function, Report& report);

}  // namespace heddle::spirv::compiler
