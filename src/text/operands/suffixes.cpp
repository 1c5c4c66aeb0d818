// SPDX-License-Identifier: MIT
// Rules: RTW-1, TXT-18, TXT-27 to TXT-30, TXT-33, TXT-38.
#include "text/operands/suffixes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "text/codes.hpp"
#include "text/vocabulary.hpp"

namespace heddle::text {
namespace {

using isa::InstructionDescription;
using isa::Operand;
using isa::OperandKind;
using isa::Slot;
using isa::TextElement;
using isa::TextKind;

/// A code in digits: 3, 0x3.
bool code_number(std::string_view word, std::uint64_t& number) {
  const bool hex = word.starts_with("0x") || word.starts_with("0X");
  if (hex) word.remove_prefix(2);
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number, hex ? 16 : 10);
  return problem == std::errc{} && end == word.data() + word.size() && !word.empty() && number <= 0xffffffffu;
}

}  // namespace

/// After the suffixes of the template: nothing of the mnemonic may be left.
bool Suffixes::end_of_suffixes(const InstructionDescription& description) {
  const char c = in_.peek();
  if (c != '.' && !is_name_char(c)) return true;
  const Scanner::Mark start = in_.mark();
  if (c == '.') in_.skip();
  while (is_name_char(in_.peek()) || in_.peek() == '-') in_.skip();
  const Span span = in_.span_from(start);
  const std::string_view text = c_.source.substr(offset_of(start), span.length);
  in_.rewind(start);
  if (c != '.') return expected("a blank after the mnemonic");
  if (same_word(text, ".sat", draft_.seed))  // TXT-33
    return error("visa-saturation", span, silent() ? "" : fmt::format("{} takes no .sat", description.mnemonic));
  if (const std::string_view newer = newer_suffix(text); !newer.empty() && description.word.starts_with("lsc_")) {
    in_.skip(text.size());
    return error("visa-text-newer", span,
                 silent() ? "" : fmt::format("{} of newer tools is not read: {}", text, newer));
  }
  return unknown_suffix(description, text, span);
}

/// With the suffixes that there are.
bool Suffixes::unknown_suffix(const InstructionDescription& description, std::string_view text, Span span) {
  if (silent()) return error("visa-text-mnemonic", span, {});
  error("visa-text-mnemonic", span, fmt::format("unknown suffix {} of {}", shown(text), description.mnemonic));
  std::vector<std::string> words;
  for (const TextElement& e : description.text) {
    if (!e.suffix || e.slot < 0) continue;
    const Slot& slot = description.slots[static_cast<std::size_t>(e.slot)];
    if (e.kind == TextKind::SuffixFlag) words.push_back("." + std::string(e.word));
    if ((e.kind == TextKind::Suffix || e.kind == TextKind::SuffixCache) && slot.codes != nullptr)
      for (const isa::Code& code : slot.codes->codes)
        if (!code.name.empty()) words.push_back("." + std::string(code.name));
  }
  suggest(text, std::vector<std::string_view>(words.begin(), words.end()));
  return false;
}

/// Whether "." and `word`, and nothing longer, stand here.
bool Suffixes::at_suffix(std::string_view word) const {
  return in_.peek() == '.' && in_.peek(1) != '\0' &&
         same_word(c_.source.substr(in_.offset() + 1, word.size()), word, draft_.seed) &&
         !is_name_char(in_.peek(word.size() + 1));
}

/// A suffix that is not there: an error unless it may be left out.
bool Suffixes::missing_suffix(const InstructionDescription& description, const TextElement& e, std::string_view what) {
  return e.optional || expected(silent() ? "" : fmt::format("{} of {}", what, description.mnemonic));
}

