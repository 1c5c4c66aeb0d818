#pragma once
// Shaders as programs: SPIR-V, its assembly, or GLSL through glslangValidator; compiled to vISA text.

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
#include "tools/support/flags.hpp"
#include "tools/support/visa_file.hpp"

namespace heddle::tools {

/// SPIR-V execution models.
enum class ShaderModel : std::uint8_t { Any, Vertex, Fragment, Compute };

struct ShaderFile {
  std::string name;    ///< for messages
  std::string source;  ///< what text places refer to: GLSL or assembly
  std::optional<spirv::Module> module;
  base::Diagnostics diagnostics;
};

/// By name (.comp .frag .vert .spv .spvasm) or by SPIR-V's magic.
[[nodiscard]] bool is_shader(const std::string& path, std::string_view bytes);
[[nodiscard]] bool is_glsl(const std::string& path);

/// Reads a module from bytes of a file. Ids: those of spirv::assemble and read_binary, glsl-compiler, glsl-error.
[[nodiscard]] ShaderFile read_shader(const std::string& path, std::string bytes, const std::string& target_env,
                                     const base::Limits& limits);

/// A shader as the library has it.
struct ShaderInput {
  std::optional<heddle::Shader> shader;
  std::shared_ptr<const std::string> glsl;  ///< the text that places refer to, where it was compiled from GLSL
};
/// Reads a file as read_shader does. A failure is printed, and its exit code returned.
[[nodiscard]] base::ExitCode open_shader(const std::string& path, const std::string& target_env, const Common& common,
                                         OutputFormat format, ShaderInput& input);

/// The value of a specialization constant.
[[nodiscard]] std::variant<std::int64_t, double, bool> specialization_value(const job::Scalar& scalar);

/// The entry point of a model: `wanted`, or the only one. Empty when there is none or several (compile() says so).
[[nodiscard]] std::string entry_of(const spirv::Module& module, const std::string& wanted, ShaderModel model);

/// N of "spec.N".
[[nodiscard]] std::optional<std::uint32_t> spec_id(std::string_view key);

/// Arguments "spec.N" as values of the specialization constants that the module has. The others stay in `left`.
[[nodiscard]] std::vector<spirv::Specialization> specialization_of(const spirv::Module& module,
                                                                   const std::vector<job::Argument>& arguments,
                                                                   base::Diagnostics& diagnostics);

/// The flags of layouts that a module cannot ask for: --scalar-layout ...
void layout_options(Command& command, LayoutRules& layout);

/// SPIR-V of GLSL text through glslangValidator. Ids: glsl-compiler (not installed), glsl-error.
[[nodiscard]] base::Result<std::string> compile_glsl(const std::string& path, const std::string& target_env);

}  // namespace heddle::tools
