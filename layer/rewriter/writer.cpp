// SPDX-License-Identifier: MIT
#include "layer/rewriter/writer.hpp"

#include <spirv/unified1/spirv.hpp>

#include <algorithm>
#include <bit>

namespace heddle::layer {
namespace {

/// Types that a module has only once.
bool is_unique_type(std::uint16_t opcode) {
  switch (opcode) {
    case spv::OpTypeVoid:
    case spv::OpTypeBool:
    case spv::OpTypeInt:
    case spv::OpTypeFloat:
    case spv::OpTypeVector:
    case spv::OpTypePointer:
    case spv::OpTypeFunction:
      return true;
    default:
      return false;
  }
}

Words key_of(std::uint16_t opcode, std::uint32_t result_type, std::span<const std::uint32_t> operands) {
  Words key{opcode, result_type};
  key.insert(key.end(), operands.begin(), operands.end());
  return key;
}

/// The words of a literal string, with its zero.
Words string_words(std::string_view text) {
  Words words(text.size() / 4 + 1);
  for (std::size_t k = 0; k < text.size(); ++k)
    words[k / 4] |= static_cast<std::uint32_t>(static_cast<unsigned char>(text[k])) << (8 * (k % 4));
  return words;
}

const Words& glsl_name() {
  static const Words name = string_words("GLSL.std.450");
  return name;
}

}  // namespace

ModuleWriter::ModuleWriter(const Module& module) : bound_(module.bound()) {
  const auto all = std::span(module.instructions());
  for (const Instruction& i : all.first(module.types()))
    if (i.opcode() == spv::OpExtInstImport &&
        std::ranges::equal(i.words.subspan(std::min<std::size_t>(2, i.words.size())), glsl_name()))
      glsl_ = i.result;
  for (const Instruction& i : all.subspan(module.types(), module.functions() - module.types()))
    if (is_unique_type(i.opcode()) && i.words.size() >= 2)
      known_.emplace(key_of(i.opcode(), 0, i.words.subspan(2)), i.result);
}

void ModuleWriter::put(Words& section, std::uint16_t opcode, std::span<const std::uint32_t> operands) {
  section.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | opcode);
  section.insert(section.end(), operands.begin(), operands.end());
}

std::uint32_t ModuleWriter::once(std::uint16_t opcode, std::uint32_t result_type,
                                 std::span<const std::uint32_t> operands) {
  const auto [at, added] = known_.emplace(key_of(opcode, result_type, operands), bound_);
  if (!added) return at->second;
  Words whole;
  if (result_type != 0) whole.push_back(result_type);
  whole.push_back(new_id());
  whole.insert(whole.end(), operands.begin(), operands.end());
  put(globals, opcode, whole);
  return at->second;
}

std::uint32_t ModuleWriter::type(std::uint16_t opcode, std::span<const std::uint32_t> operands) {
  if (is_unique_type(opcode)) return once(opcode, 0, operands);
  Words whole{new_id()};
  whole.insert(whole.end(), operands.begin(), operands.end());
  put(globals, opcode, whole);
  return whole[0];
}

std::uint32_t ModuleWriter::bool_type() { return type(spv::OpTypeBool, {}); }
std::uint32_t ModuleWriter::uint_type() { return type(spv::OpTypeInt, {32, 0}); }
std::uint32_t ModuleWriter::int_type() { return type(spv::OpTypeInt, {32, 1}); }
std::uint32_t ModuleWriter::float_type() { return type(spv::OpTypeFloat, {32}); }
std::uint32_t ModuleWriter::vector_type(std::uint32_t component, std::uint32_t count) {
  return type(spv::OpTypeVector, {component, count});
}

std::uint32_t ModuleWriter::constant(std::uint32_t type, std::uint32_t value) {
  return once(spv::OpConstant, type, std::span(&value, 1));
}
std::uint32_t ModuleWriter::float_constant(float value) {
  return constant(float_type(), std::bit_cast<std::uint32_t>(value));
}
std::uint32_t ModuleWriter::composite(std::uint32_t type, std::span<const std::uint32_t> parts) {
  return once(spv::OpConstantComposite, type, parts);
}
std::uint32_t ModuleWriter::splat(std::uint32_t type, std::uint32_t part, std::uint32_t count) {
  return composite(type, Words(count, part));
}
std::uint32_t ModuleWriter::null(std::uint32_t type) { return once(spv::OpConstantNull, type, {}); }

std::uint32_t ModuleWriter::glsl() {
  if (glsl_ != 0) return glsl_;
  glsl_ = new_id();
  Words operands{glsl_};
  operands.insert(operands.end(), glsl_name().begin(), glsl_name().end());
  put(imports, spv::OpExtInstImport, operands);
  return glsl_;
}

}  // namespace heddle::layer
