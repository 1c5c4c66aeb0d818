// SPDX-License-Identifier: MIT
#include "spirv/module.hpp"

#include <fmt/format.h>

#include "spirv/newer_opcodes.hpp"
#include "spirv/typed_pointers.hpp"

#define SPV_ENABLE_UTILITY_CODE
#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>
#include <spirv/unified1/spirv.hpp>

namespace heddle::spirv {
namespace {

std::uint32_t swap(std::uint32_t w) { return w >> 24 | (w >> 8 & 0xff00u) | (w << 8 & 0xff0000u) | w << 24; }

base::Diagnostic at_word(const std::string& file, std::size_t word, const char* id, std::string message) {
  return base::error(id, std::move(message), base::Place::binary(file, word * 4, 4));
}

}  // namespace

std::string Module::source_file(const Instruction& instruction) const {
  const Instruction* string = find(instruction.source_file);
  return string != nullptr && string->opcode == spv::OpString ? string_at(string->operands, 0) : std::string();
}

const Instruction* Module::find(std::uint32_t id) const {
  const auto at = definition.find(id);
  return at == definition.end() ? nullptr : &instructions[at->second];
}

std::string Module::id_name(std::uint32_t id) const {
  const auto at = names.find(id);
  return at == names.end() || at->second.empty() ? fmt::format("%{}", id) : "%" + at->second;
}

std::uint32_t Module::type_of(std::uint32_t id) const {
  const Instruction* instruction = find(id);
  return instruction == nullptr ? 0 : instruction->type;
}

std::string Module::string_at(std::span<const std::uint32_t> operands, std::size_t first) {
  std::string text;
  for (std::size_t i = first; i < operands.size(); ++i)
    for (unsigned k = 0; k < 4; ++k) {
      const char c = static_cast<char>(operands[i] >> (8 * k));
      if (c == '\0') return text;
      text += c;
    }
  return text;
}

namespace {

/// A damaged module may have types that contain themselves: `depth` ends the words.
std::string type_words(const Module& module, std::uint32_t type_id, unsigned depth) {
  const Instruction* t = depth == 0 ? nullptr : module.find(type_id);
  if (t == nullptr) return "nothing";
  const auto operand = [&](std::size_t i) { return i < t->operands.size() ? t->operands[i] : 0; };
  switch (t->opcode) {
    case spv::OpTypeVoid:
      return "void";
    case spv::OpTypeBool:
      return "Boolean";
    case spv::OpTypeInt:
      return fmt::format("{} integer{}", operand(1) != 0 ? "signed" : "unsigned",
                         operand(0) == 32 ? "" : fmt::format(" ({} bit)", operand(0)));
    case spv::OpTypeFloat:
      return operand(0) == 32 ? "float" : fmt::format("float ({} bit)", operand(0));
    case spv::OpTypeVector: {
      const std::string part = type_words(module, operand(0), depth - 1);
      const std::size_t space = part.find(" (");
      return fmt::format("vector of {} {}s{}", operand(1), part.substr(0, space),
                         space == std::string::npos ? "" : part.substr(space));
    }
    case spv::OpTypeStruct:
      return fmt::format("a structure of {} members", t->operands.size());
    case spv::OpTypeSampledImage:
      return "sampled image";
    case spv::OpTypeImage:
      return "image";
    case spv::OpTypeSampler:
      return "sampler";
    case spv::OpTypePointer:
      return "pointer";
    case spv::OpTypeArray:
    case spv::OpTypeRuntimeArray:
      return "array of " + type_words(module, operand(0), depth - 1);
    default:
      return opcode_name(t->opcode);
  }
}

}  // namespace

std::string Module::type_text(std::uint32_t type_id) const { return type_words(*this, type_id, 8); }

std::optional<std::uint32_t> Module::constant_value(std::uint32_t id) const {
  const Instruction* c = find(id);
  if (c == nullptr) return std::nullopt;
  if (c->opcode == spv::OpConstantNull) return 0;
  if (c->opcode != spv::OpConstant || c->operands.empty()) return std::nullopt;
  const Instruction* type = find(c->type);
  if (type == nullptr || type->opcode != spv::OpTypeInt) return std::nullopt;
  // A 64-bit constant that does not fit is no defined granularity either.
  if (c->operands.size() > 1 && c->operands[1] != 0) return 0xffffffffu;
  return c->operands[0];
}

base::Place Module::place(const Instruction& instruction) const {
  if (instruction.line != 0) return base::Place::text(file, instruction.line, instruction.column);
  return base::Place::binary(file, std::uint64_t{instruction.offset} * 4,
                             static_cast<std::uint32_t>(instruction.words.size() * 4));
}

namespace {

/// The line that holds from here on, by OpLine or by NonSemantic.Shader.DebugInfo.100. It stays in force in the blocks
/// behind, too: glslang says it again only where it changes (SPV-36).
class LineState {
 public:
  void read(const Module& module, Instruction& i) {
    const auto operand = [&](std::size_t k) { return k < i.operands.size() ? i.operands[k] : 0; };
    if (i.opcode == spv::OpLine && i.operands.size() >= 3) {
      file_ = operand(0);
      line_ = operand(1);
      column_ = operand(2);
    } else if (i.opcode == spv::OpNoLine || i.opcode == spv::OpFunctionEnd) {
      line_ = column_ = file_ = 0;
    } else if (i.opcode == spv::OpExtInstImport) {
      if (Module::string_at(i.operands, 0) == "NonSemantic.Shader.DebugInfo.100") set_ = i.result;
    } else if (i.opcode == spv::OpExtInst && set_ != 0 && operand(0) == set_) {
      if (operand(1) == NonSemanticShaderDebugInfo100DebugNoLine) line_ = column_ = file_ = 0;
      if (operand(1) == NonSemanticShaderDebugInfo100DebugLine && i.operands.size() >= 6) {
        const Instruction* source = module.find(operand(2));
        file_ = source != nullptr && source->operands.size() >= 3 ? source->operands[2] : 0;
        line_ = module.constant_value(operand(3)).value_or(0);
        column_ = module.constant_value(operand(5)).value_or(0);
      }
    }
    i.source_line = line_;
    i.source_column = column_;
    i.source_file = file_;
  }

