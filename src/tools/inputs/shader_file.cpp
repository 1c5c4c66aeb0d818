// SPDX-License-Identifier: MIT
#include "tools/inputs/shader_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "spirv/specialization.hpp"
#include "tools/command_line/numbers.hpp"

namespace heddle::tools {
namespace {

constexpr std::uint16_t kOpEntryPoint = 15;

bool is_compiled(Language language) { return language == Language::Glsl || language == Language::Hlsl; }
}  // namespace

ShaderFile read_shader(SourceText source, const SourceOptions& options, const base::Limits& limits) {
  ShaderFile file;
  file.name = source.path == "-" ? "<stdin>" : source.path;
  file.diagnostics = base::Diagnostics(limits.diagnostics);
  const auto keep = [&](base::Result<spirv::Module>&& module) {
    if (module.ok())
      file.module.emplace(std::move(*module));
    else
      for (const base::Diagnostic& d : module.diagnostics()) file.diagnostics.add(d);
  };
  if (is_compiled(source.language)) {
    const auto spv = compile_source(source, options);
    file.source = std::move(source.text);
    if (spv.ok())
      keep(spirv::read_binary(base::as_bytes(*spv), file.name, limits));
    else
      for (const base::Diagnostic& d : spv.diagnostics()) file.diagnostics.add(d);
  } else if (source.language == Language::SpirvText) {
    file.source = source.text;
    keep(spirv::assemble(std::move(source.text), file.name, options.target_env, limits));
  } else {
    keep(spirv::read_binary(base::as_bytes(source.text), file.name, limits));
  }
  return file;
}

base::ExitCode open_shader(SourceText source, const SourceOptions& options, const Common& common, OutputFormat format,
                           ShaderInput& input) {
  const std::string name = source.path == "-" ? "<stdin>" : source.path;
  if (is_compiled(source.language)) {
    auto spv = compile_source(source, options);
    input.glsl = std::make_shared<const std::string>(std::move(source.text));
    if (!spv.ok()) {
      base::Diagnostics found(common.limits.diagnostics);
      for (const base::Diagnostic& d : spv.diagnostics()) found.add(d);
      print_diagnostics(found, name, *input.glsl, format, common.quiet);
      return exit_code(spv.diagnostics());
    }
    source.text = std::move(*spv);
  }
  const heddle::Limits limits = library_limits(common);
  auto shader = source.language == Language::SpirvText
                    ? heddle::Shader::assemble(source.text, name, options.target_env, limits)
                    : heddle::Shader::read(base::as_bytes(source.text), name, limits);
  if (!shader.ok()) {
    print_diagnostics(shader.diagnostics(), format, common.quiet);
    return exit_code(shader.diagnostics());
  }
  input.shader.emplace(std::move(*shader));
  return base::ExitCode::Done;
}

std::variant<std::int64_t, double, bool> specialization_value(const job::Scalar& scalar) {
  switch (scalar.kind) {
    case job::Scalar::Kind::Integer:
      if (scalar.big) return scalar.as_real();  // a float may hold it
      return scalar.integer;
    case job::Scalar::Kind::Real:
      return scalar.real;
    case job::Scalar::Kind::Boolean:
      return scalar.integer != 0;
    case job::Scalar::Kind::Bits:
      break;
  }
  return static_cast<std::int64_t>(scalar.bits);
}

EntryChoice choose_entry(const spirv::Module& module, const std::string& name, const std::string& stage,
                         std::optional<isa::ShaderStage> wanted) {
  if (const auto given = isa::stage_of_word(stage)) return {name, given};
  const bool has = wanted && std::ranges::any_of(module.instructions, [&](const spirv::Instruction& i) {
                     return i.opcode == kOpEntryPoint && i.operands.size() >= 3 &&
                            isa::stage_of_model(i.operands[0]) == wanted &&
                            (name.empty() || spirv::Module::string_at(i.operands, 2) == name);
                   });
  return {name, has ? wanted : std::nullopt};
}

std::optional<base::Diagnostic> entry_problem(const std::vector<EntryPoint>& all, const std::string& file,
                                              const std::string& name, const std::string& stage) {
  const auto given = find_stage(stage);
  const auto fits = [&](const EntryPoint& e) {
    return (name.empty() || e.name == name) && (!given || e.stage == *given);
  };
  if (std::ranges::any_of(all, fits)) return std::nullopt;
  base::Diagnostic d = base::error("compile-entry",
                                   fmt::format("the module has no entry point{}{}{}", given ? " of stage " : "",
                                               given ? stage : "", name.empty() ? "" : fmt::format(" '{}'", name)),
                                   base::Place::in_file(file));
  std::string names;
  for (const EntryPoint& e : all)
    names += fmt::format("{}'{}' ({})", names.empty() ? "" : ", ", e.name,
                         e.stage == Stage::Other ? "another stage" : stage_name(e.stage));
  if (!names.empty()) d.note("it has " + names);
  return d;
}

namespace {

/// A constant by the bits of its type (0x3f800000), or by a number above those with a sign. What is wrong, or nothing.
std::string specialize_by_bits(const spirv::Module& module, std::uint32_t id, const job::Scalar& scalar,
                               std::vector<spirv::Specialization>& result) {
  const bool number = scalar.kind != job::Scalar::Kind::Bits;
  const std::uint64_t bits = number ? static_cast<std::uint64_t>(scalar.integer) : scalar.bits;
  for (const spirv::ConstantBits& c : spirv::constants_of(module, id)) {
    if (number && !c.is_unsigned_long) return spirv::specialization_problem(module, id, scalar.as_real());
    if (c.bits < 64 && bits >> c.bits != 0)
      return fmt::format("specialization constant {} has {} bit{}, and 0x{:x} more", id, c.bits, c.bits == 1 ? "" : "s",
                         bits);
    result.push_back({id, spirv::value_of_bits(module, *c.constant, bits), c.constant->result});
  }
  return {};
}

}  // namespace

std::vector<spirv::Specialization> specialization_of(const spirv::Module& module,
                                                     const std::vector<job::Argument>& arguments,
                                                     base::Diagnostics& diagnostics, std::vector<std::string>& taken) {
  std::vector<spirv::Specialization> result;
  const auto known = spirv::specialization_constants(module);
  for (const job::Argument& a : arguments) {
    if (!a.key.text.starts_with("spec.")) continue;
    const auto constant = spirv::find_constant(known, std::string_view(a.key.text).substr(5));
    if (!constant) continue;
    taken.push_back(a.key.text);
    if (a.values.size() != 1 || a.is_vector) {
      diagnostics.add(
          base::error("bind-type", fmt::format("'{}' takes one integer, float or boolean", a.key.text), a.key.place));
      continue;
    }
    std::string problem;
    const job::Scalar& scalar = a.values[0];
    if (scalar.kind == job::Scalar::Kind::Bits || scalar.big) {
      problem = specialize_by_bits(module, *constant, scalar, result);
    } else {
      const auto value = specialization_value(scalar);
      problem = spirv::specialization_problem(module, *constant, value);
      if (problem.empty()) result.push_back({*constant, value});
    }
    if (!problem.empty()) diagnostics.add(base::error("compile-specialization", std::move(problem), a.key.place));
  }
  return result;
}

std::string_view given_layout(const LayoutRules& layout) {
  if (layout.scalar) return "--scalar-layout";
  if (layout.relaxed) return "--relaxed-layout";
  if (layout.uniform_standard) return "--uniform-standard-layout";
  return layout.workgroup_scalar ? "--workgroup-scalar-layout" : "";
}

void layout_options(Command& command, LayoutRules& layout) {
  command.flag("--scalar-layout", layout.scalar, "SPIR-V blocks may have Vulkan's scalar layout");
  command.flag("--relaxed-layout", layout.relaxed, "and relaxed layout before vulkan1.1");
  command.flag("--uniform-standard-layout", layout.uniform_standard,
               "uniform blocks may be laid out as storage blocks");
  command.flag("--workgroup-scalar-layout", layout.workgroup_scalar, "Workgroup blocks may have scalar layout");
}

}  // namespace heddle::tools
