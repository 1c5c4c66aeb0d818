// SPDX-License-Identifier: MIT
#pragma once
// Compiles a shader and runs it with the reference engine, for tests.

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "job/run/run.hpp"
#include "spirv/compile/compile.hpp"

namespace heddle::test {

/// SPIR-V assembly or binary of a file below tests/data/spirv (".spvasm", ".spv").
[[nodiscard]] spirv::Module load_shader(const std::string& name);
[[nodiscard]] spirv::Module assemble_shader(const std::string& text, const std::string& target_env = "vulkan1.3");

/// The vISA text, or the messages.
struct CompiledShader {
  bool ok = false;
  std::string text;
  std::string messages;
};
[[nodiscard]] CompiledShader compile_shader(const spirv::Module& module, const spirv::CompileOptions& options = {});

/// Compiles and runs with a job's TOML (without `program`); the outcome has the messages of all steps.
[[nodiscard]] job::RunResult run_shader(const spirv::Module& module, const std::string& toml,
                                        const spirv::CompileOptions& options = {}, const job::RunHooks& hooks = {});
[[nodiscard]] std::string messages(const base::Diagnostics& diagnostics);

/// Bytes of the output with this path; empty when there is none.
[[nodiscard]] std::string output_bytes(const job::RunResult& outcome, std::string_view path);
template <typename T>
[[nodiscard]] std::vector<T> output_as(const job::RunResult& outcome, std::string_view path) {
  const std::string bytes = output_bytes(outcome, path);
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

}  // namespace heddle::test