 private:
  std::uint32_t set_ = 0, line_ = 0, column_ = 0, file_ = 0;
};

}  // namespace

base::Result<Module> read_binary(std::span<const std::uint8_t> bytes, const std::string& file,
                                 const base::Limits& limits) {
  if (bytes.size() < 20)
    return at_word(file, 0, "spirv-truncated",
                   fmt::format("a module has a header of 20 bytes, this file has {}", bytes.size()));
  if (bytes.size() % 4 != 0)
    return base::error("spirv-truncated", "the size is not a multiple of 4 bytes",
                       base::Place::binary(file, bytes.size() & ~std::size_t{3}));
  Module m;
  m.file = file;
  m.words.resize(bytes.size() / 4);
  for (std::size_t i = 0; i < m.words.size(); ++i)
    m.words[i] = static_cast<std::uint32_t>(bytes[4 * i]) | static_cast<std::uint32_t>(bytes[4 * i + 1]) << 8 |
                 static_cast<std::uint32_t>(bytes[4 * i + 2]) << 16 |
                 static_cast<std::uint32_t>(bytes[4 * i + 3]) << 24;
  if (m.words[0] == swap(spv::MagicNumber))
    for (std::uint32_t& w : m.words) w = swap(w);
  if (m.words[0] != spv::MagicNumber)
    return at_word(file, 0, "spirv-magic",
                   fmt::format("no SPIR-V module: the first word is {:08x}, not 07230203", m.words[0]));
  if (TypedPointers typed = with_typed_pointers(m.words); !typed.words.empty()) {
    m.words = std::move(typed.words);
    m.changes_pointers = typed.changes_types;
  }
  m.version = m.words[1];
  m.bound = m.words[3];
  if (m.version < 0x00010000 || m.version > 0x00010600)
    return at_word(
        file, 1, "spirv-version",
        fmt::format("version {}.{} is not supported (1.0 to 1.6)", m.version >> 16 & 0xff, m.version >> 8 & 0xff));
  LineState lines;
  for (std::size_t at = 5; at < m.words.size();) {
    const std::uint32_t count = m.words[at] >> 16;
    const auto opcode = static_cast<std::uint16_t>(m.words[at] & 0xffffu);
    if (count == 0) return at_word(file, at, "spirv-word-count", "an instruction of 0 words");
    if (count > m.words.size() - at)
      return at_word(file, at, "spirv-truncated",
                     fmt::format("an instruction of {} words, but only {} remain", count, m.words.size() - at));
    if (m.instructions.size() >= limits.instructions)
      return base::limit_error(
          "limit-instructions",
          fmt::format("more than {} instructions; --max-instructions raises the limit", limits.instructions),
          base::Place::binary(file, at * 4));
    Instruction i;
    i.offset = static_cast<std::uint32_t>(at);
    i.opcode = opcode;
    i.words = std::span<const std::uint32_t>(m.words).subspan(at, count);
    bool has_result = false, has_type = false;
    spv::HasResultAndType(static_cast<spv::Op>(opcode), &has_result, &has_type);
    if (opcode == kExtInstWithForwardRefs || opcode == kGroupNonUniformQuadAll || opcode == kGroupNonUniformQuadAny ||
        is_replicate(opcode) || opcode == kFma)
      has_result = has_type = true;
    if (is_cooperative_matrix(opcode)) {
      has_result = opcode != kCooperativeMatrixStore;
      has_type = has_result && opcode != kTypeCooperativeMatrix;
    }
    std::size_t first = 1;
    if (has_type && first < count) i.type = i.words[first++];
    if (has_result && first < count) i.result = i.words[first++];
    if ((has_type && i.type == 0) || (has_result && i.result == 0))
      return at_word(file, at, "spirv-id", "an instruction lacks its result or type id");
    if (i.result >= m.bound && has_result)
      return at_word(file, at, "spirv-bound", fmt::format("id {} is not below the bound {}", i.result, m.bound));
    i.operands = i.words.subspan(first);
    lines.read(m, i);
    if (opcode == spv::OpName && !i.operands.empty()) m.names[i.operands[0]] = Module::string_at(i.operands, 1);
    if (has_result && !m.definition.emplace(i.result, static_cast<std::uint32_t>(m.instructions.size())).second)
      return at_word(file, at, "spirv-id", fmt::format("id %{} is defined twice", i.result));
    m.instructions.push_back(i);
    at += count;
  }
  return m;
}

}  // namespace heddle::spirv
