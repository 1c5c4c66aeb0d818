// SPDX-License-Identifier: MIT
// Compute shaders: ids from the OpenCL payload (visa 10.4).
// Rules: SPV-22, SPV-32.
#include <fmt/format.h>

#include <spirv/unified1/spirv.hpp11>

#include "spirv/compile/stages/workgroup.hpp"

namespace heddle::spirv::compiler {
namespace {

class Compute final : public Stage {
 public:
  void begin(ShaderContext& t) override {
    group_.begin(t);
    const auto& local = group_.local();
    write_stage_line(t, fmt::format(" {} {} {}", local[0], local[1], local[2]));
    fill_variables(t, static_cast<std::uint32_t>(spv::StorageClass::Input), [&](const InterfaceVariable& v) {
      if (v.builtin) return group_.builtin(t, v);
      t.refuse(fmt::format("input '{}': compute shaders have built-in inputs only", v.name));
      return std::vector<Part>{};
    });
    check_inputs(t);
  }
  void end(ShaderContext&) override {}

 private:
  Workgroup group_;
};

}  // namespace

std::unique_ptr<Stage> compute_stage() { return std::make_unique<Compute>(); }

}  // namespace heddle::spirv::compiler
