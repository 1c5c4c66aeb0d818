// SPDX-License-Identifier: MIT
// Rules: ENC-14, TXT-15, TXT-35.
#include "text/statements/attributes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "text/comments.hpp"

namespace heddle::text {
namespace {

using isa::Attribute;

isa::Position position(Span span, std::size_t offset) { return {span.line, span.column, offset}; }

}  // namespace

bool Attributes::attribute_list(std::vector<Attribute>& attributes) {
  if (!in_.accept('{')) return expected("'{' and a list of attributes");
  do {
    if (attributes.size() >= 255) return error("visa-attr-value", in_.here(0), "a variable has at most 255 attributes");
    if (!attribute(attributes, false)) return false;
  } while (in_.accept(','));
  return in_.accept('}') || expected("',' or '}'");
}

/// Name [= value]; known names decide how the value is stored (TXT-15, ENC-14).
bool Attributes::attribute(std::vector<Attribute>& attributes, bool object_level) {
  in_.space();
  const Scanner::Mark start = in_.mark();
  Attribute a;
  std::string_view name;
  if (in_.peek() != '"' && !is_name_start(in_.peek())) return expected("an attribute name");
  if (!symbols_.label_name(name)) return false;
  const Span span = in_.span_from(start);
  const AttributeRule* rule = find_attribute(name);
  if (rule == nullptr || rule->object != object_level) judge_name(name, span, rule);
  a.name = std::string(name);
  a.position = position(span, in_.offset());
  if (in_.accept('=')) {
    in_.space();
    bool off = false;
    if (in_.peek() == '"' ? !text_value(a, rule) : !number_value(a, rule, off)) return false;
    if (off) return true;  // a boolean that is off has no entry
  }
  attributes.push_back(std::move(a));
  return true;
}

/// A name that is unknown, or belongs elsewhere.
void Attributes::judge_name(std::string_view name, Span span, const AttributeRule* rule) {
  if (rule == nullptr) {
    warn("visa-attr-unknown", span, silent() ? "" : fmt::format("unknown attribute {}; it is kept", shown(name)));
    if (!silent()) suggest(name, attribute_names());
  } else {
    warn("visa-attr-unknown", span,
         silent() ? ""
                  : fmt::format("attribute {} belongs to {}", shown(name),
                                rule->object ? "kernels and functions" : "variables"));
  }
}

bool Attributes::text_value(Attribute& a, const AttributeRule* rule) {
  const Scanner::Mark at = in_.mark();
  std::string text;
  if (!literals_.string(text)) return false;
  if (text.size() > 255) return error("visa-attr-value", in_.span_from(at), "an attribute value has at most 255 bytes");
  if (rule != nullptr && rule->value == AttributeValue::TargetName) {
    if (text != "cm" && text != "3d")
      return error("visa-attr-value", in_.span_from(at),
                   silent() ? "" : fmt::format("Target is {}; it must be \"cm\" or \"3d\"", shown(text)));
    a.value = {static_cast<std::uint8_t>(text == "3d")};
    return true;
  }
  if (rule != nullptr && rule->value != AttributeValue::String)
    violation("visa-attr-value", in_.span_from(at),
              silent() ? ""
                       : fmt::format("attribute {} takes {}", a.name,
                                     rule->value == AttributeValue::Bool ? "no value" : "an integer"));
  a.value.assign(text.begin(), text.end());
  a.is_string = true;
  return true;
}

/// `off`: the attribute is a boolean, and 0.
bool Attributes::number_value(Attribute& a, const AttributeRule* rule, bool& off) {
  const Scanner::Mark at = in_.mark();
  Number n;
  if (!numbers_.number(n, Operators::All)) return false;
  const std::int64_t value = n.cut ? static_cast<std::int64_t>(static_cast<std::uint32_t>(n.value)) : n.value;
  if (n.is_real || value < INT32_MIN || value > 0xffffffff)
    return error("visa-text-number", in_.span_from(at), "attribute value does not fit 32 bits");
  if (rule != nullptr && rule->value == AttributeValue::String)
    violation("visa-attr-value", in_.span_from(at), silent() ? "" : fmt::format("attribute {} takes a string", a.name));
  if (rule != nullptr && rule->value == AttributeValue::TargetName) {
    if (value != 0 && value != 1) violation("visa-attr-value", in_.span_from(at), "Target must be \"cm\" or \"3d\"");
    if (value < 0 || value > 255) return error("visa-text-number", in_.span_from(at), "Target is one byte");
    a.value = {static_cast<std::uint8_t>(value)};
  } else if (rule == nullptr || rule->value != AttributeValue::Bool) {
    for (int i = 0; i < 4; ++i)
      a.value.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * i)));
  } else {
    off = value == 0;
  }
  return true;
}

bool Attributes::kernel_attribute() {
  if (c_.object->attributes.size() >= 0xffff)
    return error("visa-attr-value", in_.here(0), "an object has at most 65535 attributes");
  const std::size_t before = c_.object->attributes.size();
  if (!attribute(c_.object->attributes, true)) return false;
  if (in_.line_over()) resize_attributes(std::span(c_.object->attributes).subspan(before));
  return true;
}

void Attributes::resize_attributes(std::span<Attribute> attributes) {
  std::string_view sizes = comment_field(in_.comment(), "bytes");
  while (!sizes.empty()) {
    const std::size_t end = std::min(sizes.find(','), sizes.size()), colon = sizes.rfind(':', end);
    if (colon == std::string_view::npos || colon + 2 != end || !is_digit(sizes[colon + 1])) return;
    const std::size_t bytes = static_cast<std::size_t>(sizes[colon + 1] - '0');
    for (Attribute& a : attributes)
      if (a.name == sizes.substr(0, colon) && !a.is_string && bytes <= 4) a.value.resize(bytes);
    sizes.remove_prefix(std::min(end + 1, sizes.size()));
  }
}

}  // namespace heddle::text
