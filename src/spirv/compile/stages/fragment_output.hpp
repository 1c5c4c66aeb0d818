// SPDX-License-Identifier: MIT
#pragma once
// What a fragment shader writes: colors, depth, stencil, coverage.

#include <array>
#include <map>

#include "spirv/compile/stages/stage.hpp"

namespace heddle::spirv::compiler {

class FragmentOutputs {
 public:
  /// The scalars of an output variable, 0 at the start.
  [[nodiscard]] std::vector<Part> declare(ShaderContext& t, const InterfaceVariable& v);
  /// The messages at the shader's end. `per_sample`: one lane is one sample.
  void write(ShaderContext& t, bool per_sample);
  /// Depth, stencil reference or coverage.
  [[nodiscard]] bool changes_tests() const;

 private:
  struct Target {
    std::string surface;
    std::array<Part, 4> color, second;  ///< second: the other source of dual-source blending
    bool dual = false;
  };
  void write_one(ShaderContext& t, const Target& target, std::size_t number, const LaneRange& range, bool per_sample);
  void write_dual(ShaderContext& t, const Target& target, const LaneRange& range, bool per_sample) const;

  std::map<std::uint32_t, Target> targets_;  ///< by location
  Part depth_, mask_, stencil_;
};

}  // namespace heddle::spirv::compiler
