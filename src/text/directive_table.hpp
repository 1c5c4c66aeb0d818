// SPDX-License-Identifier: MIT
#pragma once
// The directives of the text: one table for the parser's suggestions and `heddle explain`.

#include <span>
#include <string_view>

namespace heddle::text {

struct Directive {
  std::string_view word;     ///< without the point
  std::string_view form;     ///< how it is written
  std::string_view meaning;  ///< one or more sentences
  std::string_view example;
  std::string_view rules;  ///< ids of the rule book
};

[[nodiscard]] std::span<const Directive> directives();
/// Of ".decl" or "decl"; null for other words.
[[nodiscard]] const Directive* find_directive(std::string_view word);

}  // namespace heddle::text
