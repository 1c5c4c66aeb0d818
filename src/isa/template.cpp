// SPDX-License-Identifier: MIT
#include <algorithm>

#include "isa/layout.hpp"

namespace heddle::isa {
namespace {

struct Style {
  std::string_view name;
  TextKind kind;
  std::array<std::string_view, 10> parts = {};  ///< after the main slot
};
constexpr Style kStyles[] = {
    {"hex", TextKind::Hex},
    {"hex64", TextKind::Hex64, {"desc_high"}},
    {"list", TextKind::LabelList},
    {"name", TextKind::Name},
    {"origin", TextKind::Origin},
    {"data", TextKind::LscData, {"data_size", "order", "elems", "chmask"}},
    {"quad", TextKind::LscQuad, {"data_size", "elems", "chmask"}},
    {"block", TextKind::LscBlock, {"data_size", "blocks", "width", "height", "order", "vnni"}},
    {"addr", TextKind::LscAddress, {"addr_type", "scale", "imm_offset", "addr_size", "surface", "surface_index"}},
    {"strided",
     TextKind::LscStrided,
     {"addr_type", "scale", "imm_offset", "addr_size", "surface", "surface_index", "pitch"}},
    {"typed",
     TextKind::LscTyped,
     {"addr_type", "addr_size", "surface", "v", "r", "lod", "surface_index", "u_offset", "v_offset", "r_offset"}},
    {"model", TextKind::LscSurface, {"addr_type", "surface_index"}},
    {"block_addr",
     TextKind::LscBlockAddress,
     {"surf_width", "surf_height", "surf_pitch", "x", "y", "x_offset", "y_offset"}},
    {"block_payload", TextKind::LscBlockPayload, {"x_offset", "y_offset"}},
    {"rows", TextKind::LscRows, {"width", "height"}},
    {"rows_addr", TextKind::LscRowsAddress, {"y", "addr_type", "surface", "surface_index", "x_offset", "y_offset"}},
};

class TemplateParser {
 public:
  TemplateParser(std::string_view text, InstructionDescription& description) : rest_(text), description_(description) {}

  std::string run() {
    add_mnemonic_suffixes();
    while (!rest_.empty() && error_.empty()) step();
    add_saturation();
    for (const TextElement& e : description_.text)
      for (const std::int8_t slot : e.parts)
        if (slot >= 0) description_.shown |= std::uint64_t{1} << slot;
    return error_;
  }

 private:
  void fail(std::string message) {
    if (error_.empty()) error_ = std::move(message);
  }
  void push(TextElement element) {
    element.suffix = suffix_;
    element.group = group_;
    element.optional |= group_ != 0;
    description_.text.push_back(element);
  }

  /// "sbarrier.signal": the words after the first dot are literal suffixes.
  void add_mnemonic_suffixes() {
    std::string_view tail = description_.mnemonic.substr(description_.word.size());
    while (!tail.empty()) {
      const std::size_t end = std::min(tail.find('.', 1), tail.size());
      push({.kind = TextKind::Literal, .word = tail.substr(0, end)});
      tail.remove_prefix(end);
    }
  }

  /// The encoding has room for saturation in every destination, so the text has too; checks judge it.
  void add_saturation() {
    auto& text = description_.text;
    if (std::ranges::none_of(description_.slots, &Slot::is_saturable) ||
        std::ranges::any_of(text, [](const TextElement& e) { return e.kind == TextKind::Saturation; }))
      return;
    const auto last = std::ranges::find_if_not(text, &TextElement::suffix);
    text.insert(last, {.kind = TextKind::Saturation, .suffix = true, .optional = true});
  }

