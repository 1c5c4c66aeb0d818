// SPDX-License-Identifier: MIT
#pragma once
// Inputs of the stages that take whole primitives: records of their vertices, which the pipeline lays out as the shader
// reads them.

#include <cstdint>
#include <memory>
#include <vector>

#include "spirv/compile/stages/stage.hpp"

namespace heddle::spirv::compiler {

/// One dword of a record that a stage reads or writes by its number.
struct RecordDword {
  std::uint32_t offset = 0;  ///< bytes
  const InterfaceVariable* variable = nullptr;
  std::string place;  ///< LOCATION COMPONENT TYPE of interface lines
};

/// The variables of a class of which each record has an element, laid out one behind the other.
class RecordVariables {
 public:
  /// Makes the pointers of all of them, into `records`.
  void declare(ShaderContext& t, std::uint32_t storage_class, const std::shared_ptr<const Records>& records);
  [[nodiscard]] std::uint32_t bytes() const { return dwords_ * 4; }  ///< of a record
  /// Those that some instruction names.
  [[nodiscard]] const std::vector<RecordDword>& dwords() const { return list_; }

 private:
  void list(ShaderContext& t, const InterfaceVariable& v, std::uint32_t base);

  std::vector<InterfaceVariable> variables_;
  std::vector<RecordDword> list_;
  std::uint32_t dwords_ = 0;
};

/// Input records: the surfaces and the lines that say what is read of them. `primitive`: the primitive's place among
/// those that are given; `vertices`: how many each has.
class RecordInputs {
 public:
  void declare(ShaderContext& t, const Part& primitive, std::uint32_t vertices);

 private:
  RecordVariables variables_;
};

}  // namespace heddle::spirv::compiler
