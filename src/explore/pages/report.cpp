// SPDX-License-Identifier: MIT
#include "explore/pages/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.hpp"

namespace heddle::explore {
namespace {

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

/// A hash as the content security policy has it.
std::string source_of(std::string_view hex) {
  const auto digit = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); };
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(digit(hex[i]) << 4 | digit(hex[i + 1])));
  std::string text = "'sha256-";
  base::append_base64(text, bytes);
  return text + "'";
}

/// All before the documents. `connect`: what the page may load.
std::string head(const std::string& title, std::string_view connect) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {}; style-src {}; "
      "connect-src {}; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main id=\"app\"><p>This page needs "
      "JavaScript.</p></main>\n",
      source_of(kPageScriptHash), source_of(kPageStyleHash), connect, html_text(title), kPageStyle);
}

std::string tail() { return fmt::format("<script>{}</script>\n</body>\n</html>\n", kPageScript); }

base::Diagnostic no_page() {
  return base::error("explore-page", "this program was built without the explorer's page")
      .note("it is bundled by esbuild (Debian's package of that name) when the program is built");
}

}  // namespace

bool has_page() { return !kPageScript.empty(); }

base::Result<Report> make_report(const Documents& documents, const std::string& title, std::uint64_t size) {
  if (!has_page()) return no_page();
  Report report;
  report.html = head(title, "'none'");
  const std::string end = tail();
  std::vector<const Document*> order;
  for (const Document& document : documents) order.push_back(&document);
  std::stable_sort(order.begin(), order.end(),
                   [](const Document* a, const Document* b) { return a->priority < b->priority; });
  for (const Document* document : order) {
    const std::vector<std::uint8_t> packed = document->unpacked != 0 ? document->bytes : deflate(document->bytes);
    const std::size_t room = packed.size() / 3 * 4 + document->name.size() + 100;
    if (document->priority != Priority::Always && report.html.size() + room + end.size() > size) {
      ++report.left_out;
      continue;
    }
    // A block of data: its type is no script's, so nothing runs it.
    report.html += fmt::format("<script type=\"application/x-heddle\" data-name=\"{}\">", html_text(document->name));
    base::append_base64(report.html, packed);
    report.html += "</script>\n";
    ++report.documents;
  }
  report.html += end;
  return report;
}

base::Result<std::string> make_served_page(const std::string& title, const std::string& prefix) {
  if (!has_page()) return no_page();
  return head(title, "'self'") +
         fmt::format("<script type=\"application/x-heddle-server\" data-prefix=\"{}\"></script>\n", html_text(prefix)) +
         tail();
}

}  // namespace heddle::explore
