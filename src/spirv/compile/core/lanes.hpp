// SPDX-License-Identifier: MIT
#pragma once
// Lanes whose side effects count: all, or in fragment shaders those that are covered and not discarded.

#include "spirv/compile/writer/part.hpp"

namespace heddle::spirv::compiler {

class ShaderContext;

class LiveLanes {
 public:
  explicit LiveLanes(ShaderContext& context) : t_(context) {}

  [[nodiscard]] Guard live();
  /// Discards the active lanes of a fragment shader: their effects do not count from here on.
  void discard();
  [[nodiscard]] bool discarded() const { return discarded_; }
  /// Whether the shader is a fragment shader with OpKill or OpTerminateInvocation somewhere.
  [[nodiscard]] bool may_be_killed() const { return may_be_killed_; }
  void find_kills();

 private:
  ShaderContext& t_;
  Part live_;  ///< fragment: predicate of lanes whose effects count
  bool discarded_ = false, may_be_killed_ = false;
};

}  // namespace heddle::spirv::compiler
