// SPDX-License-Identifier: MIT
#include "tools/batch/operation_page.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/diagnostic.hpp"
#include "tools/batch/batch.hpp"

namespace heddle::tools {
namespace {

/// The lines of the part that begins with that heading, up to the next one.
std::vector<std::string_view> part_of(std::string_view page, std::string_view heading) {
  std::vector<std::string_view> lines;
  bool inside = false;
  while (!page.empty()) {
    const std::size_t end = page.find('\n');
    const std::string_view line = page.substr(0, end);
    page.remove_prefix(end == std::string_view::npos ? page.size() : end + 1);
    if (line.starts_with('#')) {
      if (inside) break;
      inside = line == heading;
    } else if (inside) {
      lines.push_back(line);
    }
  }
  while (!lines.empty() && lines.front().empty()) lines.erase(lines.begin());
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace

std::string operation_text(std::string_view word, bool json) {
  const bool define = word == "define";  // no operation, but a line of the same page
  const std::string name = define ? "define" : batch_operation(word);
  if (name.empty()) return {};
  std::string text, requests, answers;
  std::string* block = nullptr;
  std::string plain = fmt::format("{} ({} of heddle batch; docs/batch.md)\n", name, define ? "names" : "an operation");
  for (const std::string_view line : part_of(kBatchPage, define ? "## Names: `define`" : "#### " + name)) {
    if (line.starts_with("```")) {
      const bool request = line == "```json request", answer = line == "```json answer";
      block = request ? &requests : answer ? &answers : nullptr;
      if (request) plain += "  request:\n";
      if (answer) plain += "  answer:\n";
      continue;
    }
    if (block == nullptr && line.empty()) continue;
    plain += fmt::format("{}{}\n", block != nullptr ? "    " : "  ", line);
    std::string& part = block != nullptr ? *block : text;
    part += fmt::format("{}{}", part.empty() ? "" : block != nullptr ? "\n" : " ", line);
  }
  if (!json) return plain;
  return fmt::format("{{\"kind\":\"operation\",\"name\":{},\"text\":{},\"request\":{},\"answer\":{}}}\n",
                     base::json_quote(name), base::json_quote(text), base::json_quote(requests),
                     base::json_quote(answers));
}

}  // namespace heddle::tools
