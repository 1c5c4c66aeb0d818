// SPDX-License-Identifier: MIT
#pragma once
// `heddle explain`: a rule or an instruction, in words or as JSON, and the generated reference.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace heddle::verify {

/// The rule with this id (of the catalog of checks or the rule book), the instructions with this mnemonic (a family's
/// name and the name of a document page work too), or the page of the rule book; any letter case. Fails with
/// explain-unknown and the nearest known word.
[[nodiscard]] base::Result<std::string> explain(std::string_view word, bool json = false);

/// Every word that explain knows, in no order.
[[nodiscard]] std::vector<std::string> explained_words();

/// The same for people: ids by area, mnemonics by family, the pages of the rule book.
[[nodiscard]] std::string explain_index(bool json = false);

/// A generated page: its path below docs and Markdown text.
struct ReferencePage {
  std::string name;  ///< its path, relative to docs/
  std::string text;
};
/// Index, checks, and one page for each instruction family. The same program gives the same bytes. `more_checks` is
/// the part of the page of checks that other catalogs write.
[[nodiscard]] std::vector<ReferencePage> reference_pages(std::string_view more_checks);

}  // namespace heddle::verify
