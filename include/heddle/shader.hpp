#pragma once
// Shaders: SPIR-V modules, checked and compiled to vISA programs.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "heddle/program.hpp"

namespace heddle {

/// Value of a specialization constant: OpDecorate SpecId `id`.
struct Specialization {
  std::uint32_t id = 0;
  std::variant<std::int64_t, double, bool> value;
};

struct CompileOptions {
  std::string entry;             ///< entry point; empty: the only one
  std::string platform = "SKL";  ///< that the program is for
  unsigned simd = 16;            ///< lanes of a thread: 8, 16 or 32
  std::vector<Specialization> specialization;
  std::string target_environment = "vulkan1.3";  ///< "vulkan1.0" ... "vulkan1.3", "universal1.0" ... "universal1.6"
  bool portable = false;                         ///< footprints as plain vISA in place of Heddle's own instruction
  bool lenient = false;  ///< accept footprint instructions that producers write against the rules
  Limits limits;
};

/// A SPIR-V module. A handle: copies share what never changes.
class Shader {
 public:
  /// Reads a binary module of either byte order. Ids: spirv-magic, spirv-truncated, spirv-word-count, spirv-bound,
  /// spirv-id, spirv-version, limit-*.
  static Result<Shader> read(std::span<const std::uint8_t> bytes, const std::string& file, const Limits& limits = {});
  static Result<Shader> read(std::span<const std::uint32_t> words, const std::string& file, const Limits& limits = {});
  /// Assembles text (.spvasm). Ids: spirv-assembly, usage-argument (target environment), and those of read().
  static Result<Shader> assemble(const std::string& text, const std::string& file,
                                 const std::string& target_environment = "vulkan1.3", const Limits& limits = {});
  /// Reads a file: .spvasm is text, all others a binary module. Ids: file-open, file-read, limit-input, and the above.
  static Result<Shader> load(const std::string& path, const Limits& limits = {});

  /// Findings of SPIRV-Tools' validator and of the rules of footprint instructions. Id usage-argument stands for an
  /// unknown target environment.
  [[nodiscard]] Diagnostics check(const std::string& target_environment = "vulkan1.3") const;
  /// Compiles one entry point; run the program by heddle/run.hpp. Bindings go by the shader's own names or
  /// "set.binding". The program's text is `source()` of the result, what the compiler warns of its `warnings()`. Ids:
  /// those of check(), compile-entry, compile-specialization, compile-unsupported, compile-limit, usage-argument.
  Result<Program> compile(const CompileOptions& options = {}) const;
  /// Assembly text of the module. Id: spirv-assembly.
  Result<std::string> disassemble() const;

  struct Impl;  ///< of the library
  explicit Shader(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace heddle
