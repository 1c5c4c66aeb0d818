// SPDX-License-Identifier: MIT
#pragma once
// Rows of the sampler instructions, made from the texture unit's table of operations: a family says how its messages
// are laid out and what their instructions are called; codes, parameters, their number and platforms are the table's.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "isa/description.hpp"
#include "texture/operation_table.hpp"

namespace heddle::instructions {

/// What the rows of one opcode have in common.
struct MessageFormat {
  std::uint8_t opcode = 0;
  std::string_view before_code, behind_code;  ///< the layout; the code of the operation stands between
  std::string_view text;
  std::string_view traits;
  std::string_view platform_traits;  ///< of the rows whose operation not every platform has
  std::string_view page;
  bool repeated = true;  ///< one slot holds all parameters; else each has a slot of its name
};

/// A trait that one row has for itself.
template <std::size_t N>
struct RowTrait {
  std::array<char, N> text{};
  constexpr RowTrait(const char (&word)[N]) { std::copy_n(word, N, text.begin()); }  // NOLINT: implicit by design
  [[nodiscard]] constexpr std::string_view view() const { return {text.data(), N - 1}; }
};

namespace message_rows {

/// Text that is put together when the program is compiled.
class Text {
 public:
  constexpr void add(std::string_view more) {
    for (const char c : more) characters_[size_++] = c;
  }
  /// Behind a blank, where something is there already.
  constexpr void add_word(std::string_view more) {
    if (size_ != 0 && !more.empty()) add(" ");
    add(more);
  }
  constexpr void add_hex_byte(unsigned value) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    add(kDigits.substr(value >> 4 & 15u, 1));
    add(kDigits.substr(value & 15u, 1));
  }
  constexpr void add_number(unsigned value) {
    if (value >= 10) add_number(value / 10);
    add(std::string_view("0123456789").substr(value % 10, 1));
  }
  [[nodiscard]] constexpr std::string_view view() const { return {characters_.data(), size_}; }

 private:
  std::array<char, 256> characters_{};
  std::size_t size_ = 0;
};

constexpr std::string_view platforms_of(texture::OpPlatforms platforms) {
  switch (platforms) {
    case texture::OpPlatforms::All:
      return "";
    case texture::OpPlatforms::FromGen9:
      return "SKL+";
    case texture::OpPlatforms::UpToGen12lp:
      return "<XeHP_SDV";
    case texture::OpPlatforms::Xe2Up:
      return "XE2+";
  }
  return "";
}

constexpr Text layout_of(const MessageFormat& format, unsigned code) {
  Text text;
  text.add(format.before_code);
  text.add_hex_byte(code);
  text.add(format.behind_code);
  return text;
}

constexpr Text traits_of(const MessageFormat& format, const texture::Operation& op, std::string_view more) {
  Text text;
  if (format.repeated) {
    text.add("params=");
    text.add_number(op.required);
    text.add("-");
    text.add_number(std::max(texture::most_operands(op, false), texture::most_operands(op, true)));
  }
  if (op.platforms != texture::OpPlatforms::All) text.add_word(format.platform_traits);
  text.add_word(more);
  if (op.document_code != op.code) {  // E1
    text.add_word("doc=");
    text.add_hex_byte(op.document_code);
  }
  text.add_word(format.traits);
  return text;
}

constexpr Text parameters_of(const MessageFormat& format, const texture::Operation& op) {
  Text text;
  if (!format.repeated) return text;
  for (const texture::Param p : op.usual_list().all()) text.add_word(texture::param_name(p));
  return text;
}

template <const MessageFormat& format, std::uint8_t code>
inline constexpr Text kLayout = layout_of(format, code);
template <const MessageFormat& format, texture::Op op, RowTrait more>
inline constexpr Text kTraits = traits_of(format, texture::operation(op), more.view());
template <const MessageFormat& format, texture::Op op>
inline constexpr Text kParameters = parameters_of(format, texture::operation(op));

template <const MessageFormat& format, texture::Op op, std::uint8_t code, RowTrait more>
constexpr isa::InstructionEntry make(std::string_view mnemonic, std::string_view summary) {
  isa::InstructionEntry entry{};
  entry.opcode = format.opcode;
  entry.mnemonic = mnemonic;
  entry.layout = kLayout<format, code>.view();
  entry.text = format.text;
  entry.traits = kTraits<format, op, more>.view();
  entry.platforms = platforms_of(texture::operation(op).platforms);
  entry.page = format.page;
  entry.summary = summary;
  entry.parameters = kParameters<format, op>.view();
  entry.operation = static_cast<std::int16_t>(op);
  return entry;
}

}  // namespace message_rows

/// The row of an operation.
template <const MessageFormat& format, texture::Op op, RowTrait more = "">
constexpr isa::InstructionEntry message_entry(std::string_view mnemonic, std::string_view summary) {
  return message_rows::make<format, op, texture::operation(op).code, more>(mnemonic, summary);
}

/// The row of its second code, which is read and never written.
template <const MessageFormat& format, texture::Op op>
constexpr isa::InstructionEntry second_code_entry(std::string_view mnemonic, std::string_view summary) {
  static_assert(texture::operation(op).second_code != texture::operation(op).code);
  return message_rows::make<format, op, texture::operation(op).second_code, "decode">(mnemonic, summary);
}

}  // namespace heddle::instructions
