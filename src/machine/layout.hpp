// SPDX-License-Identifier: MIT
#pragma once
// Where the variables of an object live: one byte range for each variable that owns storage; aliases share their root's
// bytes.

#include <cstdint>
#include <vector>

#include "base/limits.hpp"
#include "base/result.hpp"
#include "isa/program.hpp"

namespace heddle::machine {

/// Indices of predefined variables (ENC-8).
namespace predefined {
inline constexpr std::uint32_t kNull = 0, kThreadX = 1, kThreadY = 2, kGroupIdX = 3, kGroupIdY = 4, kGroupIdZ = 5,
                               kTsc = 6, kR0 = 7, kArg = 8, kRetval = 9, kSp = 10, kFp = 11, kHwId = 12, kSr0 = 13,
                               kCr0 = 14, kCe0 = 15, kDbg0 = 16, kColor = 17, kImplicitArgs = 18, kLocalIds = 19,
                               kMsg0 = 20;
}

/// One variable: where it starts, and the bounds of the storage it may touch (its root's).
struct VariablePlacement {
  std::uint32_t begin = 0;
  std::uint32_t root_begin = 0, root_end = 0;
  std::uint32_t root = 0;
  isa::Type type = isa::Type::UD;
};

/// Storage of one object's general variables. Address registers hold 16-bit byte positions in this storage, so
/// variables whose address is taken come first.
class Layout {
 public:
  [[nodiscard]] static base::Result<Layout> make(const isa::Program& program, const isa::Object& object,
                                                 unsigned grf_bytes, const base::Limits& limits);

  [[nodiscard]] const VariablePlacement* place(std::uint32_t variable) const;  ///< nullptr: no such variable
  [[nodiscard]] std::uint32_t bytes() const { return bytes_; }
  [[nodiscard]] unsigned grf_bytes() const { return grf_bytes_; }
  /// Root that holds byte `at`, or nullptr (padding).
  [[nodiscard]] const VariablePlacement* root_at(std::uint32_t at) const;

 private:
  std::vector<VariablePlacement> predefined_, declared_;
  std::vector<VariablePlacement> roots_;  ///< in order of storage
  std::uint32_t bytes_ = 0;
  unsigned grf_bytes_ = 32;
};

}  // namespace heddle::machine
