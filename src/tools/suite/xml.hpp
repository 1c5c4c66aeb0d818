// SPDX-License-Identifier: MIT
#pragma once
// Text in XML.

#include <string>
#include <string_view>

namespace heddle::tools {

/// With the characters that mean something in XML written as references; control characters, which XML does not have,
/// become question marks.
[[nodiscard]] inline std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t')
      out += '?';
    else
      out += c;
  }
  return out;
}

}  // namespace heddle::tools
