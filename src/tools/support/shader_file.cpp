#include "tools/support/shader_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/byte_cursor.hpp"
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
                                                     const std::vector<dispatch::Argument>& arguments,
                                                     base::Diagnostics& diagnostics) {
  std::vector<spirv::Specialization> result;
  const std::set<std::uint32_t> known = spec_ids(module);
  for (const dispatch::Argument& a : arguments) {
    const auto id = spec_id(a.key.text);
    if (!id || !known.contains(*id)) continue;
    if (a.values.size() != 1 || a.is_vector) {
      diagnostics.add(
          base::error("bind-type", fmt::format("'{}' takes one integer, float or boolean", a.key.text), a.key.place));
      continue;
    }
    const dispatch::Scalar& s = a.values[0];
    spirv::Specialization value{*id, std::int64_t{0}};
    switch (s.kind) {
      case dispatch::Scalar::Kind::Integer:
        value.value = s.integer;
        break;
      case dispatch::Scalar::Kind::Real:
        value.value = s.real;
        break;
      case dispatch::Scalar::Kind::Boolean:
        value.value = s.integer != 0;
        break;
      case dispatch::Scalar::Kind::Bits:
        value.value = static_cast<std::int64_t>(s.bits);
        break;
    }
    result.push_back(value);
  }
  return result;
}

}  // namespace heddle::tools
