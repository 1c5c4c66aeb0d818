// SPDX-License-Identifier: MIT
#include "layer/rewriter/library.hpp"

#include <spirv/unified1/spirv.hpp>

#include <algorithm>
#include <set>
#include <unordered_map>

namespace heddle::layer {
namespace {

constexpr std::uint32_t kWords[] = {
#include "layer/rewriter/functions.inc"
};

const Module& library() {
  static const Module module = *Module::read(kWords);
  return module;
}

/// A literal, not an id: of the operations that functions.inc has.
bool is_literal(const Instruction& i, std::size_t at) {
  switch (i.opcode()) {
    case spv::OpTypeInt:
    case spv::OpTypeFloat:
      return true;
    case spv::OpTypeVector:
    case spv::OpConstant:
    case spv::OpVariable:
    case spv::OpFunction:
    case spv::OpLoopMerge:
      return at == 3;
    case spv::OpTypePointer:
    case spv::OpSelectionMerge:
      return at == 2;
    case spv::OpDecorate:
      return at >= 2;
    case spv::OpCompositeExtract:
    case spv::OpExtInst:
      return i.opcode() == spv::OpExtInst ? at == 4 : at >= 4;
    default:
      return false;
  }
}

/// The instructions of a function, by its id.
std::map<std::uint32_t, std::span<const Instruction>> read_functions() {
  std::map<std::uint32_t, std::span<const Instruction>> found;
  const auto all = std::span(library().instructions());
  for (std::size_t first = library().functions(); first < all.size();) {
    std::size_t end = first;
    while (all[end].opcode() != spv::OpFunctionEnd) ++end;
    found[all[first].result] = all.subspan(first, end + 1 - first);
    first = end + 1;
  }
  return found;
}

/// Name without its parameters -> id.
std::map<std::string, std::uint32_t, std::less<>> read_names() {
  std::map<std::string, std::uint32_t, std::less<>> names;
  for (const Instruction& i : std::span(library().instructions()).first(library().types())) {
    if (i.opcode() != spv::OpName) continue;
    std::string name;
    for (const std::uint32_t word : i.words.subspan(2))
      for (unsigned shift = 0; shift < 32; shift += 8) name.push_back(static_cast<char>(word >> shift & 0xffu));
    names[name.substr(0, name.find('('))] = i.word(1);
  }
  return names;
}

class Linker {
 public:
  explicit Linker(ModuleWriter& writer) : writer_(writer), functions_(read_functions()) {}

  void need(std::uint32_t function) {
    if (!needed_.insert(function).second) return;
    for (const Instruction& i : functions_.at(function))
      if (i.opcode() == spv::OpFunctionCall) need(i.word(3));
  }

  /// Once everything that is needed is known.
  void run() {
    const auto all = std::span(library().instructions());
    for (const Instruction& i : all.first(library().types()))
      if (i.opcode() == spv::OpExtInstImport) ids_[i.result] = writer_.glsl();
    for (const Instruction& i : all.subspan(library().types(), library().functions() - library().types()))
      write_global(i);
    for (const std::uint32_t function : needed_)
      for (const Instruction& i : functions_.at(function)) write(writer_.functions, i);
    for (const Instruction& i : all.first(library().types()))
      if (i.opcode() == spv::OpDecorate && ids_.count(i.word(1)) != 0) write(writer_.annotations, i);
  }

  [[nodiscard]] std::uint32_t id(std::uint32_t old) {
    const auto [at, added] = ids_.emplace(old, 0);
    if (added) at->second = writer_.new_id();
    return at->second;
  }

 private:
  [[nodiscard]] Words operands(const Instruction& i, std::size_t first) {
    Words words;
    for (std::size_t at = first; at < i.words.size(); ++at)
      words.push_back(is_literal(i, at) ? i.words[at] : id(i.words[at]));
    return words;
  }

  void write_global(const Instruction& i) {
    if (i.type == 0)
      ids_[i.result] = writer_.type(i.opcode(), operands(i, 2));
    else
      write(writer_.globals, i);
  }

  void write(Words& section, const Instruction& i) { ModuleWriter::put(section, i.opcode(), operands(i, 1)); }

  ModuleWriter& writer_;
  std::map<std::uint32_t, std::span<const Instruction>> functions_;
  std::set<std::uint32_t> needed_;
  std::unordered_map<std::uint32_t, std::uint32_t> ids_;
};

}  // namespace

LinkedFunctions link_functions(ModuleWriter& writer, std::span<const std::string_view> wanted) {
  const auto names = read_names();
  Linker linker(writer);
  for (const std::string_view name : wanted) linker.need(names.find(name)->second);
  linker.run();
  LinkedFunctions linked;
  for (const std::string_view name : wanted) {
    const std::uint32_t old = names.find(name)->second;
    linked.emplace(name, LinkedFunction{linker.id(old), linker.id(library().type_of(old))});
  }
  return linked;
}

}  // namespace heddle::layer
