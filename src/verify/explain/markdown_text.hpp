// SPDX-License-Identifier: MIT
#pragma once
// Text for a terminal.

#include <string>
#include <string_view>

namespace heddle::verify {

/// Breaks a paragraph at blanks; every line is indented.
[[nodiscard]] std::string paragraph(std::string_view text, std::string_view indent, std::size_t width = 100);

/// Markdown as the rule book uses it (paragraphs, lists, code, tables), plain: paragraphs are filled, tables get
/// columns, code blocks stay as they are.
[[nodiscard]] std::string plain_markdown(std::string_view markdown, std::string_view indent, std::size_t width = 100);

}  // namespace heddle::verify
