// SPDX-License-Identifier: MIT
// Rules: TXT-35.
#include "text/comments.hpp"

#include "text/scanner.hpp"

namespace heddle::text {

std::string_view comment_field(std::string_view comment, std::string_view key) {
  if (comment.empty()) return {};  // nearly every line
  Scanner in(comment);
  while (true) {
    while (in.peek() == ' ') in.skip();
    const std::string_view name = in.name();
    if (name.empty() || in.peek() != '=') return {};
    in.skip();
    const std::size_t begin = in.offset();
    const bool quoted = in.peek() == '"';
    if (quoted) in.skip();
    while (!in.at_end() && in.peek() != (quoted ? '"' : ' '))
      in.skip(quoted && in.peek() == '\\' && in.peek(1) != '\0' ? 2 : 1);
    if (quoted && !in.at_end()) in.skip();
    if (name == key) return comment.substr(begin, in.offset() - begin);
  }
}

}  // namespace heddle::text
