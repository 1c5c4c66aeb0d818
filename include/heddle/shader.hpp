// SPDX-License-Identifier: MIT
#pragma once
// Shaders: SPIR-V modules, checked and compiled to vISA programs.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "heddle/program.hpp"

namespace heddle {

/// Value of a specialization constant: OpDecorate SpecId `id`.
struct Specialization {
  std::uint32_t id = 0;
  std::variant<std::int64_t, double, bool> value;
};

/// Layouts of blocks beyond those of the target environment. A module cannot ask for them: the API that runs it has
/// them switched on (Vulkan's scalarBlockLayout and its kin).
struct LayoutRules {
  bool scalar = false;            ///< Vulkan's scalar layout
  bool relaxed = false;           ///< relaxed layout before Vulkan 1.1
  bool uniform_standard = false;  ///< uniform blocks may be laid out as storage blocks
  bool workgroup_scalar = false;  ///< Workgroup blocks may have scalar layout
};

/// Of an entry point: its execution model.
enum class Stage : std::uint8_t {
  Vertex,
  Fragment,
  Compute,
  Geometry,
  TessellationControl,
  TessellationEvaluation,
  Task,
  Mesh,
  Other
};
[[nodiscard]] std::string_view stage_name(Stage stage);  ///< "vertex"; "other"
/// Words of the stages that compile() takes, as in flags and file names: "vert" ...; and the stage of such a word.
[[nodiscard]] std::vector<std::string_view> stage_words();
[[nodiscard]] std::optional<Stage> find_stage(std::string_view word);

struct CompileOptions {
  std::string entry;             ///< entry point; empty: the only one
  std::optional<Stage> stage;    ///< of the entry point: entry points of several stages may have one name
  std::string platform = "SKL";  ///< that the program is for
  unsigned simd = 16;            ///< lanes of a thread: 8, 16 or 32
  std::vector<Specialization> specialization;
  std::string target_environment = "vulkan1.3";  ///< "vulkan1.0" ... "vulkan1.3", "universal1.0" ... "universal1.6"
  bool portable = false;                         ///< footprints as plain vISA in place of Heddle's own instruction
  bool lenient = false;  ///< accept footprint instructions that producers write against the rules
  LayoutRules layout;    ///< that blocks may follow
  Limits limits;
};

struct ShaderCheckOptions {
  std::string target_environment = "vulkan1.3";  ///< as in CompileOptions
  LayoutRules layout;                            ///< as in CompileOptions
  bool lenient = false;                          ///< as in CompileOptions; what is assumed is a warning
  Limits limits;
};

struct EntryPoint {
  std::string name;
  Stage stage = Stage::Other;
};

/// A constant that compile() may be given a value for.
struct SpecializationConstant {
  std::uint32_t id = 0;
  std::string name;  ///< in the source; empty where the module does not say
};

/// A rule of SPV_NV_shader_image_footprint that check() applies.
struct FootprintRule {
  std::string_view id;         ///< of its diagnostics: "spirv-footprint-coarse"
  std::string_view rule;       ///< in the rule book: "R18"
  std::string_view statement;  ///< what holds
  std::string_view source;     ///< where it says so
};
[[nodiscard]] std::vector<FootprintRule> footprint_rules();

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
  /// Reads a file, "-" for standard input: .spvasm is text, all others a binary module. Ids: file-open, file-read,
  /// limit-input, and the above.
  static Result<Shader> load(const std::string& path, const Limits& limits = {});

  /// Findings of SPIRV-Tools' validator and of footprint_rules(). Id usage-argument stands for an unknown target
  /// environment.
  [[nodiscard]] Diagnostics check(const ShaderCheckOptions& options = {}) const;
  /// Entry points in the order of the module, and the SpecIds of its specialization constants, ascending.
  [[nodiscard]] std::vector<EntryPoint> entry_points() const;
  [[nodiscard]] std::vector<std::uint32_t> specialization_ids() const;
  [[nodiscard]] std::vector<SpecializationConstant> specialization_constants() const;
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
