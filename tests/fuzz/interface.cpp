// SPDX-License-Identifier: MIT
// vISA text with the lines of a compiled shader: read, bound to small things of the right kinds, and run for a few
// steps.
#include <cstddef>
#include <cstdint>

#include "support/any_shader.hpp"
#include "verify/verify.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  base::Diagnostics diagnostics(20);
  const auto program = text::parse(source, "fuzz.visaasm", {}, diagnostics);
  if (!program || diagnostics.has_errors() || program->objects.empty()) return 0;
  verify::check(*program, {isa::Platform::SKL}, diagnostics);
  if (diagnostics.has_errors()) return 0;
  const auto shader = job::read_interface(*program, program->objects[0], diagnostics);
  if (!shader) return 0;
  const auto job = job::read_job(test::any_job(*shader), "any.toml");
  if (job.ok()) (void)job::run(*job, *program);
  return 0;
}
