// SPDX-License-Identifier: MIT
// Every source file names its license.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "support/process.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;
const fs::path kRoot = HEDDLE_SOURCE_DIR;

TEST(House, SourcesNameTheirLicense) {
  const std::set<std::string> endings = {".cpp", ".hpp", ".h", ".inc", ".py", ".cmake"};
  const std::set<std::string> inputs = {"data", "malformed", "corpus", "cases", "__pycache__", "node_modules"};
  for (const char* top :
       {"src", "layer", "include", "tests", "bench", "examples", "python", "cmake", "docs", "debug", "packaging"})
    for (auto i = fs::recursive_directory_iterator(kRoot / top); i != fs::recursive_directory_iterator(); ++i) {
      if (i->is_directory() && inputs.count(i->path().filename().string()) != 0) i.disable_recursion_pending();
      if (!i->is_regular_file() || endings.count(i->path().extension().string()) == 0) continue;
      const std::string text = test::read_text(i->path());
      std::size_t end = 0;
      for (int line = 0; line < 3 && end < text.size(); ++line) end = std::min(text.find('\n', end), text.size()) + 1;
      EXPECT_NE(text.substr(0, end).find("SPDX-License-Identifier: MIT"), std::string::npos)
          << i->path() << " does not name its license in its first lines";
    }
}

}  // namespace
}  // namespace heddle
