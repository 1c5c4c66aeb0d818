// SPDX-License-Identifier: MIT
// Rules: SPV-36.
#include "spirv/assembly_lines.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>
#include <spirv/unified1/spirv.hpp>

namespace heddle::spirv {
namespace {

/// The string of an OpString; empty where the id is none.
std::string string_of(const Module& module, std::uint32_t id) {
  const Instruction* i = module.find(id);
  return i != nullptr && i->opcode == spv::OpString ? Module::string_at(i->operands, 0) : std::string();
}

/// OpSource: language, version, file, text; OpSourceContinued has more of the text.
void read_source(const Module& module, const Instruction& i, std::vector<ModuleSource>& sources) {
  constexpr std::size_t kFile = 2, kText = 3;
  if (i.operands.size() > kText)
    sources.push_back({string_of(module, i.operands[kFile]), Module::string_at(i.operands, kText)});
}

/// DebugSource: the set, its number, file, text.
void read_debug_source(const Module& module, const Instruction& i, std::vector<ModuleSource>& sources) {
  constexpr std::size_t kFile = 2, kText = 3;
  if (i.operands.size() > kText)
    sources.push_back({string_of(module, i.operands[kFile]), string_of(module, i.operands[kText])});
}

/// Behind the line that it begins in: a line feed in a string stands there as it is.
std::size_t line_behind(std::string_view text, std::size_t at) {
  bool quoted = false;
  for (; at < text.size(); ++at) {
    if (quoted && text[at] == '\\')
      ++at;
    else if (text[at] == '"')
      quoted = !quoted;
    else if (text[at] == '\n' && !quoted)
      return at + 1;
  }
  return text.size();
}

}  // namespace

bool has_source_lines(const Module& module) {
  return std::ranges::any_of(module.instructions, [](const Instruction& i) { return i.source_line != 0; });
}

bool take_assembly_lines(Module& module) {
  if (!module.text.empty() || has_source_lines(module)) return false;
  auto text = disassemble(module);
  if (!text.ok()) return false;
  // Comments stand in front; then each instruction has a line, or more where its string has.
  std::uint32_t line = 1;
  std::size_t at = 0;
  for (; at < text->size() && (*text)[at] == ';'; ++line) at = text->find('\n', at) + 1;
  for (Instruction& i : module.instructions) {
    i.line = line;
    i.column = 1;
    const std::size_t next = line_behind(*text, at);
    line += static_cast<std::uint32_t>(std::count(text->begin() + static_cast<std::ptrdiff_t>(at),
                                                  text->begin() + static_cast<std::ptrdiff_t>(next), '\n'));
    at = next;
  }
  module.text = std::move(*text);
  module.file += ".spvasm";
  return true;
}

std::vector<ModuleSource> carried_sources(const Module& module) {
  std::vector<ModuleSource> sources;
  std::uint32_t set = 0;
  for (const Instruction& i : module.instructions) {
    if (i.opcode == spv::OpSource) read_source(module, i, sources);
    if (i.opcode == spv::OpSourceContinued && !sources.empty()) sources.back().text += Module::string_at(i.operands, 0);
    if (i.opcode == spv::OpExtInstImport && Module::string_at(i.operands, 0) == "NonSemantic.Shader.DebugInfo.100")
      set = i.result;
    if (i.opcode == spv::OpExtInst && set != 0 && i.operands.size() > 1 && i.operands[0] == set &&
        i.operands[1] == NonSemanticShaderDebugInfo100DebugSource)
      read_debug_source(module, i, sources);
  }
  std::erase_if(sources, [](const ModuleSource& s) { return s.text.empty(); });
  return sources;
}

}  // namespace heddle::spirv