bool Suffixes::suffix(const InstructionDescription& description, const TextElement& e) {
  if (e.kind == TextKind::Literal) {
    if (!at_suffix(e.word.substr(1))) return expected(silent() ? "" : fmt::format("'{}'", e.word));
    in_.skip(e.word.size());
    return true;
  }
  if (e.kind == TextKind::Saturation) {
    if (at_suffix("sat")) {
      in_.skip(4);
      draft_.saturate = true;
    }
    return true;
  }
  if (e.kind == TextKind::SuffixCache) return cache_suffix(description, e);
  const Scanner::Mark start = in_.mark();
  std::optional<std::uint64_t> value;  // nothing: an optional suffix that is not there
  if (!suffix_value(description, e, value)) return false;
  if (!value) return true;
  Operand& out = draft_.operands[static_cast<std::size_t>(e.slot)];
  out.kind = OperandKind::Integer;
  out.value = *value;
  place_operand(out, start);
  return true;
}

/// The value of a suffix that sets a slot.
bool Suffixes::suffix_value(const InstructionDescription& description, const TextElement& e,
                            std::optional<std::uint64_t>& value) {
  const Slot& slot = description.slots[static_cast<std::size_t>(e.slot)];
  switch (e.kind) {
    case TextKind::SuffixFlag:
      if (!at_suffix(e.word)) return missing_suffix(description, e, e.word);
      in_.skip(e.word.size() + 1);
      value = 1;
      return true;
    case TextKind::SuffixHex:
      if (in_.peek() != '.' || to_lower(in_.peek(1)) != 'x')
        return missing_suffix(description, e, "'.x' and the two hexadecimal digits");
      return hex_suffix(slot, value.emplace(0));
    case TextKind::SuffixFlags:
      if (in_.peek() != '.' || in_.peek(1) != '<') return missing_suffix(description, e, "flags");
      in_.skip();
      return rt_flags(slot, value.emplace(0));
    case TextKind::SuffixLetters:
      if (in_.peek() != '.') return missing_suffix(description, e, "options");
      in_.skip();
      return letters_suffix(description, slot, value.emplace(0));
    case TextKind::SuffixChannel:
      return channel_suffix(description, value.emplace(0));
    case TextKind::Suffix:
      if (slot.kind == isa::SlotKind::ChannelMask) return mask_suffix(description, slot, value.emplace(0));
      return slot.codes != nullptr ? code_suffix(description, e, value) : number_suffix(description, e, value);
    default:
      return error("visa-text-syntax", in_.here(0), "this form has no text");
  }
}

/// .xHH
bool Suffixes::hex_suffix(const Slot& slot, std::uint64_t& value) {
  const Scanner::Mark start = in_.mark();
  in_.skip(2);
  unsigned digits = 0;
  for (; hex_digit(in_.peek()) >= 0 && digits < 9; in_.skip(), ++digits)
    value = value * 16 + static_cast<unsigned>(hex_digit(in_.peek()));
  if (digits == 0 || is_name_char(in_.peek())) return expected("hexadecimal digits");
  if (value > all_ones(slot.bits))
    return error("visa-text-number", in_.span_from(start),
                 fmt::format("0x{:x} needs more than {} bits", value, slot.bits));
  return true;
}

/// TXT-38: nothing, one level, those of L1 and L3, or all three.
bool Suffixes::cache_suffix(const InstructionDescription& description, const TextElement& e) {
  const isa::CodeTable& codes = *description.slots[static_cast<std::size_t>(e.slot)].codes;
  const Scanner::Mark start = in_.mark();
  std::uint64_t levels[3] = {};
  std::size_t count = 0;
  for (; count < 3 && in_.peek() == '.'; ++count) {
    const Scanner::Mark at = in_.mark();
    in_.skip();
    const isa::Code* code = find_code(codes, in_.word(), draft_.seed);
    if (code == nullptr) {
      in_.rewind(at);
      break;
    }
    levels[count] = code->code;
  }
  if (count == 2) std::swap(levels[1], levels[2]);
  for (std::size_t level = 0; level < 3 && count != 0; ++level) {
    Operand& out = draft_.operands[static_cast<std::size_t>(e.parts[level])];
    out.kind = OperandKind::Integer;
    out.value = levels[level];
    place_operand(out, start);
  }
  return true;
}

