// SPDX-License-Identifier: MIT
#pragma once
// Where the scalars of a type lie in memory: explicit layouts, and those of
// shared and private memory.

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "spirv/compile/module/annotations.hpp"
#include "spirv/compile/module/types.hpp"
#include "spirv/compile/module/value.hpp"

namespace heddle::spirv::compiler {

/// One scalar of a value in memory.
struct ScalarLocation {
  std::uint32_t offset = 0;  ///< bytes (scratch: dwords) from the pointer
  isa::Type type = isa::Type::UD;
};

/// Bytes, or dwords of scratch, of a scalar; booleans are kept as dwords.
[[nodiscard]] std::uint32_t scalar_size(const TypeInfo& info, bool dwords);

/// Memory that counts dwords, and has a layout of its own whatever the type says.
[[nodiscard]] constexpr bool in_dwords(Pointer::Kind kind) {
  return kind == Pointer::Kind::Scratch || kind == Pointer::Kind::Record;
}

class Layout {
 public:
  Layout(Types& types, const Annotations& annotations) : types_(types), annotations_(annotations) {}

  /// All scalars of what a pointer points at, in order.
  [[nodiscard]] std::vector<ScalarLocation> scalars(const Pointer& pointer);
  /// Bytes (or dwords) from one element of an array to the next: ArrayStride
  /// where the memory has an explicit layout.
  [[nodiscard]] std::uint32_t array_stride(std::uint32_t array, Pointer::Kind kind);
  /// Bytes from one element to the next behind a pointer of that type:
  /// ArrayStride, or in Workgroup memory without a layout what an element
  /// takes.
  [[nodiscard]] std::uint32_t pointer_stride(std::uint32_t pointer);
  [[nodiscard]] std::uint32_t member_offset(std::uint32_t structure, std::uint32_t member, Pointer::Kind kind);
  /// MatrixStride and RowMajor of a member.
  [[nodiscard]] MatrixLayout matrix(std::uint32_t structure, std::uint32_t member) const;
  /// Bytes of a type in Workgroup memory or, in dwords, in scratch.
  [[nodiscard]] std::uint32_t natural_size(std::uint32_t type, bool dwords);
  /// Bytes to the end of a type in Workgroup memory, where the module may say
  /// the layout.
  [[nodiscard]] std::uint64_t shared_extent(std::uint32_t type) { return shared_extent(type, {}); }

 private:
  using KnownExtents = std::unordered_map<std::uint32_t, std::uint64_t>;  ///< of structures: each
                                                                          ///< is measured once
  void collect(std::uint32_t type, Pointer::Kind kind, std::uint32_t offset, MatrixLayout matrix, bool spread,
               std::vector<ScalarLocation>& out);
  [[nodiscard]] std::uint64_t measure(std::uint32_t type, bool dwords);
  [[nodiscard]] std::uint64_t shared_extent(std::uint32_t type, MatrixLayout matrix);

  Types& types_;
  const Annotations& annotations_;
  std::map<std::pair<std::uint32_t, bool>, std::uint32_t> natural_sizes_;
  std::unordered_map<std::uint32_t, std::uint64_t> shared_extents_;  ///< of structures
};

}  // namespace heddle::spirv::compiler
