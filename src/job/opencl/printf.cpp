// SPDX-License-Identifier: MIT
#include "job/opencl/printf.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::job {
namespace {

using shader_interface::ElementType;
using shader_interface::PrintArgument;

/// The code in front of each argument; vectors have their number of components behind it.
enum class ArgumentCode : std::uint32_t {
  Byte = 1,
  Short,
  Int,
  Float,
  String,
  Long,
  Pointer,
  Double,
  ByteVector,
  ShortVector,
  IntVector,
  LongVector,
  FloatVector,
  DoubleVector
};

constexpr std::uint32_t kFirst = 4;  ///< behind the place of the next message

struct MessageReader {
  std::span<const std::uint8_t> bytes;
  std::size_t at = 0;

  [[nodiscard]] bool has(std::size_t count) const { return at <= bytes.size() && count <= bytes.size() - at; }
  std::optional<std::uint64_t> take(unsigned count) {
    if (!has(count)) return std::nullopt;
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, count);
    at += count;
    return value;
  }
};

std::optional<std::string> text_at(const machine::AddressMap& memory, std::uint64_t address) {
  const machine::MemoryRange* range = memory.find(address, 1);
  if (range == nullptr) return std::nullopt;
  const std::uint64_t from = address - range->address;
  const auto* begin = reinterpret_cast<const char*>(range->data + from);
  return std::string(begin, strnlen(begin, range->size - from));
}

/// The type of an argument and the bytes that each value takes; narrow ones are kept as dwords.
std::optional<std::pair<ElementType, unsigned>> shape_of(ArgumentCode code) {
  switch (code) {
    case ArgumentCode::Byte:
    case ArgumentCode::Short:
    case ArgumentCode::Int:
      return std::pair(ElementType::I32, 4u);
    case ArgumentCode::ByteVector:
      return std::pair(ElementType::I8, 1u);
    case ArgumentCode::ShortVector:
      return std::pair(ElementType::I16, 2u);
    case ArgumentCode::IntVector:
      return std::pair(ElementType::I32, 4u);
    case ArgumentCode::Float:
    case ArgumentCode::FloatVector:
      return std::pair(ElementType::F32, 4u);
    case ArgumentCode::Long:
    case ArgumentCode::LongVector:
      return std::pair(ElementType::I64, 8u);
    case ArgumentCode::Double:
    case ArgumentCode::DoubleVector:
      return std::pair(ElementType::F64, 8u);
    case ArgumentCode::String:
    case ArgumentCode::Pointer:
      return std::pair(ElementType::U64, 8u);
  }
  return std::nullopt;
}

bool take_argument(MessageReader& record, const machine::AddressMap& memory, PrintArgument& argument) {
  const auto word = record.take(4);
  if (!word) return false;
  const auto code = static_cast<ArgumentCode>(*word);
  const auto shape = shape_of(code);
  if (!shape) return false;
  argument.element = shape->first;
  std::uint64_t count = 1;
  if (code >= ArgumentCode::ByteVector) {
    const auto components = record.take(4);
    if (!components || *components < 1 || *components > 16) return false;
    count = *components;
  }
  const std::size_t begin = record.at;
  for (std::uint64_t k = 0; k < count; ++k) {
    const auto value = record.take(shape->second);
    if (!value) return false;
    argument.values.push_back(*value);
  }
  record.at = begin + (record.at - begin + 3) / 4 * 4;
  if (code == ArgumentCode::String) argument.text = text_at(memory, argument.values[0]).value_or("(null)");
  return true;
}

/// Arguments that a format names; records do not say how many they have.
std::size_t argument_count(std::string_view format) {
  std::size_t count = 0;
  for (std::size_t at = format.find('%'); at != std::string_view::npos; at = format.find('%', at)) {
    const bool percent = format.substr(at).starts_with("%%");
    if (!percent) ++count;
    at += percent ? 2 : 1;
  }
  return count;
}

}  // namespace

void clear_printf(std::span<std::uint8_t> buffer) {
  std::memset(buffer.data(), 0, buffer.size());
  std::memcpy(buffer.data(), &kFirst, sizeof kFirst);
}

shader_interface::Messages take_printf(std::span<std::uint8_t> buffer, const machine::AddressMap& memory) {
  shader_interface::Messages messages;
  std::uint32_t end = 0;
  std::memcpy(&end, buffer.data(), sizeof end);
  if (end <= kFirst) return messages;
  messages.full = end > buffer.size();
  MessageReader record{buffer.first(std::min<std::size_t>(end, buffer.size())), kFirst};
  while (record.has(8)) {
    const auto format = text_at(memory, *record.take(8));
    if (!format) break;
    std::vector<PrintArgument> arguments(argument_count(*format));
    if (!std::ranges::all_of(arguments, [&](PrintArgument& a) { return take_argument(record, memory, a); })) break;
    if (!messages.add(shader_interface::format_message(*format, arguments, ","))) break;
  }
  clear_printf(buffer);
  return messages;
}

}  // namespace heddle::job
