// SPDX-License-Identifier: MIT
#pragma once
// Reductions and scans over the lanes of a thread.

#include <cstdint>
#include <optional>
#include <string_view>

#include "spirv/compile/writer/visa_writer.hpp"

namespace heddle::spirv::compiler {

/// An operation that lanes are combined by, and the value that changes nothing.
struct Combination {
  std::string_view op;  ///< vISA: add, mul, min, max, and, or, xor
  isa::Type type;       ///< of the lanes while they are combined; booleans: D of 0 and -1
  Part identity;
  bool boolean = false;
};

/// Of an OpGroupNonUniform instruction; nothing for others. `scalar` is the result's type.
[[nodiscard]] std::optional<Combination> combination_of(std::uint16_t opcode, isa::Type scalar);

enum class ScanKind : std::uint8_t { Reduce, Inclusive, Exclusive };

/// Combines the active lanes that are members (a boolean): of each cluster of that many lanes (Reduce), or of all lanes
/// up to each one.
[[nodiscard]] Part scan(VisaWriter& b, const Combination& c, const Part& value, ScanKind kind, unsigned cluster,
                        const Part& members, std::string_view hint);

}  // namespace heddle::spirv::compiler
