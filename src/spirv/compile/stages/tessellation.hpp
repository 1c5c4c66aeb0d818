// SPDX-License-Identifier: MIT
#pragma once
// What the control and the evaluation shader of patches share.

#include <cstdint>
#include <map>
#include <memory>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <string_view>

#include "spirv/compile/stages/record_inputs.hpp"
#include "spirv/compile/stages/stage.hpp"

namespace heddle::spirv::compiler {

/// The line of the execution modes about patches, which may stand in either shader (TES-12).
void write_tessellation_line(ShaderContext& t);

/// The levels of a patch stand at the start of its record: four outer, two inner ones (TES-13).
inline constexpr std::uint32_t kLevelDwords = 6;

/// A value that the dispatch gives each lane.
[[nodiscard]] Part dispatched(ShaderContext& t, isa::Type type, std::string_view word);

/// Records of a patch, one behind the other: that of a number, or the first, which is the patch's own.
class RowRecords {
 public:
  /// `first`: the number of the patch's first record.
  RowRecords(ShaderContext& t, const Part& first, std::string_view hint);

  /// Known once all variables are declared.
  void set_stride(std::uint32_t bytes);
  [[nodiscard]] Part place(const Part& number);

 private:
  ShaderContext& t_;
  const Part first_, base_;
  std::uint32_t stride_ = 0;
  std::map<std::uint64_t, Part> known_;
};

/// Variables of rows of records: their surface and their lines. `kind`: of the surface; `line`: that of a dword.
class RowVariables {
 public:
  struct Words {
    spv::StorageClass storage;
    RecordSet set;
    std::string_view kind, line;
  };
  void declare(ShaderContext& t, const Words& words, const Part& first, std::uint32_t reserved = 0);

 private:
  RecordVariables variables_;
};

}  // namespace heddle::spirv::compiler
