// SPDX-License-Identifier: MIT
#pragma once
// Finds the rule ids that a file cites. The build embeds the result, a test checks it against the book.
//
// What counts, where F is a family of the book: F-1 and ids of messages in comments and strings; F1, which may also be
// the name of a register or a file, in comments; both in names of tests, there without the hyphen (Suite, F1_Title_F2;
// Suite, Om9Om20Title for OM-9 and OM-20).
// Ranges of one family count whole: F-1 to F-4, F-1..F-4, F-1..4.

#include <set>
#include <string>
#include <string_view>

namespace heddle::verify {

enum class FileKind {
  Code,      ///< C++, vISA, GLSL, OpenCL: // and /* */ are comments
  Assembly,  ///< SPIR-V: ; begins a comment
  Document,  ///< Markdown: all of it is a comment
  Text,      ///< JSON and others: all of it is a string
};
/// By the file's extension; false where the file cites nothing (binaries).
[[nodiscard]] bool file_kind(std::string_view path, FileKind& kind);

struct Citations {
  std::set<std::string> known;    ///< ids of the book
  std::set<std::string> unknown;  ///< have the form of an upper-case id, are not in the book
};

class CitationScanner {
 public:
  explicit CitationScanner(std::set<std::string> ids);
  [[nodiscard]] Citations scan(std::string_view text, FileKind kind) const;

 private:
  void scan_prose(std::string_view text, bool bare, Citations& found) const;
  void scan_test_names(std::string_view code, Citations& found) const;
  void cite(const std::string& family, bool hyphen, unsigned first, unsigned last, Citations& found) const;

  std::set<std::string> ids_;
  std::set<std::string> hyphen_, bare_;  ///< with a hyphen in their ids, and without
};

}  // namespace heddle::verify
