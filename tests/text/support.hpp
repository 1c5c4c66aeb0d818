// SPDX-License-Identifier: MIT
#pragma once
// What the tests of the text family share.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "text/text.hpp"

namespace heddle::text {

inline std::string source_dir() { return HEDDLE_SOURCE_DIR; }
inline std::string data_dir() { return source_dir() + "/tests/data"; }
std::string read_all(const std::string& path);
std::vector<std::string> split(std::string_view text, char separator);
/// Every file below `folder` whose name ends with `ending`, sorted.
std::vector<std::string> files_below(const std::string& folder, std::string_view ending);

/// Diagnostics in clang's style with source lines, for failure messages.
std::string show(const base::Diagnostics& diagnostics, std::string_view source);

/// Parses; fails the test and returns nothing when there are errors.
std::optional<isa::Program> must_parse(std::string_view source, const ParseOptions& options = {});

/// A line of golden/*.txt: platform, text (with real line breaks), and the further columns.
struct GoldenLine {
  std::string file;
  int line = 0;
  isa::Platform platform = isa::Platform::SKL;
  std::string text;
  std::vector<std::string> columns;
};
std::vector<GoldenLine> golden_lines(const std::string& name);
/// Prologue, the text, final return.
std::string golden_program(const std::string& text);

/// Everything of two programs but source positions. Empty: equal; else what differs.
std::string difference(const isa::Program& a, const isa::Program& b);

}  // namespace heddle::text
