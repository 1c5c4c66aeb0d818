// SPDX-License-Identifier: MIT
// Rules: SPV-37.

#include "shader_interface/messages.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "base/half.hpp"

namespace heddle::shader_interface {
namespace {

constexpr int kMaxDigits = 1024;  ///< width and precision

/// A conversion as it was read.
struct Conversion {
  std::string flags;
  int width = 0, precision = -1;
  std::size_t components = 0;  ///< vN; 0: it says none
  char letter = 0;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int take_number(std::string_view& text) {
  int value = 0;
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1))
    value = std::min(kMaxDigits, value * 10 + (text.front() - '0'));
  return value;
}

/// Reads what stands behind a '%'; false when it is no conversion. Lengths are passed over: arguments have their own.
bool take_conversion(std::string_view& text, Conversion& c) {
  while (!text.empty() && std::string_view("-+ #0").find(text.front()) != std::string_view::npos) {
    if (c.flags.find(text.front()) == std::string::npos) c.flags += text.front();
    text.remove_prefix(1);
  }
  c.width = take_number(text);
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    c.precision = take_number(text);
  }
  if (text.size() > 1 && text[0] == 'v' && is_digit(text[1])) {
    text.remove_prefix(1);
    c.components = static_cast<std::size_t>(take_number(text));
  }
  while (!text.empty() && (text.front() == 'h' || text.front() == 'l')) text.remove_prefix(1);
  if (text.empty() || std::string_view("diouxXaAeEfFgGcsp").find(text.front()) == std::string_view::npos) return false;
  c.letter = text.front();
  text.remove_prefix(1);
  return true;
}

double real_of(ElementType type, std::uint64_t bits) {
  if (type == ElementType::F64) {
    double value = 0;
    std::memcpy(&value, &bits, 8);
    return value;
  }
  if (type == ElementType::F16) return static_cast<double>(base::half_to_float(static_cast<std::uint16_t>(bits)));
  const auto low = static_cast<std::uint32_t>(bits);
  float value = 0;
  std::memcpy(&value, &low, 4);
  return static_cast<double>(value);
}

/// The value of an integer, sign-extended where its type has one.
std::int64_t integer_of(ElementType type, std::uint64_t bits) {
  const unsigned unused = 64 - 8 * element_bytes(type);
  return is_signed(type) ? static_cast<std::int64_t>(bits << unused) >> unused : static_cast<std::int64_t>(bits);
}

double number_of(ElementType type, std::uint64_t bits) {
  if (is_float(type)) return real_of(type, bits);
  return is_signed(type) ? static_cast<double>(integer_of(type, bits)) : static_cast<double>(bits);
}

template <typename T>
std::string print_as(const Conversion& c, const char* length, T value) {
  char format[64];
  if (c.precision >= 0)
    std::snprintf(format, sizeof format, "%%%s%d.%d%s%c", c.flags.c_str(), c.width, c.precision, length, c.letter);
  else if (c.width != 0)
    std::snprintf(format, sizeof format, "%%%s%d%s%c", c.flags.c_str(), c.width, length, c.letter);
  else
    std::snprintf(format, sizeof format, "%%%s%s%c", c.flags.c_str(), length, c.letter);
  char text[2 * kMaxDigits + 512];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int size = std::snprintf(text, sizeof text, format, value);  // built above, of the conversion's own parts
#pragma GCC diagnostic pop
  return {text, static_cast<std::size_t>(std::clamp<int>(size, 0, sizeof text - 1))};
}

/// One component. Numbers are converted to what the conversion prints; %x and %o show the bits that are there.
std::string print_component(Conversion c, ElementType type, std::uint64_t bits) {
  switch (c.letter) {
    case 'd':
    case 'i':
    case 'u': {
      if (is_float(type)) {
        const double value = std::trunc(real_of(type, bits));
        c.letter = 'f';
        c.precision = 0;
        return print_as(c, "", value);
      }
      if (c.letter == 'u') {
        const unsigned unused = 64 - 8 * std::max(4u, element_bytes(type));
        const auto wide = static_cast<std::uint64_t>(integer_of(type, bits));
        return print_as(c, "ll", static_cast<unsigned long long>(wide << unused >> unused));
      }
      // %d of an unsigned number of 32 bits shows it as an int.
      const ElementType shown = type == ElementType::U32   ? ElementType::I32
                                : type == ElementType::U64 ? ElementType::I64
                                                           : type;
      return print_as(c, "ll", static_cast<long long>(integer_of(shown, bits)));
    }
    case 'o':
    case 'x':
    case 'X':
      return print_as(c, "ll", static_cast<unsigned long long>(bits));
    case 'p':
      c.letter = 'x';
      c.flags = "#";
      return print_as(c, "ll", static_cast<unsigned long long>(bits));
    case 'c':
      return std::string((bits & 0xffu) != 0 ? 1 : 0, static_cast<char>(bits));  // no end of the text
    default:
      return print_as(c, "", number_of(type, bits));
  }
}