  void step() {
    const char c = rest_.front();
    if (c == ' ') {
      suffix_ = false;
      rest_.remove_prefix(1);
    } else if (c == '[') {
      group_ = ++groups_;
      rest_.remove_prefix(1);
    } else if (c == ']') {
      group_ = 0;
      rest_.remove_prefix(1);
    } else if (c == '{') {
      rest_.remove_prefix(1);
      const std::string_view body = take_until(rest_, "}");
      if (!rest_.empty()) rest_.remove_prefix(1);
      element(body);
    } else if (c == '.') {
      const std::size_t end = std::min(rest_.find_first_of(" .{[]", 1), rest_.size());
      push({.kind = TextKind::Literal, .word = rest_.substr(0, end)});
      rest_.remove_prefix(end);
    } else {
      suffix_ = false;
      push({.kind = TextKind::Literal, .word = rest_.substr(0, 1)});
      rest_.remove_prefix(1);
    }
  }

  void element(std::string_view body) {
    if (body == "E") {
      description_.text_has_exec = true;
      suffix_ = false;
      return push({.kind = TextKind::Exec});
    }
    if (body == ".sat") return push({.kind = TextKind::Saturation, .optional = true});
    TextElement e;
    const bool suffix = body.starts_with('.');
    suffix_ = suffix_ && suffix;
    if (suffix) body.remove_prefix(1);
    if (body.ends_with('?')) {
      body.remove_suffix(1);
      e.optional = e.omit_default = true;
    }
    std::string_view style = body;
    std::string_view name = take_until(style, ":");
    if (!style.empty()) style.remove_prefix(1);
    if (name == "T") name = "surface";
    if (name == "S") name = "sampler";
    if (name == "D") name = "dst";
    e.slot = static_cast<std::int16_t>(description_.slot_index(name));
    if (e.slot < 0) return fail("text names no slot: " + std::string(name));
    e.parts[0] = static_cast<std::int8_t>(e.slot);
    if (suffix)
      set_suffix_style(style, e);
    else
      set_operand_style(style, e);
    push(e);
  }

  void set_suffix_style(std::string_view style, TextElement& e) {
    if (style.empty())
      e.kind = TextKind::Suffix;
    else if (style == "x")
      e.kind = TextKind::SuffixHex;
    else if (style == "rt")
      e.kind = TextKind::SuffixFlags, e.optional = e.omit_default = true;
    else if (style == "letters")
      e.kind = TextKind::SuffixLetters, e.optional = e.omit_default = true;
    else if (style == "cache") {
      e.kind = TextKind::SuffixCache, e.optional = true;
      e.parts[1] = static_cast<std::int8_t>(description_.slot_index("l2"));
      e.parts[2] = static_cast<std::int8_t>(description_.slot_index("l3"));
    } else if (style == "channel")
      e.kind = TextKind::SuffixChannel;
    else if (style.starts_with("flag=")) {
      e.kind = TextKind::SuffixFlag;
      e.word = style.substr(5);
      e.optional = e.omit_default = true;
    } else
      fail("unknown suffix style " + std::string(style));
  }

  void set_operand_style(std::string_view style, TextElement& e) {
    e.kind = TextKind::Operand;
    if (style.empty()) return;
    for (const Style& s : kStyles) {
      if (s.name != style) continue;
      e.kind = s.kind;
      for (std::size_t i = 0; i < s.parts.size() && !s.parts[i].empty(); ++i)
        e.parts[i + 1] = static_cast<std::int8_t>(description_.slot_index(s.parts[i]));
      return;
    }
    fail("unknown style " + std::string(style));
  }

  std::string_view rest_;
  InstructionDescription& description_;
  std::string error_;
  bool suffix_ = true;
  std::uint8_t group_ = 0, groups_ = 0;
};

/// The default template: saturation, execution size, all slots in layout order.
std::string default_template(const InstructionDescription& description) {
  std::string text = description.traits.saturate != Saturate::No ? "{.sat}" : "";
  if (description.has_exec) text += " {E}";
  for (const Slot& slot : description.slots)
    if (!slot.newer_only) text += " {" + std::string(slot.name) + "}";
  return text;
}

}  // namespace

std::string parse_template(const InstructionEntry& entry, InstructionDescription& description) {
  description.template_text = entry.text.empty() ? default_template(description) : std::string(entry.text);
  return TemplateParser(description.template_text, description).run();
}

}  // namespace heddle::isa
