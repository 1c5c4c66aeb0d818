// SPDX-License-Identifier: MIT
// Rules: SPV-36.
#include "isa/source_map.hpp"

#include <algorithm>
#include <charconv>

#include "isa/description.hpp"

namespace heddle::isa {
namespace {

constexpr std::string_view kOwn = "heddle: ", kColumns = "columns ";

/// The operand of FILE or LOC.
const Operand* operand_of(const Object& object, const Instruction& instruction) {
  const Traits& traits = instruction.description->traits;
  if (traits.flow != FlowKind::Remark || traits.lifetime != Lifetime::None) return nullptr;
  const std::span<const Operand> operands = object.operands_of(instruction);
  return operands.empty() ? nullptr : &operands[0];
}

/// The string of FILE.
std::string_view string_of(const Object& object, const Operand& operand) {
  if (operand.kind != OperandKind::String || operand.id >= object.strings.size()) return {};
  return object.strings[operand.id];
}

void read_columns(std::string_view text, std::vector<std::uint32_t>& columns) {
  while (!text.empty()) {
    std::uint32_t column = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), column);
    if (read.ec != std::errc()) return;
    columns.push_back(column);
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
}

}  // namespace

std::string_view remark_of(const Object& object, const Instruction& instruction) {
  const Operand* operand = operand_of(object, instruction);
  if (operand == nullptr) return {};
  const std::string_view text = string_of(object, *operand);
  return text.starts_with(kOwn) ? text.substr(kOwn.size()) : std::string_view();
}

SourceMap::SourceMap(const Object& object) : object_(&object) {
  std::vector<std::uint32_t> columns;
  std::string_view file;
  for (std::uint32_t n = 0; n < object.instructions.size(); ++n) {
    const Instruction& instruction = object.instructions[n];
    const Operand* operand = operand_of(object, instruction);
    if (operand == nullptr) continue;
    if (operand->kind == OperandKind::Integer) {
      lines_.push_back({n, {file, static_cast<std::uint32_t>(operand->value), 0}});
    } else if (const std::string_view own = remark_of(object, instruction); own.starts_with(kColumns)) {
      read_columns(own.substr(kColumns.size()), columns);
    } else if (own.empty()) {
      file = string_of(object, *operand);
    }
  }
  // Where somebody added or removed a LOC, the columns belong to nothing.
  if (columns.size() != lines_.size()) return;
  for (std::size_t k = 0; k < lines_.size(); ++k) lines_[k].line.column = columns[k];
}

std::optional<SourceLine> SourceMap::find(const Instruction& instruction) const {
  const auto number = static_cast<std::uint32_t>(&instruction - object_->instructions.data());
  const auto after = std::ranges::upper_bound(lines_, number, {}, &Entry::first);
  if (after == lines_.begin() || std::prev(after)->line.line == 0 || std::prev(after)->line.file.empty())
    return std::nullopt;
  return std::prev(after)->line;
}

}  // namespace heddle::isa
