// SPDX-License-Identifier: MIT
// docs/write-a-kernel.md: its files and commands give what stands below them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "support/process.hpp"

namespace fs = std::filesystem;

namespace {

/// Lines of what a command printed, against those of the page: "..." is any number of lines, "...word..." one line with
/// that word.
bool matches(const std::vector<std::string>& wanted, const std::vector<std::string>& printed, std::size_t w = 0,
             std::size_t p = 0) {
  if (w == wanted.size()) return p == printed.size();
  if (wanted[w] == "...") {
    for (std::size_t skip = p; skip <= printed.size(); ++skip)
      if (matches(wanted, printed, w + 1, skip)) return true;
    return false;
  }
  if (p == printed.size()) return false;
  const std::string& line = wanted[w];
  const bool part = line.size() > 6 && line.starts_with("...") && line.ends_with("...");
  const bool same = part ? printed[p].find(line.substr(3, line.size() - 6)) != std::string::npos : printed[p] == line;
  return same && matches(wanted, printed, w + 1, p + 1);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  std::istringstream in(command);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

TEST(WriteAKernel, EveryStepRunsAsThePageSays) {
  const heddle::test::TemporaryFolder folder;
  const std::string program = fs::absolute(HEDDLE_PROGRAM).string();
  std::string kind, name, text;
  std::vector<std::string> block;
  std::size_t commands = 0, files = 0;
  const auto run_commands = [&] {
    for (std::size_t i = 0; i < block.size();) {
      ASSERT_TRUE(block[i].starts_with("$ heddle ")) << block[i];
      const std::string command = block[i++];
      std::vector<std::string> words = words_of(command.substr(2)), wanted;
      words[0] = program;
      while (i < block.size() && !block[i].starts_with("$ ")) wanted.push_back(block[i++]);
      const auto o = heddle::test::run(words, {}, folder.path());
      const std::vector<std::string> printed = lines_of(o.out + o.err);
      EXPECT_TRUE(matches(wanted, printed)) << command << "\nprints\n" << o.out << o.err;
      ++commands;
    }
  };
  for (const std::string& line : lines_of(heddle::test::read_text("docs/write-a-kernel.md"))) {
    if (!line.starts_with("```")) {
      if (!kind.empty()) block.push_back(line);
      continue;
    }
    if (kind == "visaasm") {
      text.clear();
      for (std::size_t i = 1; i < block.size(); ++i) text += block[i] + "\n";
      heddle::test::write_text(folder / block.at(0), text);
      ++files;
    } else if (kind == "console") {
      run_commands();
    }
    kind = kind.empty() ? line.substr(3) : std::string();
    block.clear();
  }
  EXPECT_GE(files, 5u);
  EXPECT_GE(commands, 8u);
}

}  // namespace
