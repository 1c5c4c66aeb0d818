// The house's one-way includes: a folder includes only from folders above it in the list of docs/architecture.md.
// Tests keep the system's temporary folder clean.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "support/process.hpp"

namespace {

namespace fs = std::filesystem;

// Folder -> what it may include (itself always). The rows mirror the table of docs/architecture.md.
const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"base", {}},
    {"image", {"base"}},
    {"texture", {"base", "image"}},
    {"render_target", {"base", "image", "texture"}},
    {"isa", {"base"}},
    {"machine", {"base", "image", "texture", "render_target", "isa"}},
    {"instructions", {"base", "image", "texture", "render_target", "isa", "machine"}},
    {"text", {"base", "isa", "instructions"}},
    {"binary", {"base", "isa", "instructions"}},
    {"verify", {"base", "isa", "instructions"}},
    {"spirv", {"base", "image", "texture", "render_target", "isa", "instructions", "text", "binary", "verify"}},
    {"engine", {"base", "image", "texture", "render_target", "isa", "machine", "instructions", "verify"}},
    {"pipeline",
     {"base", "image", "texture", "render_target", "isa", "machine", "instructions", "text", "verify", "engine"}},
    {"shader_interface",
     {"base", "image", "texture", "render_target", "isa", "machine", "instructions", "text", "verify", "engine",
      "pipeline"}},
    {"vulkan",
     {"base", "image", "texture", "render_target", "isa", "machine", "instructions", "text", "binary", "verify",
      "spirv", "engine", "pipeline", "shader_interface"}},
    {"job",
     {"base", "image", "texture", "render_target", "isa", "machine", "instructions", "text", "binary", "verify",
      "spirv", "engine", "pipeline", "shader_interface"}},
    {"library",
     {"base", "image", "texture", "render_target", "isa", "machine", "instructions", "text", "binary", "verify",
      "spirv", "engine", "pipeline", "shader_interface", "job", "heddle"}},
    {"tools",
     {"base", "image", "texture", "render_target", "isa", "machine", "instructions", "text", "binary", "verify",
      "spirv", "engine", "pipeline", "shader_interface", "job", "library", "heddle"}},
};

std::set<std::string> violations(const fs::path& source, const std::map<std::string, std::set<std::string>>& rules) {
  std::set<std::string> found;
  const std::regex include(R"re(^\s*#\s*include\s*"([a-z_]+)/([^"]+)")re");
  for (const auto& entry : fs::recursive_directory_iterator(source)) {
    const fs::path& path = entry.path();
    if (path.extension() != ".cpp" && path.extension() != ".hpp") continue;
    const std::string folder = path.lexically_relative(source).begin()->string();
    std::ifstream in(path);
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
      std::smatch match;
      if (!std::regex_search(line, match, include)) continue;
      const std::string from = match[1];
      if (from == folder) continue;
      const auto rule = rules.find(folder);
      if (rule == rules.end() || rule->second.count(from) == 0)
        found.insert(path.lexically_relative(source).string() + ":" + std::to_string(number) + " includes " + from +
                     "/");
    }
  }
  return found;
}

TEST(House, FoldersIncludeOnlyFromAbove) {
  for (const std::string& violation : violations(fs::path(HEDDLE_SOURCE_DIR) / "src", kMayInclude))
    ADD_FAILURE() << violation;
}

// The public headers stand alone: they are installed without those of src/.
TEST(House, PublicHeadersIncludeOnlyPublicHeaders) {
  for (const std::string& violation : violations(fs::path(HEDDLE_SOURCE_DIR) / "include", {{"heddle", {}}}))
    ADD_FAILURE() << violation;
}

TEST(House, EveryFolderOfTheSourcesIsListed) {
  for (const auto& entry : fs::directory_iterator(fs::path(HEDDLE_SOURCE_DIR) / "src"))
    if (entry.is_directory()) EXPECT_EQ(kMayInclude.count(entry.path().filename().string()), 1u) << entry.path();
}

TEST(House, EveryFolderOfTheSourcesHasAReadme) {
  for (const auto& entry : fs::directory_iterator(fs::path(HEDDLE_SOURCE_DIR) / "src"))
    if (entry.is_directory()) EXPECT_TRUE(fs::exists(entry.path() / "README.md")) << entry.path();
}

// A folder with more sources side by side is several things.
TEST(House, FoldersStaySmall) {
  constexpr int kMax = 26;
  std::map<std::string, int> sources;
  const fs::path root = fs::path(HEDDLE_SOURCE_DIR) / "src";
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const fs::path extension = entry.path().extension();
    if (extension == ".cpp" || extension == ".hpp" || extension == ".inc")
      ++sources[entry.path().parent_path().lexically_relative(root).string()];
  }
  for (const auto& [folder, count] : sources) EXPECT_LE(count, kMax) << folder;
}

// The pipeline runs programs whose resources have slots, not names: it opens no file and reads no tree of keys.
TEST(House, ThePipelineKnowsNoNamesAndNoFiles) {
  const std::regex forbidden(
      R"re(^\s*#\s*include\s*["<](base/(file|node|disk_cache|output)|filesystem|fstream|toml|nlohmann|yaml))re");
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(HEDDLE_SOURCE_DIR) / "src" / "pipeline")) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);)
      EXPECT_FALSE(std::regex_search(line, forbidden)) << entry.path() << ": " << line;
  }
}

// The check itself finds an include that must not be.
TEST(House, AForbiddenIncludeIsFound) {
  const heddle::test::TemporaryFolder folder;
  const fs::path& root = folder.path();
  fs::create_directories(root / "image");
  std::ofstream(root / "image" / "bad.cpp") << "#include \"base/half.hpp\"\n#include \"texture/context.hpp\"\n";
  EXPECT_EQ(violations(root, kMayInclude), std::set<std::string>{"image/bad.cpp:2 includes texture/"});
}

// What an instruction is stands in its row (isa/traits.hpp): no other file compares its mnemonic or family with a word.
TEST(House, NobodyAsksForAnInstructionByItsName) {
  const std::regex asked(
      R"re(\b(mnemonic|description->word|description.word|family)\s*(==|!=)\s*"|\b(mnemonic|family)\.(starts_with|ends_with|find)\(")re");
  EXPECT_TRUE(std::regex_search("d.description->mnemonic == \"movs\"", asked));
  EXPECT_TRUE(std::regex_search("description.mnemonic.starts_with(\"lsc\")", asked));
  EXPECT_FALSE(std::regex_search("mnemonic.find('.')", asked));
  const fs::path root = fs::path(HEDDLE_SOURCE_DIR) / "src";
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
    EXPECT_FALSE(std::regex_search(heddle::test::read_text(entry.path()), asked))
        << entry.path().lexically_relative(root).string() << ": ask a trait of its row";
  }
}

// What tests write goes into folders that are removed (TemporaryFolder); the next program finds nothing of theirs.
TEST(House, TestsLeaveNothingInTheTemporaryFolder) {
  const std::regex shared(R"(::TempDir\(|temp_directory_path\(|"/tmp/)");
  const fs::path tests = HEDDLE_TEST_DIR;
  for (const auto& entry : fs::recursive_directory_iterator(tests)) {
    const std::string name = entry.path().lexically_relative(tests).string();
    if (entry.path().extension() != ".cpp" || name == "support/process.cpp" || name == "house/includes_test.cpp")
      continue;
    EXPECT_FALSE(std::regex_search(heddle::test::read_text(entry.path()), shared))
        << name << ": use TemporaryFolder of support/process.hpp";
  }
}

}  // namespace
