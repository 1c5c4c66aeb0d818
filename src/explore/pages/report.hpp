// SPDX-License-Identifier: MIT
#pragma once
// A report: one HTML file with the page and the documents, which loads nothing from anywhere.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "explore/documents/documents.hpp"

namespace heddle::explore {

/// The page (web/) as it was bundled when the program was built; empty where esbuild was missing.
extern const std::string_view kPageScript, kPageStyle;
/// The SHA256 hash of each as hexadecimal digits, for the page's content security policy.
extern const std::string_view kPageScriptHash, kPageStyleHash;
/// Whether the program has a page to show.
[[nodiscard]] bool has_page();

struct Report {
  std::string html;
  std::size_t documents = 0;  ///< that it has
  std::size_t left_out = 0;   ///< for which there was no room
};

/// The documents in the order of their priority, until the file has `size` bytes; those that are always there are taken
/// whatever it is. `title`: of the browser's window. Id: explore-page, where the program has no page.
[[nodiscard]] base::Result<Report> make_report(const Documents& documents, const std::string& title,
                                               std::uint64_t size);

/// The page alone, whose documents come from the server that it was loaded from: they are asked for below `prefix`.
[[nodiscard]] base::Result<std::string> make_served_page(const std::string& title, const std::string& prefix);

}  // namespace heddle::explore
