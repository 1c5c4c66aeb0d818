// SPDX-License-Identifier: MIT
// Words of the code: greatest and least values are kMax and kMin, spelling is American; types that every compiler
// takes.

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>

#include "support/process.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;
const fs::path kRoot = HEDDLE_SOURCE_DIR;

/// The first place of a match in each source below a folder fails the test.
void expect_none(const std::string& folder, const std::regex& word, const char* instead) {
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".cpp" && extension != ".hpp" && extension != ".inc") continue;
    const std::string text = test::read_text(entry.path());
    std::smatch found;
    EXPECT_FALSE(std::regex_search(text, found, word))
        << entry.path().lexically_relative(kRoot).string() << " has '" << found.str() << "': " << instead;
  }
}

TEST(Words, GreatestAndLeastValuesAreMaxAndMin) {
  const std::regex other("\\bk(Most|Least|Greatest|Smallest)([A-Z]\\w*)?\\b");
  for (const char* folder : {"src", "layer", "include", "python", "bench", "examples"})
    expect_none(folder, other, "kMax and kMin");
}

TEST(Words, IdentifiersAreAmerican) {
  const std::regex british(
      "\\b\\w*(Behaviour|behaviour|Colour|colour_|Specialis|specialis|Normalis|normalis|Initialis|initialis)\\w*\\b");
  for (const char* folder : {"src", "layer", "include"}) expect_none(folder, british, "American spelling");
}

// In a class template g++ 12 takes no vector size that depends on a parameter. _Float16 is for clang alone.
TEST(Words, VectorsOfWLanesAreThoseOfVectorTypes) {
  const std::regex dependent("typedef (?!_Float16)[^\\n;]*vector_size\\([^\\n;]*\\bW\\b[^\\n;]*;[ ]*\\n");
  const std::string own = "  typedef std::uint64_t Pairs __attribute__((vector_size(4 * W)));\n";
  ASSERT_TRUE(std::regex_search(own, dependent));
  for (const char* folder : {"src/texture", "src/render_target"}) expect_none(folder, dependent, "Lanes has it");
}

}  // namespace
}  // namespace heddle
