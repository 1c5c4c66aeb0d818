// SPDX-License-Identifier: MIT
#pragma once
// Shaders as programs: SPIR-V, its assembly, or GLSL and HLSL through glslangValidator; compiled to vISA text.

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/result.hpp"
#include "heddle/shader.hpp"
#include "job/job.hpp"
#include "spirv/compile/compile.hpp"
#include "spirv/specialization.hpp"
#include "tools/command_line/flags.hpp"
#include "tools/inputs/input.hpp"
#include "tools/inputs/visa_file.hpp"

namespace heddle::tools {

/// What a compiler reads.
struct SourceText {
  std::string path;  ///< "-" for standard input
  std::string text;
  Language language = Language::Glsl;
  std::optional<isa::ShaderStage> wanted{};  ///< where the text has several stages
};

struct ShaderFile {
  std::string name;    ///< for messages
  std::string source;  ///< what text places refer to: GLSL, HLSL or assembly
  std::optional<spirv::Module> module;
  base::Diagnostics diagnostics;
};

/// Reads a module from a shader's bytes. Ids: those of spirv::assemble and read_binary, glsl-compiler, glsl-error.
[[nodiscard]] ShaderFile read_shader(SourceText source, const SourceOptions& options, const base::Limits& limits);

/// A shader as the library has it.
struct ShaderInput {
  std::optional<heddle::Shader> shader;
  std::shared_ptr<const std::string> glsl;  ///< the text that places refer to, where it is GLSL or HLSL
};
/// The same. A failure is printed, and its exit code returned.
[[nodiscard]] base::ExitCode open_shader(SourceText source, const SourceOptions& options, const Common& common,
                                         OutputFormat format, ShaderInput& input);

/// The value of a specialization constant.
[[nodiscard]] std::variant<std::int64_t, double, bool> specialization_value(const job::Scalar& scalar);

/// The entry point that is meant, for the compiler, which reports what fits none or several. `stage`: what --stage
/// says, which holds; `wanted`: the stage that the caller needs, which chooses where the module has it.
struct EntryChoice {
  std::string name;
  std::optional<isa::ShaderStage> stage;
};
[[nodiscard]] EntryChoice choose_entry(const spirv::Module& module, const std::string& name, const std::string& stage,
                                       std::optional<isa::ShaderStage> wanted);
/// Nothing, or what is wrong with an entry point that flags name. Id: compile-entry.
[[nodiscard]] std::optional<base::Diagnostic> entry_problem(const std::vector<EntryPoint>& all, const std::string& file,
                                                            const std::string& name, const std::string& stage);

/// Arguments "spec.N" and "spec.NAME" as values of the specialization constants that the module has; their keys go to
/// `taken`.
[[nodiscard]] std::vector<spirv::Specialization> specialization_of(const spirv::Module& module,
                                                                   const std::vector<job::Argument>& arguments,
                                                                   base::Diagnostics& diagnostics,
                                                                   std::vector<std::string>& taken);

/// The flags of layouts that a module cannot ask for: --scalar-layout ...
void layout_options(Command& command, LayoutRules& layout);
/// The one that was given, or an empty text.
[[nodiscard]] std::string_view given_layout(const LayoutRules& layout);

/// SPIR-V of GLSL or HLSL through glslangValidator. Ids: glsl-compiler (not installed), glsl-error.
[[nodiscard]] base::Result<std::string> compile_source(const SourceText& source, const SourceOptions& options);

}  // namespace heddle::tools
