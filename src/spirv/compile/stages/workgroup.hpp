// SPDX-License-Identifier: MIT
#pragma once
// The ids of a work group's invocations, from the OpenCL payload (visa 10.4): of compute, task and mesh shaders.

#include <array>
#include <functional>
#include <vector>

#include "spirv/compile/stages/stage.hpp"

namespace heddle::spirv::compiler {

class Workgroup {
 public:
  /// Where the group's number and the number of groups come from, in place of the payload.
  std::function<Part(unsigned axis)> number, count;

  /// The size of a group, and where the inputs behind the payload's own begin.
  void begin(ShaderContext& t);
  [[nodiscard]] const std::array<std::uint32_t, 3>& local() const { return local_; }
  [[nodiscard]] std::vector<Part> builtin(ShaderContext& t, const InterfaceVariable& v);
  /// LocalInvocationIndex.
  [[nodiscard]] Part linear_index(ShaderContext& t);
  /// The group's number in the payload.
  [[nodiscard]] Part payload_number(ShaderContext& t, unsigned axis);

 private:
  void find_local_size(ShaderContext& t);
  [[nodiscard]] Part local_id(ShaderContext& t, unsigned axis);
  [[nodiscard]] Part group_number(ShaderContext& t, unsigned axis);
  [[nodiscard]] Part group_count(ShaderContext& t, unsigned axis);
  [[nodiscard]] Part subgroup_number(ShaderContext& t);

  std::array<std::uint32_t, 3> local_{1, 1, 1};
  bool quads_ = false;
  std::array<Part, 3> raw_, ids_, groups_;
  Part linear_, count_;
};

}  // namespace heddle::spirv::compiler
