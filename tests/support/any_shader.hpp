// SPDX-License-Identifier: MIT
#pragma once
// Runs whatever shader a module holds: compiled, bound to small things of the right kinds, with few steps. What comes
// out does not matter, only that something does.

#include <cstdint>
#include <span>
#include <string>

#include "job/run/run.hpp"
#include "job/shader/interface.hpp"
#include "spirv/compile/compile.hpp"
#include "text/text.hpp"

namespace heddle::test {

/// A job that binds all that an interface names, by vISA names.
inline std::string any_job(const job::ShaderInterface& shader) {
  using job::ResourceKind;
  std::string args, tables, inputs;
  for (const job::SurfaceLine& line : shader.surfaces) {
    const std::string key = "T" + std::to_string(line.variable);
    switch (line.kind) {
      case ResourceKind::PushConstant:
        args += "push = { bytes = \"" + std::string(2 * ((line.block_bytes() + 15) / 16 * 16) % 4096, '3') + "\" }\n";
        break;
      case ResourceKind::UniformBuffer:
      case ResourceKind::StorageBuffer:
        tables += "[buffers." + key + "]\ntype = \"u32\"\ncount = 64\nfill = 3\n";
        break;
      case ResourceKind::TexelBuffer:
      case ResourceKind::StorageTexelBuffer:
        tables += "[buffers." + key + "]\nformat = \"R32_UINT\"\ncount = 16\n";
        break;
      case ResourceKind::VertexOutputs:
      case ResourceKind::SamplerRecord:
      case ResourceKind::NoTarget:
        break;
      default:
        tables += "[images." + key + "]\nformat = \"R8G8B8A8_UNORM\"\nsize = [8, 8]\nfill = [0.25, 0.5, 0.75, 1]\n";
        break;
    }
  }
  for (const job::SamplerLine& line : shader.samplers)
    tables += "[samplers.S" + std::to_string(line.variable) + "]\nfilter = \"linear\"\n";
  for (const job::StageVariable& v : shader.inputs) inputs += "V" + std::to_string(v.variable) + " = 1\n";
  const bool pixels = shader.stage == job::ShaderStage::Fragment;
  return std::string(
             "program = \"any\"\nthreads = 1\ncheck = \"off\"\nlimits = { steps = 20000, seconds = 2, memory = "
             "\"64MiB\" }\n") +
         (pixels ? "" : "groups = [1]\n") + "[args]\n" + args + tables +
         (pixels ? "[pixels]\nsize = [4, 4]\n[pixels.inputs]\n" + inputs : std::string());
}

/// What happened, in a word.
enum class AnyOutcome : std::uint8_t { NotRead, NotCompiled, NotParsed, NotBound, Ran };

inline AnyOutcome run_any(std::span<const std::uint8_t> bytes, const spirv::CompileOptions& options,
                          std::string* why = nullptr) {
  const auto say = [&](const std::vector<base::Diagnostic>& list) {
    if (why == nullptr) return;
    for (const base::Diagnostic& d : list) *why += base::render(d, {}, false);
  };
  base::Limits limits;
  limits.instructions = 100000;
  const auto module = spirv::read_binary(bytes, "any.spv", limits);
  if (!module.ok()) return say(module.diagnostics()), AnyOutcome::NotRead;
  base::Diagnostics diagnostics;
  const auto compiled = spirv::compile(*module, options, diagnostics);
  if (!compiled.ok()) return say(compiled.diagnostics()), AnyOutcome::NotCompiled;
  text::ParseOptions parse;
  parse.platform = options.platform;
  const auto program = text::parse(compiled->text, "any.visaasm", parse, diagnostics);
  if (!program || diagnostics.has_errors() || program->objects.empty())
    return say(diagnostics.all()), AnyOutcome::NotParsed;
  const auto shader = job::read_interface(*program, program->objects[0], diagnostics);
  if (!shader) return say(diagnostics.all()), AnyOutcome::NotBound;
  const auto job = job::read_job(any_job(*shader), "any.toml", limits);
  if (!job.ok()) return say(job.diagnostics()), AnyOutcome::NotBound;
  const job::RunResult outcome = job::run(*job, *program);
  say(outcome.diagnostics.all());
  return outcome.summary.instructions != 0 ? AnyOutcome::Ran : AnyOutcome::NotBound;
}

}  // namespace heddle::test