/// Options that are written without a separator: ".EIS". The longest name that fits is taken.
bool Suffixes::letters_suffix(const InstructionDescription& description, const Slot& slot, std::uint64_t& value) {
  while (is_name_char(in_.peek())) {
    const isa::Code* longest = nullptr;
    for (const isa::Code& c : slot.codes->codes)
      if (!c.name.empty() && same_word(c_.source.substr(in_.offset(), c.name.size()), c.name, draft_.seed) &&
          (longest == nullptr || c.name.size() > longest->name.size()))
        longest = &c;
    if (longest == nullptr) {
      error("visa-text-mnemonic", in_.here(),
            silent() ? "" : fmt::format("unknown option {} of {}", shown(in_.glimpse()), description.mnemonic));
      note(silent() ? "" : "options are " + code_list(*slot.codes));
      return false;
    }
    value |= longest->code;
    in_.skip(longest->name.size());
  }
  return true;
}

/// One of .R .G .B .A
bool Suffixes::channel_suffix(const InstructionDescription& description, std::uint64_t& value) {
  const Scanner::Mark start = in_.mark();
  constexpr std::string_view kChannels = "RGBA";
  const std::size_t channel =
      in_.peek() == '.' ? kChannels.find(static_cast<char>(in_.peek(1) & ~0x20)) : std::string_view::npos;
  if (channel != std::string_view::npos && in_.peek(1) != '\0' && !is_name_char(in_.peek(2))) {
    in_.skip(2);
    value = channel;
    return true;
  }
  if (in_.peek() == '.') in_.skip();
  in_.word();
  return error("visa-sample4-channel", in_.span_from(start),
               silent() ? "" : fmt::format("{} takes exactly one channel: .R, .G, .B or .A", description.mnemonic));
}

/// One of the names of a code table.
bool Suffixes::code_suffix(const InstructionDescription& description, const TextElement& e,
                           std::optional<std::uint64_t>& value) {
  const isa::CodeTable& codes = *description.slots[static_cast<std::size_t>(e.slot)].codes;
  const Scanner::Mark start = in_.mark();
  if (in_.peek() != '.')
    return missing_suffix(description, e, silent() ? "" : fmt::format("'.' and one of {}", code_list(codes)));
  in_.skip();
  const char* first = in_.position();
  while (is_name_char(in_.peek()) || in_.peek() == '-') in_.skip();
  const std::string_view word(first, static_cast<std::size_t>(in_.position() - first));
  if (const isa::Code* code = find_code(codes, word, draft_.seed); code != nullptr && !word.empty()) {
    value = code->code;
    return true;
  }
  if (std::uint64_t number = 0; codes.by_number && code_number(word, number)) {
    value = number;
    return true;
  }
  if (e.optional) {
    in_.rewind(start);
    return true;
  }
  if (silent()) return error("visa-text-mnemonic", in_.span_from(start), {});
  error("visa-text-mnemonic", in_.span_from(start),
        fmt::format("unknown suffix {} of {}", shown("." + std::string(word.substr(0, 40))), description.mnemonic));
  note("it is one of " + code_list(codes));
  std::vector<std::string_view> names;
  for (const isa::Code& c : codes.codes) names.push_back(c.name);
  suggest(word, names);
  return false;
}

/// A decimal number.
bool Suffixes::number_suffix(const InstructionDescription& description, const TextElement& e,
                             std::optional<std::uint64_t>& value) {
  const Slot& slot = description.slots[static_cast<std::size_t>(e.slot)];
  const Scanner::Mark start = in_.mark();
  if (in_.peek() != '.') return missing_suffix(description, e, "'.' and a number");
  in_.skip();
  const std::string_view word = in_.word();
  std::uint64_t number = 0;
  for (const char c : word) {
    if (!is_digit(c)) {
      if (e.optional) {
        in_.rewind(start);
        return true;
      }
      return error("visa-text-mnemonic", in_.span_from(start),
                   silent() ? "" : fmt::format("suffix {} of {} is not a number", shown(word), description.mnemonic));
    }
    number = std::min<std::uint64_t>(number * 10 + static_cast<unsigned>(c - '0'), std::uint64_t{1} << 40);
  }
  if (word.empty()) return expected("a number");
  if (number > all_ones(slot.bits))
    return error("visa-text-number", in_.span_from(start),
                 fmt::format("{} does not fit {} bits", shown(word), slot.bits));
  // raw_sendsc.n0.n1.nd: an optional number in front is there only when one more number follows than the others need
  if (e.optional && !another_number_follows(description, e)) {
    in_.rewind(start);
    return true;
  }
  value = number;
  return true;
}

