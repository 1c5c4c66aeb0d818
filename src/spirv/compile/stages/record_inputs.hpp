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

/// Variables of which each record has an element: of vertices, of a mesh shader's primitives; or those of a patch,
/// which one record has whole.
enum class RecordSet : std::uint8_t { Vertices, Primitives, Patch };

/// The variables of a class and a set, laid out one behind the other.
class RecordVariables {
 public:
  /// Makes the pointers of all of them, into `records`. `reserved`: dwords at the start for the levels of tessellation.
  void declare(ShaderContext& t, std::uint32_t storage_class, RecordSet set,
               const std::shared_ptr<const Records>& records, std::uint32_t reserved = 0);
  [[nodiscard]] std::uint32_t bytes() const { return dwords_ * 4; }  ///< of a record
  /// Those that some instruction names.
  [[nodiscard]] const std::vector<RecordDword>& dwords() const { return list_; }

 private:
  void list(ShaderContext& t, const InterfaceVariable& v, std::uint32_t base);

  std::vector<InterfaceVariable> variables_;
  std::vector<RecordDword> list_;
  std::uint32_t dwords_ = 0;
};

/// Input records: the surfaces and the lines that say what is read of them.
class RecordInputs {
 public:
  /// `primitive`: the primitive's place among those that are given; `vertices`: how many each has. Or, with 1, the
  /// place of its first vertex in the table; `most`: how many it may have.
  void declare(ShaderContext& t, const Part& primitive, std::uint32_t vertices, std::uint32_t most);

 private:
  RecordVariables variables_;
};

}  // namespace heddle::spirv::compiler
