// SPDX-License-Identifier: MIT
// Rules: SPV-52, TES-11.
#include "spirv/compile/compile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <spirv/unified1/spirv.hpp11>

#include "spirv/compile/core/context.hpp"
#include "spirv/compile/output_check.hpp"
#include "spirv/compile/stages/input_room.hpp"
#include "spirv/compile/walk/translation.hpp"
#include "spirv/names.hpp"
#include "spirv/specialization.hpp"
#include "spirv/validate.hpp"

namespace heddle::spirv {
namespace {

bool is_compiled(std::uint32_t model) {
  const auto stage = isa::stage_of_model(model);
  return stage && isa::stage_info(*stage).compiled;
}

/// As messages say it: of stages that are not compiled, SPIR-V's word.
std::string shown_model(std::uint32_t model) {
  return is_compiled(model) ? std::string(isa::stage_info(*isa::stage_of_model(model)).name)
                            : execution_model_name(model);
}

/// The entry point that is meant; errors say which there are.
const Instruction* choose(const Module& module, const CompileOptions& options, base::Diagnostics& diagnostics) {
  std::vector<const Instruction*> all, fitting;
  std::string names;
  for (const Instruction& i : module.instructions) {
    if (static_cast<spv::Op>(i.opcode) != spv::Op::OpEntryPoint || i.operands.size() < 3) continue;
    const std::string name = Module::string_at(i.operands, 2);
    all.push_back(&i);
    names += fmt::format("{}'{}' ({})", names.empty() ? "" : ", ", name, shown_model(i.operands[0]));
    if (options.stage && isa::stage_of_model(i.operands[0]) != options.stage) continue;
    if (options.entry.empty() ? is_compiled(i.operands[0]) : name == options.entry) fitting.push_back(&i);
  }
  if (fitting.size() == 1) return fitting[0];
  base::Diagnostic d = base::error("compile-entry", "", base::Place::in_file(module.file));
  const std::string stage =
      options.stage ? shown_model(isa::stage_info(*options.stage).execution_model) : std::string();
  const std::string of_stage = stage.empty() ? stage : " of stage " + stage;
  if (all.empty())
    d.message = "the module has no entry point";
  else if (fitting.empty() && options.entry.empty())
    d.message = stage.empty() ? fmt::format("the module has no {} shader", isa::compiled_stage_names("or"))
                              : "the module has no entry point" + of_stage;
  else if (fitting.empty())
    d.message = fmt::format("no entry point{} is called '{}'", of_stage, options.entry);
  else if (options.entry.empty())
    d.message = fmt::format("the module has several entry points{}: one must be named", of_stage);
  else
    d.message = fmt::format("several entry points{} are called '{}'", of_stage, options.entry);
  if (fitting.size() > 1 && stage.empty())
    d.note("a stage chooses among them, too: --stage " + isa::compiled_stage_words("or"));
  if (!names.empty()) d.note("it has " + names);
  diagnostics.add(std::move(d));
  return nullptr;
}

void check_specialization(const Module& module, const CompileOptions& options, base::Diagnostics& diagnostics) {
  const auto known = specialization_constants(module);
  for (const Specialization& s : options.specialization)
    if (!find_constant(known, std::to_string(s.id)))
      diagnostics.add(base::error("compile-specialization",
                                  fmt::format("the shader has no specialization constant {}", s.id),
                                  base::Place::in_file(module.file))
                          .note(list_of(known)));
  // A value that somebody gives for one constant by its result id are that constant's bits.
  for (const Specialization& s : options.specialization)
    if (s.constant == 0)
      if (std::string problem = specialization_problem(module, s.id, s.value); !problem.empty())
        diagnostics.add(base::error("compile-specialization", std::move(problem), base::Place::in_file(module.file)));
}

/// What stands in a comment stays in its line.
std::string one_line(std::string_view text) {
  std::string out(text.substr(0, 300));
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == '\\') c = ' ';
  return out;
}

/// TES-11: the invocations of a patch stand in one thread.
unsigned lanes_for(const Module& module, const Instruction& entry, unsigned asked) {
  if (entry.operands[0] != isa::stage_info(isa::ShaderStage::TessellationControl).execution_model) return asked;
  for (const Instruction& i : module.instructions)
    if (static_cast<spv::Op>(i.opcode) == spv::Op::OpExecutionMode && i.operands.size() > 2 &&
        i.operands[0] == entry.operands[1] &&
        static_cast<spv::ExecutionMode>(i.operands[1]) == spv::ExecutionMode::OutputVertices)
      while (asked < std::min<std::uint32_t>(i.operands[2], 32)) asked *= 2;
  return asked;
}

/// SPV-52: `options.simd` becomes the number of lanes whose inputs have room. Null where the shader is refused.
std::unique_ptr<compiler::ShaderContext> translate(const Module& module, const Instruction& entry,
                                                   CompileOptions& options, base::Diagnostics& diagnostics) {
  const base::Diagnostics before = diagnostics;
  for (;; options.simd /= 2) {
    auto t = std::make_unique<compiler::ShaderContext>(module, options, diagnostics);
    const bool done = compiler::translate(*t, entry);
    if (compiler::inputs_fit(*t) || options.simd == 8) return done ? std::move(t) : nullptr;
    diagnostics = before;
  }
}

}  // namespace

base::Result<Compiled> compile(const Module& module, const CompileOptions& asked, base::Diagnostics& warnings) {
  CompileOptions options = asked;
  base::Diagnostics diagnostics;
  ValidateOptions checks;
  checks.target_env = options.target_env;
  checks.layout = options.layout;
  checks.lenient = options.lenient;
  validate(module, checks, diagnostics);
  const auto failed = [&] { return base::Failure(diagnostics.all()); };
  if (diagnostics.has_errors()) return failed();
  if (options.simd != 8 && options.simd != 16 && options.simd != 32)
    diagnostics.add(base::error("compile-unsupported",
                                fmt::format("SIMD {}: shaders are compiled for 8, 16 or 32 lanes", options.simd)));
  check_specialization(module, options, diagnostics);
  const Instruction* entry = choose(module, options, diagnostics);
  if (entry == nullptr || diagnostics.has_errors()) return failed();
  options.simd = lanes_for(module, *entry, options.simd);
  const std::unique_ptr<compiler::ShaderContext> translated = translate(module, *entry, options, diagnostics);
  if (translated == nullptr) return failed();
  compiler::ShaderContext& t = *translated;
  warnings.append(diagnostics);
  Compiled c;
  c.kernel = t.entry.name;
  c.uses_extension = t.uses_extension;
  std::string header = fmt::format(
      "// {} shader '{}' of {}, for {} lanes on {}.\n", isa::stage_info(t.entry.stage).name, one_line(t.entry.name),
      module.file.empty() ? "a module" : one_line(module.file.substr(module.file.rfind('/') + 1)), options.simd,
      isa::platform_info(options.platform).name);
  if (t.uses_extension)
    header +=
        "// Contains instructions of Heddle's own, which Intel's tools do not know: heddle_footprint (compile with "
        "--portable for plain vISA), or samples with offsets for each lane before XE2.\n";
  c.text = t.b.text(c.kernel, header);
  if (options.check_output && !compiler::check_output(c.text, module.file, options.platform, diagnostics))
    return failed();
  return c;
}

}  // namespace heddle::spirv