std::string print_text(const Conversion& c, const std::string& text) {
  std::string shown = c.precision >= 0 ? text.substr(0, static_cast<std::size_t>(c.precision)) : text;
  const auto width = static_cast<std::size_t>(c.width);
  if (shown.size() >= width) return shown;
  const std::string space(width - shown.size(), ' ');
  return c.flags.find('-') != std::string::npos ? shown + space : space + shown;
}

}  // namespace

std::string format_message(std::string_view format, std::span<const PrintArgument> arguments,
                           std::string_view between) {
  std::string message;
  for (std::size_t next = 0; !format.empty();) {
    const std::size_t percent = std::min(format.find('%'), format.size());
    message += format.substr(0, percent);
    format.remove_prefix(percent);
    if (format.empty()) break;
    if (format.starts_with("%%")) {
      message += '%';
      format.remove_prefix(2);
      continue;
    }
    std::string_view rest = format.substr(1);
    Conversion c;
    const bool known =
        take_conversion(rest, c) && next < arguments.size() && (c.letter == 's') == arguments[next].text.has_value();
    if (!known) {
      message += '%';
      format.remove_prefix(1);
      continue;
    }
    const PrintArgument& argument = arguments[next++];
    // GL_EXT_debug_printf writes %ul for 64 bits.
    if (c.letter == 'u' && element_bytes(argument.element) == 8 && rest.starts_with('l')) rest.remove_prefix(1);
    format = rest;
    if (argument.text) {
      message += print_text(c, *argument.text);
      continue;
    }
    const std::size_t count =
        c.components != 0 ? std::min(c.components, argument.values.size()) : argument.values.size();
    for (std::size_t k = 0; k < count; ++k) {
      if (k != 0) message += between;
      message += print_component(c, argument.element, argument.values[k]);
    }
  }
  return message;
}

std::size_t PrintLine::words() const {
  std::size_t count = 0;
  for (const PrintType& type : types) count += std::size_t{type.components} * (element_bytes(type.element) / 4);
  return count;
}

std::optional<PrintLine> parse_print_line(std::string_view text) {
  PrintLine line;
  const std::size_t end = std::min(text.find(' '), text.size());
  std::string_view types = text.substr(0, end);
  line.format = text.substr(std::min(end + 1, text.size()));
  if (types == "-") return line;
  while (!types.empty()) {
    const std::size_t comma = std::min(types.find(','), types.size());
    std::string_view word = types.substr(0, comma);
    types.remove_prefix(std::min(comma + 1, types.size()));
    PrintType type;
    if (const std::size_t x = word.find('x'); x != std::string_view::npos) {
      const std::string_view count = word.substr(x + 1);
      const auto read = std::from_chars(count.data(), count.data() + count.size(), type.components);
      if (read.ec != std::errc() || read.ptr != count.data() + count.size() || type.components < 1 ||
          type.components > 16)
        return std::nullopt;
      word = word.substr(0, x);
    }
    const auto element = find_element_type(word);
    if (!element || element_bytes(*element) < 4) return std::nullopt;
    type.element = *element;
    line.types.push_back(type);
  }
  return line.types.empty() ? std::nullopt : std::optional(line);
}

bool Messages::add(std::string text) {
  constexpr std::size_t kOwn = 64;  // what an empty one takes
  if (bytes_ + text.size() + kOwn > kMaxText) return full = true, false;
  bytes_ += text.size() + kOwn;
  texts.push_back(std::move(text));
  return true;
}

Messages take_messages(std::span<const PrintLine> lines, std::span<std::uint8_t> buffer) {
  Messages messages;
  std::vector<std::uint32_t> words(buffer.size() / 4);
  std::memcpy(words.data(), buffer.data(), words.size() * 4);
  if (words.empty() || words[0] == 0) return messages;
  const std::size_t wanted = std::size_t{words[0]} + 1, end = std::min(wanted, words.size());
  messages.full = wanted > words.size();
  std::size_t at = 1;
  while (at < end && words[at] != 0 && words[at] <= lines.size()) {
    const PrintLine& line = lines[words[at] - 1];
    ++at;
    if (line.words() > end - at) break;
    std::vector<PrintArgument> arguments;
    for (const PrintType& type : line.types) {
      PrintArgument& argument = arguments.emplace_back();
      argument.element = type.element;
      for (std::uint32_t k = 0; k < type.components; ++k) {
        std::uint64_t bits = words[at++];
        if (element_bytes(type.element) == 8) bits |= std::uint64_t{words[at++]} << 32;
        argument.values.push_back(bits);
      }
    }
    if (!messages.add(format_message(line.format, arguments))) break;
  }
  std::memset(buffer.data(), 0, end * 4);
  return messages;
}

}  // namespace heddle::shader_interface