/// After an optional number: as many numbers must follow as the template still wants.
bool Suffixes::another_number_follows(const InstructionDescription& description, const TextElement& e) {
  std::size_t wanted = 0;
  for (const TextElement* t = &e + 1; t != description.text.data() + description.text.size() && t->suffix; ++t)
    wanted += t->kind == TextKind::Suffix;
  std::size_t found = 0;
  const Scanner::Mark start = in_.mark();
  while (in_.peek() == '.' && is_digit(in_.peek(1))) {
    in_.skip();
    in_.word();
    ++found;
  }
  in_.rewind(start);
  return found >= wanted;
}

/// .RGBA in any case. TXT-28: a missing mask of an instruction that has a default means that, with a warning.
bool Suffixes::mask_suffix(const InstructionDescription& description, const Slot& slot, std::uint64_t& mask) {
  const Scanner::Mark start = in_.mark();
  if (at_suffix("0")) {  // no channel: encoded, and judged by the checks
    in_.skip(2);
  } else if (in_.peek() == '.') {
    in_.skip();
    while (is_name_char(in_.peek())) {
      constexpr std::string_view kChannels = "RGBA";
      const std::size_t channel = kChannels.find(static_cast<char>(in_.peek() & ~0x20));
      if (channel == std::string_view::npos || (mask >> channel & 1u) != 0) {
        in_.word();
        error("visa-text-mnemonic", in_.span_from(start),
              silent() ? "" : fmt::format("{} takes a channel mask of R, G, B and A", description.mnemonic));
        return false;
      }
      mask |= std::uint64_t{1} << channel;
      in_.skip();
    }
    if (mask == 0) return expected("channels of R, G, B and A");
  } else if (slot.default_value != 0) {
    mask = static_cast<std::uint64_t>(slot.default_value);
    if (!draft_.seed) {
      warn("visa-info-mask", in_.here(0),
           silent() ? ""
                    : fmt::format("{} without a channel mask is read as {}.RGBA", description.mnemonic,
                                  description.mnemonic));
      note("the tool requires the mask; the document has none");
    }
  } else {
    return expected(silent() ? "" : fmt::format("'.' and a channel mask after {}", description.mnemonic));
  }
  return true;
}

/// <RTI><A>...: letters exactly so (RTW-1). An unknown flag is lost in the encoding, as in the tool: an error when
/// judging.
bool Suffixes::rt_flags(const Slot& slot, std::uint64_t& out) {
  while (in_.peek() == '<') {
    const Scanner::Mark start = in_.mark();
    in_.skip();
    const std::string_view word = in_.word();
    if (in_.peek() != '>') return expected("'>' after a flag");
    in_.skip();
    const isa::Code* code = slot.codes->find(word);
    const bool repeated = code != nullptr && (out & code->code) != 0;
    if (code != nullptr) out |= code->code;
    if (code != nullptr && !repeated) continue;
    const Span span = in_.span_from(start);
    const std::string message = silent()   ? ""
                                : repeated ? fmt::format("flag {} is repeated", shown(word))
                                           : fmt::format("unknown flag {}; it is ignored", shown(word));
    violation("visa-rt-flag", span, message);
    if (!silent() && !repeated) note("flags are " + code_list(*slot.codes));
  }
  return true;
}

}  // namespace heddle::text
