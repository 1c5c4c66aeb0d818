// SPDX-License-Identifier: MIT
#pragma once
// Attributes of kernels, functions and variables (TXT-15).

#include <span>
#include <vector>

#include "text/lexical/context.hpp"
#include "text/lexical/literals.hpp"
#include "text/lexical/numbers.hpp"
#include "text/lexical/symbols.hpp"
#include "text/vocabulary.hpp"

namespace heddle::text {

class Attributes : ParserPart {
 public:
  Attributes(ParseContext& context, Literals& literals, Symbols& symbols, Numbers& numbers)
      : ParserPart(context), literals_(literals), symbols_(symbols), numbers_(numbers) {}

  /// {NAME=VALUE, ...} of a variable.
  bool attribute_list(std::vector<isa::Attribute>& attributes);
  /// Behind .kernel_attr.
  bool kernel_attribute();
  /// "// bytes=NAME:1,NAME:2": integers that other tools stored in fewer bytes (TXT-35).
  void resize_attributes(std::span<isa::Attribute> attributes);

 private:
  bool attribute(std::vector<isa::Attribute>& attributes, bool object_level);
  void judge_name(std::string_view name, Span span, const AttributeRule* rule);
  bool text_value(isa::Attribute& a, const AttributeRule* rule);
  bool number_value(isa::Attribute& a, const AttributeRule* rule, bool& off);

  Literals& literals_;
  Symbols& symbols_;
  Numbers& numbers_;
};

}  // namespace heddle::text
