// SPDX-License-Identifier: MIT
#include "heddle/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "instructions/send/message.hpp"
#include "library/program/impl.hpp"
#include "text/directive_table.hpp"
#include "verify/explain/explain.hpp"
#include "verify/explain/markdown_text.hpp"

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
  bool alone = false;  ///< no extended descriptor was given, so the shared function is not known
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
  if (colon == std::string_view::npos) {  // a descriptor alone
    const auto descriptor = word.starts_with("0x") || word.starts_with("0X") ? parse_word(word) : std::nullopt;
    if (!descriptor) return std::nullopt;
    message.descriptor = *descriptor;
    message.alone = true;
    return message;
  }
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

/// A descriptor alone: what it says to each shared function that gives it a meaning.
std::string text_of_descriptor(const MessageWord& m, std::string_view word, bool json) {
  namespace send = instructions::send;
  std::string text, list;
  std::vector<send::SharedFunction> seen;
  for (unsigned number = 1; number < 16; ++number) {
    const auto function = send::shared_function(number, m.platform);
    if (function == send::SharedFunction::Null || std::ranges::find(seen, function) != seen.end()) continue;
    seen.push_back(function);
    const send::Message message = send::decode_message(function, number, m.descriptor, {.lanes = 16}, m.platform);
    if (message.kind == send::MessageKind::Refused) continue;
    const std::string said = send::describe(message);
    text += fmt::format("  0x{:x}:{}  {}\n", number, word.substr(0, word.find('@')), said);
    list +=
        fmt::format(R"({}{{"function":{},"statement":{}}})", list.empty() ? "" : ",", number, base::json_quote(said));
  }
  const std::string_view platform = isa::platform_info(m.platform).name;
  if (json)
    return fmt::format(R"({{"kind":"descriptor","id":{},"platform":{},"meanings":[{}]}})", base::json_quote(word),
                       base::json_quote(platform), list);
  return fmt::format(
      "{} ({}): a message descriptor. What it says depends on the shared function, which the extended descriptor names "
      "(EXTENDED:DESCRIPTOR):\n{}",
      word, platform, text.empty() ? "  none of them gives it a meaning\n" : text);
}

std::string text_of(const text::Directive& d, bool json) {
  using base::json_quote;
  if (json)
    return fmt::format(R"({{"kind":"directive","word":{},"form":{},"statement":{},"example":{},"rules":{}}})",
                       json_quote("." + std::string(d.word)), json_quote(d.form), json_quote(d.meaning),
                       json_quote(d.example), json_quote(d.rules));
  std::string form;
  for (const char c : d.form) form += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return fmt::format(".{} (a directive of vISA text)\n  {}\n\n{}\n  example:\n    {}\n\n  rules: {}\n", d.word, form,
                     verify::paragraph(d.meaning, "  "), d.example, d.rules);
}

}  // namespace

Result<std::string> explain(std::string_view word, bool json) {
  if (const auto message = parse_message(word))
    return message->alone ? text_of_descriptor(*message, word, json) : text_of(*message, word, json);
  const text::Directive* directive = text::find_directive(word);
  if (directive != nullptr && word.starts_with('.')) return text_of(*directive, json);
  // Words without a point are instructions or rules first.
  if (directive != nullptr && !verify::explain(word, json).ok()) return text_of(*directive, json);
  std::vector<std::string_view> directives;
  for (const text::Directive& each : text::directives()) directives.push_back(each.word);
  if (const std::string_view near = base::nearest(word.substr(word.starts_with('.') ? 1 : 0), directives);
      word.starts_with('.') && !near.empty())
    return library::to_public(base::error("explain-unknown", fmt::format("{} is no directive of vISA text", word))
                                  .note(fmt::format("did you mean .{}?", near)));
  return library::map(verify::explain(word, json), [](std::string&& text) { return text; });
}

std::vector<std::string> explain_words() {
  std::vector<std::string> words = verify::explained_words();
  for (const text::Directive& each : text::directives()) words.push_back("." + std::string(each.word));
  return words;
}

std::string explain_index(bool json) { return verify::explain_index(json); }

}  // namespace heddle
