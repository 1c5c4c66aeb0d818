#pragma once
// `heddle explain`: a rule or an instruction, in words or as JSON, and the generated reference.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace heddle::verify {

/// The rule with this id, or the instructions with this mnemonic (any case; a family's name and the name of a document
/// page work too). Fails with explain-unknown and the nearest known word.
[[nodiscard]] base::Result<std::string> explain(std::string_view word, bool json = false);

/// All words that explain knows: ids by area, then mnemonics by family.
[[nodiscard]] std::string explain_index(bool json = false);

/// A page of docs/reference: file name and Markdown text.
struct ReferencePage {
  std::string name;
  std::string text;
};
/// Index, rules, and one page for each instruction family. The same program gives the same bytes.
[[nodiscard]] std::vector<ReferencePage> reference_pages();

}  // namespace heddle::verify
