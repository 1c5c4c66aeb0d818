#include "tools/support/shader_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "tools/support/numbers.hpp"

namespace heddle::tools {
namespace {

constexpr std::uint16_t kOpEntryPoint = 15, kOpDecorate = 71;
constexpr std::uint32_t kSpecId = 1;

std::set<std::uint32_t> spec_ids(const spirv::Module& module) {
  std::set<std::uint32_t> ids;
  for (const spirv::Instruction& i : module.instructions)
    if (i.opcode == kOpDecorate && i.operands.size() >= 3 && i.operands[1] == kSpecId) ids.insert(i.operands[2]);
  return ids;
}

}  // namespace

bool is_glsl(const std::string& path) {
  return path.ends_with(".comp") || path.ends_with(".frag") || path.ends_with(".vert");
}

bool is_shader(const std::string& path, std::string_view bytes) {
  return is_glsl(path) || path.ends_with(".spvasm") || bytes.starts_with(std::string_view("\x03\x02\x23\x07", 4)) ||
         bytes.starts_with(std::string_view("\x07\x23\x02\x03", 4)) ||
         (path.ends_with(".spv") && !bytes.starts_with("CISA"));
}

ShaderFile read_shader(const std::string& path, std::string bytes, const std::string& target_env,
                       const base::Limits& limits) {
  ShaderFile file;
  file.name = path == "-" ? "<stdin>" : path;
  file.diagnostics = base::Diagnostics(limits.diagnostics);
  const auto keep = [&](base::Result<spirv::Module>&& module) {
    if (module.ok())
      file.module.emplace(std::move(*module));
    else
      for (const base::Diagnostic& d : module.diagnostics()) file.diagnostics.add(d);
  };
  if (is_glsl(path)) {
    file.source = std::move(bytes);
    const auto spv = compile_glsl(path, target_env);
    if (spv.ok())
      keep(spirv::read_binary(base::as_bytes(*spv), file.name, limits));
    else
      for (const base::Diagnostic& d : spv.diagnostics()) file.diagnostics.add(d);
  } else if (path.ends_with(".spvasm")) {
    file.source = bytes;
    keep(spirv::assemble(std::move(bytes), file.name, target_env, limits));
  } else {
    keep(spirv::read_binary(base::as_bytes(bytes), file.name, limits));
  }
  return file;
}

base::ExitCode open_shader(const std::string& path, const std::string& target_env, const Common& common,
                           OutputFormat format, ShaderInput& input) {
  auto bytes = base::read_text(path, common.limits);
  if (!bytes) {
    print_diagnostics(bytes.diagnostics());
    return exit_code(bytes.diagnostics());
  }
  if (is_glsl(path)) {
    const auto spv = compile_glsl(path, target_env);
    input.glsl = std::make_shared<const std::string>(std::move(*bytes));
    if (!spv.ok()) {
      base::Diagnostics found(common.limits.diagnostics);
      for (const base::Diagnostic& d : spv.diagnostics()) found.add(d);
      print_diagnostics(found, path, *input.glsl, format, common.quiet);
      return exit_code(spv.diagnostics());
    }
    *bytes = *spv;
  }
  const std::string name = path == "-" ? "<stdin>" : path;
  const heddle::Limits limits = library_limits(common);
  auto shader = path.ends_with(".spvasm") ? heddle::Shader::assemble(*bytes, name, target_env, limits)
                                          : heddle::Shader::read(base::as_bytes(*bytes), name, limits);
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

std::optional<std::uint32_t> spec_id(std::string_view key) {
  return key.starts_with("spec.") ? parse_number<std::uint32_t>(key.substr(5)) : std::nullopt;
}

std::string entry_of(const spirv::Module& module, const std::string& wanted, ShaderModel model) {
  if (!wanted.empty() || model == ShaderModel::Any) return wanted;
  const std::uint32_t number = model == ShaderModel::Vertex ? 0 : model == ShaderModel::Fragment ? 4 : 5;
  std::string found;
  for (const spirv::Instruction& i : module.instructions) {
    if (i.opcode != kOpEntryPoint || i.operands.size() < 3 || i.operands[0] != number) continue;
    if (!found.empty()) return {};
    found = spirv::Module::string_at(i.operands, 2);
  }
  return found;
}

std::vector<spirv::Specialization> specialization_of(const spirv::Module& module,
                                                     const std::vector<job::Argument>& arguments,
                                                     base::Diagnostics& diagnostics) {
  std::vector<spirv::Specialization> result;
  const std::set<std::uint32_t> known = spec_ids(module);
  for (const job::Argument& a : arguments) {
    const auto id = spec_id(a.key.text);
    if (!id || !known.contains(*id)) continue;
    if (a.values.size() != 1 || a.is_vector) {
      diagnostics.add(
          base::error("bind-type", fmt::format("'{}' takes one integer, float or boolean", a.key.text), a.key.place));
      continue;
    }
    result.push_back({*id, specialization_value(a.values[0])});
  }
  return result;
}

void layout_options(Command& command, LayoutRules& layout) {
  command.flag("--scalar-layout", layout.scalar, "SPIR-V blocks may have Vulkan's scalar layout");
  command.flag("--relaxed-layout", layout.relaxed, "and relaxed layout before vulkan1.1");
  command.flag("--uniform-standard-layout", layout.uniform_standard,
               "uniform blocks may be laid out as storage blocks");
  command.flag("--workgroup-scalar-layout", layout.workgroup_scalar, "Workgroup blocks may have scalar layout");
}

}  // namespace heddle::tools
