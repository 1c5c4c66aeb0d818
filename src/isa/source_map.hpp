// SPDX-License-Identifier: MIT
#pragma once
// Which line of which file an instruction was made from, as the FILE and LOC before it say (SPV-36).

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "isa/program.hpp"

namespace heddle::isa {

struct SourceLine {
  std::string_view file;               ///< belongs to the object
  std::uint32_t line = 0, column = 0;  ///< column 0: the producer did not say
};

/// What Heddle's own FILE strings ("heddle: ...") say at an instruction; empty: it is none of them.
[[nodiscard]] std::string_view remark_of(const Object& object, const Instruction& instruction);
/// Loads and stores between the two were atomic operations of a shader (SPV-19).
inline constexpr std::string_view kAtomicRemark = "atomic", kPlainRemark = "plain";

/// Of one object, which must outlive it. LOC has no column: those of a compiled shader stand in the strings
/// "heddle: columns N N ...", one number for each LOC of the object in their order.
class SourceMap {
 public:
  explicit SourceMap(const Object& object);
  /// Nothing where no LOC says it, or LOC 0 says that nobody knows.
  [[nodiscard]] std::optional<SourceLine> find(const Instruction& instruction) const;
  [[nodiscard]] bool empty() const { return lines_.empty(); }

 private:
  struct Entry {
    std::uint32_t first;  ///< instruction from which on it holds
    SourceLine line;
  };
  const Object* object_;
  std::vector<Entry> lines_;  ///< by instruction
};

}  // namespace heddle::isa
