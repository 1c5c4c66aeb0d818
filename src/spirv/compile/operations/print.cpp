// SPDX-License-Identifier: MIT
// DebugPrintf of NonSemantic.DebugPrintf: each lane takes room in a buffer of messages by an atomic addition and writes
// a record there: the number of its `print` line, then the arguments' dwords. Rules: SPV-37.

#include <fmt/format.h>

#include <spirv/unified1/spirv.hpp>
#include <string>
#include <vector>

#include "spirv/compile/arithmetic/scalar.hpp"
#include "spirv/compile/operations/print.hpp"

namespace heddle::spirv::compiler {

using isa::Type;

namespace {

/// Dwords that messages may take.
constexpr std::uint32_t kRecordWords = kPrintBytes / 4 - 1;
constexpr std::uint32_t kMaxScalars = 16;  ///< of one argument

std::string_view type_word(Type type) {
  switch (type) {
    case Type::HF:
    case Type::F:
      return "f32";
    case Type::DF:
      return "f64";
    case Type::Q:
      return "i64";
    case Type::UQ:
      return "u64";
    case Type::B:
    case Type::W:
    case Type::D:
      return "i32";
    default:
      return "u32";
  }
}

/// The dwords of one scalar.
void add_words(ShaderContext& t, const Part& part, std::vector<Part>& words) {
  VisaWriter& b = t.b;
  if (part.boolean()) {
    words.push_back(b.select(part, ud(1), ud(0), "word"));
  } else if (isa::type_bytes(part.type) == 8) {
    words.push_back(low_half(part));
    words.push_back(high_half(part));
  } else if (isa::type_bytes(part.type) == 4) {
    words.push_back(part.as(Type::UD));
  } else {
    const Type wide = isa::is_float(part.type) ? Type::F : isa::is_signed(part.type) ? Type::D : Type::UD;
    words.push_back(convert_number(b, part, wide, "word").as(Type::UD));
  }
}

/// "f32x3", or nothing for what has scalars of several types.
std::string type_text(ShaderContext& t, std::uint32_t id) {
  const std::vector<Type> scalars = t.types.scalars(t.module.type_of(id));
  if (scalars.empty() || scalars.size() > kMaxScalars) return {};
  for (const Type scalar : scalars)
    if (scalar != scalars[0]) return {};
  const std::string_view word = type_word(scalars[0]);
  return scalars.size() == 1 ? std::string(word) : fmt::format("{}x{}", word, scalars.size());
}

/// Types of the statement's arguments; nothing where it has none, or some that cannot be printed: scalars of several
/// types, texts, more than a record holds. The instruction is non-semantic, so that it never refuses a shader.
std::string types_text(ShaderContext& t) {
  std::string types;
  std::size_t scalars = 0;
  for (std::size_t k = 3; k < t.at->operands.size(); ++k) {
    const Instruction* argument = t.module.find(t.operand(k));
    const bool value = argument != nullptr && t.module.type_of(t.operand(k)) != 0;
    const std::string type = value ? type_text(t, t.operand(k)) : std::string();
    scalars += kMaxScalars;
    if (type.empty() || 2 * scalars >= kRecordWords) return {};
    types += (types.empty() ? "" : ",") + type;
  }
  return types;
}

/// The number of the `print` line with that text, from 1.
std::uint32_t line_number(ShaderContext& t, const std::string& line) {
  Prints& prints = t.prints;
  if (prints.surface.empty()) {
    prints.surface = t.b.surface();
    t.b.interface_line(fmt::format("surface {} messages {}", prints.surface, kPrintBytes));
  }
  const auto [at, is_new] = prints.lines.try_emplace(line, static_cast<std::uint32_t>(prints.lines.size() + 1));
  if (is_new) t.b.interface_text("print " + line);
  return at->second;
}

/// Where each lane's record lies, in dwords behind the first; far away in lanes that have none.
Part take_room(ShaderContext& t, std::uint32_t words) {
  VisaWriter& b = t.b;
  const Part address = b.in_register(b.copy(ud(0), "first")), size = b.in_register(b.copy(ud(words), "size"));
  const Part place = b.in_register(b.copy(ud(UINT32_MAX), "place"));
  const Guard live = t.lanes.live();
  for (const LaneRange& range : b.lane_ranges())
    b.instruction("dword_atomic.add", range,
                  {t.prints.surface, b.raw(address, range), b.raw(size, range), no_registers(), b.raw(place, range)},
                  live);
  return place;
}

}  // namespace

void translate_print(ShaderContext& t) {
  const Instruction* format = t.module.find(t.operand(2));
  if (t.operand(1) != 1 || format == nullptr || format->opcode != spv::OpString) return;
  VisaWriter& b = t.b;
  const std::string types = types_text(t);
  std::vector<Part> words{ud(0)};
  for (std::size_t k = 3; !types.empty() && k < t.at->operands.size(); ++k)
    for (std::uint32_t i = 0; i < t.values.size(t.operand(k)); ++i) add_words(t, t.values.part(t.operand(k), i), words);
  words[0] =
      ud(line_number(t, fmt::format("{} {}", types.empty() ? "-" : types, Module::string_at(format->operands, 0))));
  const auto count = static_cast<std::uint32_t>(words.size());
  const Part place = take_room(t, count);
  const Part fits = b.compare("le", place, ud(kRecordWords - count), "fits");
  const Part address = b.in_register(b.make("shl", Type::UD, {place, ud(2)}, "record"));
  for (std::uint32_t k = 0; k < count; ++k) {
    const Part data = b.in_register(b.copy(words[k], "word"));
    for (const LaneRange& range : b.lane_ranges())
      b.instruction("scatter4_scaled.R", range,
                    {t.prints.surface, hexadecimal(Type::UD, 4 * (k + 1)), b.raw(address, range), b.raw(data, range)},
                    {fits, false, false});
  }
}

}  // namespace heddle::spirv::compiler
