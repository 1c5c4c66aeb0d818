// SPDX-License-Identifier: MIT
#include "engine/reference/resolved_kernel.hpp"

#include "instructions/reference.hpp"

namespace heddle::engine::reference {

base::Result<ResolvedKernel> ResolvedKernel::prepare(const isa::Program& program, const isa::Object& kernel,
                                                     isa::Platform platform, const base::Limits& limits) {
  auto code = std::make_shared<machine::Code>();
  code->program = &program;
  code->platform = platform;
  code->grf_bytes = isa::platform_info(platform).grf_bytes;
  const auto add = [&](const isa::Object& object) -> std::vector<base::Diagnostic> {
    auto prepared = machine::prepare(program, object, platform, instructions::reference_of, limits);
    if (!prepared) return prepared.diagnostics();
    code->objects.push_back(std::move(prepared).value());
    return {};
  };
  std::vector<base::Diagnostic> problems = add(kernel);
  for (const isa::Object& object : program.objects) {
    if (!problems.empty()) break;
    if (object.kind == isa::ObjectKind::Function && &object != &kernel) problems = add(object);
  }
  if (!problems.empty()) return base::Failure(std::move(problems));
  ResolvedKernel out;
  out.code_ = std::move(code);
  return out;
}

}  // namespace heddle::engine::reference
