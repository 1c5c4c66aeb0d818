// SPDX-License-Identifier: MIT
#pragma once
// What task and mesh shaders share: a group finds its numbers in a table, by its place in it; the payload; what a group
// says of itself.

#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "spirv/compile/stages/workgroup.hpp"

namespace heddle::spirv::compiler {

class MeshGroups {
 public:
  /// The size of a group and its surfaces; before the inputs.
  void begin(ShaderContext& t);
  [[nodiscard]] const std::array<std::uint32_t, 3>& local() const { return group_.local(); }
  /// Built-in inputs.
  void declare_inputs(ShaderContext& t);
  /// The group's place among those of the run: the same for all lanes.
  [[nodiscard]] const Part& slot() const { return slot_; }
  /// The place of the task group that a mesh group belongs to.
  [[nodiscard]] Part task_slot(ShaderContext& t) { return table_entry(t, kTaskEntry); }
  /// MSH-3: the variables of the payload lie in the record of that number.
  void declare_payload(ShaderContext& t, const Part& number);
  /// What the first invocation says of the group: dwords of its record of counts.
  void write_counts(ShaderContext& t, std::initializer_list<Part> counts);

 private:
  static constexpr unsigned kTaskEntry = 3, kCountEntry = 4, kEntries = 7;
  [[nodiscard]] Part thread_value(ShaderContext& t, std::string_view word);
  [[nodiscard]] Part table_entry(ShaderContext& t, unsigned dword);
  [[nodiscard]] std::vector<Part> builtin(ShaderContext& t, const InterfaceVariable& v);

  Workgroup group_;
  Part slot_;
  std::string table_, counts_;
  std::array<std::optional<Part>, kEntries> entries_;
};

}  // namespace heddle::spirv::compiler
