// SPDX-License-Identifier: MIT
#pragma once
// Messages that programs print: formats as C, GL_EXT_debug_printf and OpenCL C have them, and the buffers that shaders
// write them to (SPV-37).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shader_interface/element_type.hpp"

namespace heddle::shader_interface {

struct PrintType {
  ElementType element = ElementType::U32;
  std::uint32_t components = 1;
};

/// A `print` line: what one statement of the shader prints.
struct PrintLine {
  std::vector<PrintType> types;
  std::string format;
  [[nodiscard]] std::size_t words() const;  ///< of its arguments
};
/// "f32x3,u32 FORMAT", "- FORMAT"; nothing for anything else.
[[nodiscard]] std::optional<PrintLine> parse_print_line(std::string_view text);

/// One argument: bits of its components, zero-extended; or a text.
struct PrintArgument {
  ElementType element = ElementType::U32;
  std::vector<std::uint64_t> values;
  std::optional<std::string> text;
};

/// The message. `%[-+ #0][width][.precision][vN][hh|h|hl|l|ll]CONVERSION`, where u may have l behind it (%ul); a
/// conversion without an argument, or that nobody knows, stays as it is written. A vector whose conversion has no vN is
/// printed whole. `between`: what stands between components.
[[nodiscard]] std::string format_message(std::string_view format, std::span<const PrintArgument> arguments,
                                         std::string_view between = ", ");

/// Bytes of the messages that are kept of one run: formats may be long, and records are short.
inline constexpr std::size_t kMaxText = std::size_t{16} << 20;

struct Messages {
  std::vector<std::string> texts;
  bool full = false;  ///< later ones found no room
  /// Adds a message; false, and `full`, where there is no room for it.
  bool add(std::string text);

 private:
  std::size_t bytes_ = 0;
};
/// Reads what shaders wrote to a buffer of messages, and empties it.
[[nodiscard]] Messages take_messages(std::span<const PrintLine> lines, std::span<std::uint8_t> buffer);

}  // namespace heddle::shader_interface
