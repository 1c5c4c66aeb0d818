#include "heddle/explain.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "instructions/send/message.hpp"
#include "library/program/impl.hpp"
#include "verify/explain/explain.hpp"

namespace heddle {
namespace {

/// A word of 32 bits: decimal, or hexadecimal behind 0x.
std::optional<std::uint32_t> parse_word(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  std::uint32_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// The descriptors of a raw message.
struct MessageWord {
  isa::Platform platform = isa::Platform::SKL;
  std::uint32_t function = 0, extended = 0, descriptor = 0;
};

std::optional<MessageWord> parse_message(std::string_view word) {
  MessageWord message;
  if (const std::size_t at = word.find('@'); at != std::string_view::npos) {
    const auto platform = isa::find_platform(word.substr(at + 1));
    if (!platform) return std::nullopt;
    message.platform = *platform;
    word = word.substr(0, at);
  }
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view left = word.substr(0, colon);
  if (const std::size_t dot = left.find('.'); dot != std::string_view::npos) {
    const auto function = parse_word(left.substr(0, dot));
    if (!function) return std::nullopt;
    message.function = *function;
    left = left.substr(dot + 1);
  }
  const auto extended = parse_word(left), descriptor = parse_word(word.substr(colon + 1));
  if (!extended || !descriptor) return std::nullopt;
  message.extended = *extended;
  message.descriptor = *descriptor;
  return message;
}

std::string text_of(const MessageWord& m, std::string_view word, bool json) {
  namespace send = instructions::send;
  const auto function = send::shared_function(send::function_number(m.function, m.extended), m.platform);
  const std::string text =
      send::describe(send::decode_message(function, m.extended, m.descriptor, {.lanes = 16}, m.platform));
  const std::string_view platform = isa::platform_info(m.platform).name;
  if (json)
    return fmt::format(R"({{"kind":"message","id":{},"platform":{},"statement":{}}})", base::json_quote(word),
                       base::json_quote(platform), base::json_quote(text));
  return fmt::format("{} ({})\n  {}\n", word, platform, text);
}

}  // namespace

Result<std::string> explain(std::string_view word, bool json) {
  if (const auto message = parse_message(word)) return text_of(*message, word, json);
  return library::map(verify::explain(word, json), [](std::string&& text) { return text; });
}

std::string explain_index(bool json) { return verify::explain_index(json); }

}  // namespace heddle
