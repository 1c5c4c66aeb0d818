// SPDX-License-Identifier: MIT
#include "spirv/compile/core/context.hpp"

#include <fmt/format.h>

#include <spirv/unified1/spirv.hpp11>
#include <utility>

#include "spirv/compile/module/type_tests.hpp"

namespace heddle::spirv::compiler {

ShaderContext::ShaderContext(const Module& m, const CompileOptions& o, base::Diagnostics& diagnostics)
    : module(m),
      options(o),
      report(m, diagnostics),
      annotations(m),
      constants(m, annotations, types, o.specialization, float_modes, report),
      types(m, constants, o.simd),
      layout(types, annotations),
      functions(m, types),
      b(o.platform, o.simd),
      values(*this),
      lanes(*this),
      inputs(b),
      descriptors(*this),
      variables(*this),
      pointers(*this),
      memory(*this),
      blocks(*this) {}

void ShaderContext::set(std::vector<Part> parts) {
  Value v;
  v.type = at->type;
  v.parts = std::move(parts);
  values.set(at->result, std::move(v));
}

void ShaderContext::set_value(Value value) { values.set(at->result, std::move(value)); }

Part ShaderContext::result(isa::Type type, unsigned index) {
  static constexpr std::string_view kComponents[] = {"x", "y", "z", "w"};
  const std::string name = result_name();
  const bool vector = is(types.of(at->type), spv::Op::OpTypeVector);
  return b.lanes(type, vector && index < 4 && name != "t" ? fmt::format("{}_{}", name, kComponents[index]) : name);
}

void ShaderContext::refuse(const std::string& reason) {
  if (at != nullptr) report.refuse(*at, reason);
}

}  // namespace heddle::spirv::compiler
