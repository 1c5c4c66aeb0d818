// SPDX-License-Identifier: MIT
// One place reads the environment; its table names every variable that anything of the repository reads.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "base/environment/environment.hpp"
#include "support/process.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;
const fs::path kRoot = HEDDLE_SOURCE_DIR;

/// Path -> text of the sources and scripts below a folder.
std::map<std::string, std::string> sources_below(const std::string& folder) {
  std::map<std::string, std::string> texts;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
    const std::string extension = entry.path().extension().string();
    if (!entry.is_regular_file() || (extension != ".cpp" && extension != ".hpp" && extension != ".h" &&
                                     extension != ".c" && extension != ".py" && extension != ".inc"))
      continue;
    texts[entry.path().lexically_relative(kRoot).generic_string()] = test::read_text(entry.path());
  }
  return texts;
}

std::set<std::string> table_names() {
  std::set<std::string> names;
  for (const base::EnvironmentVariable& row : base::environment_variables()) names.emplace(row.name);
  return names;
}

TEST(Environment, OnePlaceReadsIt) {
  const auto reads = [](const std::string& text) {
    return text.find("getenv") != std::string::npos || text.find("environ[") != std::string::npos ||
           text.find("= environ;") != std::string::npos;
  };
  for (const char* folder : {"src", "layer", "include", "python", "examples"})
    for (const auto& [path, text] : sources_below(folder)) {
      if (path == "src/base/environment/environment.cpp" || path == "layer/settings.cpp" || path.ends_with(".py"))
        continue;
      EXPECT_FALSE(reads(text)) << path << " reads the environment past base/environment/environment.hpp";
    }
  EXPECT_TRUE(reads(test::read_text(kRoot / "src/base/environment/environment.cpp")));
}

// Python's own few: each is in the table, with Python as its reader.
TEST(Environment, PythonReadsWhatTheTableSays) {
  std::set<std::string> python;
  for (const base::EnvironmentVariable& row : base::environment_variables())
    if (row.reader == base::VariableReader::Python) python.emplace(row.name);
  const std::regex any(R"re(os\.environ|os\.getenv)re"), named(R"re((?:os\.environ\.get|os\.getenv)\("([A-Z_]+)")re");
  std::set<std::string> found;
  for (const auto& [path, text] : sources_below("python")) {
    const auto count = [&](const std::regex& what) {
      return std::distance(std::sregex_iterator(text.begin(), text.end(), what), std::sregex_iterator());
    };
    EXPECT_EQ(count(any), count(named)) << path << " reads the environment in a way that this test does not know";
    for (std::sregex_iterator i(text.begin(), text.end(), named), end; i != end; ++i) {
      EXPECT_TRUE(python.count((*i)[1]) != 0) << path << " reads " << (*i)[1];
      found.insert((*i)[1]);
    }
  }
  EXPECT_EQ(found, python);
}

// What tests and benchmarks read by name, in C++, Python and scripts.
TEST(Environment, TestsReadWhatTheTableSays) {
  const std::set<std::string> table = table_names();
  const std::regex name(R"re("(HEDDLE_[A-Z_]+)"|environ(?:\.get)?[\[(]["'](HEDDLE_[A-Z_]+)["'])re");
  std::set<std::string> found;
  for (const char* folder : {"tests", "bench", "python", "src", "layer"})
    for (const auto& [path, text] : sources_below(folder)) {
      if (text.find("HEDDLE_") == std::string::npos || path.starts_with("src/base/environment/table") ||
          path.ends_with("/environment_test.cpp"))
        continue;
      for (std::sregex_iterator i(text.begin(), text.end(), name), end; i != end; ++i) {
        const std::string variable = (*i)[1].matched ? (*i)[1] : (*i)[2];
        if (text.find("define " + variable) != std::string::npos) continue;  // of the preprocessor
        EXPECT_TRUE(table.count(variable) != 0) << path << " reads " << variable << ", which the table does not have";
        found.insert(variable);
      }
    }
  const std::regex expanded(R"re(\$\{?((?:HEDDLE|FUZZ)_[A-Z_]+))re");
  for (const char* script : {"dev", ".ci/run", ".ci/short-fuzz", "bench/run", "examples/run-gallery"}) {
    const std::string text = test::read_text(kRoot / script);
    for (std::sregex_iterator i(text.begin(), text.end(), expanded), end; i != end; ++i) {
      EXPECT_TRUE(table.count((*i)[1]) != 0) << script << " reads " << (*i)[1] << ", which the table does not have";
      found.insert((*i)[1]);
    }
  }
  // The other way round: no row is about a variable that nothing reads.
  for (const base::EnvironmentVariable& row : base::environment_variables())
    if (row.reader == base::VariableReader::Development)
      EXPECT_TRUE(found.count(std::string(row.name)) != 0) << "nothing reads " << row.name;
}

}  // namespace
}  // namespace heddle
