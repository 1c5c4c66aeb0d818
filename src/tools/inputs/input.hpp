// SPDX-License-Identifier: MIT
#pragma once
// What an input is: told by its content first, then by its name; --language and --stage decide where neither does.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/result.hpp"
#include "isa/shader_stage.hpp"

namespace heddle::tools {

class Command;

enum class Language : std::uint8_t {
  Visa,       ///< text
  Container,  ///< vISA, .isa
  Spirv,      ///< binary
  SpirvText,
  Glsl,
  Hlsl,
  Job,
};

inline constexpr std::string_view kTargetEnvironment = "vulkan1.3";  ///< where --target-env is not given

/// How sources are read: flags of several commands.
struct SourceOptions {
  std::string language, stage;  ///< empty: found out
  std::string entry;            ///< entry point
  std::vector<std::string> defines, includes;
  std::string target_env{kTargetEnvironment};
};
/// --language, --stage, -D, -I, --target-env; --entry is the command's own.
void source_options(Command& command, SourceOptions& options);

/// The language of a file. Id: input-unknown, for what Heddle does not read.
[[nodiscard]] base::Result<Language> language_of(const std::string& path, std::string_view bytes,
                                                 const SourceOptions& options);
[[nodiscard]] bool is_shader(Language language);
/// A flag of source_options() that has no effect on any of these inputs, and why; empty where each one has.
[[nodiscard]] std::string useless_source_flag(const SourceOptions& options, const std::set<Language>& inputs);
/// For commands that read vISA alone: one message where a file is plainly something else. Id: input-unknown.
[[nodiscard]] base::Result<base::Done> expect_visa(const std::string& path, std::string_view bytes);

/// The stage of GLSL or HLSL: by --stage, the name (.frag, x.vert.hlsl), the text. `wanted`: the stage that is looked
/// for where the text has several or says nothing.
[[nodiscard]] isa::ShaderStage stage_of(const std::string& path, std::string_view text, const SourceOptions& options,
                                        std::optional<isa::ShaderStage> wanted);
/// The function that HLSL begins with: --entry, else main, else the one that the text marks for the stage.
[[nodiscard]] std::string hlsl_entry(std::string_view text, const SourceOptions& options, isa::ShaderStage stage);

}  // namespace heddle::tools
