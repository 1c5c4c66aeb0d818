// SPDX-License-Identifier: MIT
// The house's one-way includes: a folder includes only from folders above it in the list of docs/architecture.md, and a
// sub-folder only from those before it in the order of its folder.
// Tests keep the system's temporary folder clean.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

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
    {"explore",
     {"base", "image", "texture", "render_target", "isa", "machine", "instructions", "text", "binary", "verify",
      "spirv", "engine", "pipeline", "shader_interface", "job"}},
    {"library",
     {"base", "image", "texture", "render_target", "isa", "machine", "instructions", "text", "binary", "verify",
      "spirv", "engine", "pipeline", "shader_interface", "job", "heddle"}},
    {"tools",
     {"base", "image", "texture", "render_target", "isa", "machine", "instructions", "text", "binary", "verify",
      "spirv", "engine", "pipeline", "shader_interface", "vulkan", "job", "explore", "heddle"}},
};

// Folder -> its sub-folders from the ground up, at every level below the first. A file may include what lies in its own
// sub-folder and in those before it. "." stands for the files that lie in the folder itself.
const std::map<std::string, std::vector<std::string>> kOrder = {
    {"base", {"locks", "pages", ".", "bits", "environment"}},
    {"image", {".", "formats", "hardware", "objects", "files"}},
    {"image/files", {".", "exr", "ktx2", "photo"}},
    {"texture", {".", "reference", "bounds", "simd", "touch"}},
    {"texture/simd", {".", "functions"}},
    {"render_target", {".", "reference", "simd", "touch"}},
    {"render_target/simd", {".", "functions"}},
    {"machine", {"numbers", ".", "sanitizer", "jit"}},
    {"instructions", {".", "alu", "sampler", "data_port", "render_cache", "flow", "misc", "newer", "send"}},
    {"instructions/alu", {".", "arithmetic", "compare", "logic", "move", "dpas"}},
    {"instructions/data_port",
     {".", "atomic", "lsc", "media", "memory_block", "memory_scattered", "memory_svm", "memory_typed", "urb"}},
    {"instructions/flow", {".", "sync"}},
    {"instructions/render_cache", {".", "rt_write"}},
    {"instructions/sampler", {".", "footprint", "info", "load", "sample", "sample4", "sample_unorm", "va"}},
    {"text", {".", "lexical", "operands", "statements", "print"}},
    {"verify", {"rules", ".", "explain"}},
    {"verify/explain", {".", "embed"}},
    {"spirv", {".", "compile"}},
    {"spirv/compile",
     {".", "writer", "arithmetic", "module", "core", "operations", "images", "stages", "glsl", "walk"}},
    {"engine", {"reference", "jit"}},
    {"engine/jit", {"analysis", "codegen", "cache", "llvm", "runtime"}},
    {"engine/jit/llvm", {"passes", "."}},
    {"pipeline", {".", "compute", "primitives", "meshlets", "vertices", "raster", "tiles", "pixels", "transfer"}},
    {"vulkan",
     {"api", "device", "objects", "pipelines", "commands", "execution", "capture", "sanitizer", "texels", "queue",
      "surface"}},
    {"vulkan/api", {".", "templates"}},
    {"vulkan/sanitizer", {"order", "."}},
    {"vulkan/device", {"properties", "."}},
    {"vulkan/execution", {"context", "fixed_function", "."}},
    {"vulkan/pipelines", {"code", "."}},
    {"vulkan/objects", {"sync", "memory", "images", "descriptors", "passes"}},
    {"job", {"formats", ".", "opencl", "shader", "bind", "run"}},
    {"library", {".", "image", "program", "result", "run", "shader"}},
    {"explore", {"documents", "recording", ".", "pages"}},
    {"tools",
     {"command_line", "inputs", "services", "pictures", "batch", "diff", "run", "suite", "golden", "profiles", "."}},
    {"tools/profiles", {".", "tables"}},
};

/// A file that includes from a sub-folder behind its own, and why that must stay.
struct Upward {
  std::string file, folder, reason;
};
const std::vector<Upward> kUpward = {};

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

/// The part of `path` that lies directly in `folder`: a sub-folder's name, or "." for a file.
std::string part_in(const std::string& folder, const std::string& path) {
  const std::string rest = path.substr(folder.size() + 1);
  const std::size_t end = rest.find('/');
  return end == std::string::npos ? "." : rest.substr(0, end);
}

/// The deepest folder in which both lie, below the first level; empty where there is none.
std::string common_folder(const std::string& a, const std::string& b) {
  std::string common;
  for (std::size_t end = a.find('/'); end != std::string::npos; end = a.find('/', end + 1)) {
    if (b.compare(0, end + 1, a, 0, end + 1) != 0) break;
    common = a.substr(0, end);
  }
  return common;
}

/// Pairs of a file and the sub-folder behind its own that it includes from. Headers that a build generates lie in no
/// folder of the sources and count as nothing.
std::set<std::pair<std::string, std::string>> upward_includes(
    const fs::path& source, const std::map<std::string, std::vector<std::string>>& orders) {
  std::set<std::pair<std::string, std::string>> found;
  const std::regex include(R"re(^\s*#\s*include\s*"([^"]+)")re");
  for (const auto& entry : fs::recursive_directory_iterator(source)) {
    const fs::path extension = entry.path().extension();
    if (extension != ".cpp" && extension != ".hpp" && extension != ".inc") continue;
    const std::string file = entry.path().lexically_relative(source).generic_string();
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      std::smatch match;
      if (line.find("include") == std::string::npos || !std::regex_search(line, match, include)) continue;
      const std::string included = match[1], folder = common_folder(file, included);
      const auto order = orders.find(folder);
      if (order == orders.end()) continue;
      const auto place = [&](const std::string& part) { return std::ranges::find(order->second, part); };
      const std::string to = part_in(folder, included);
      if (place(to) != order->second.end() && place(to) > place(part_in(folder, file)))
        found.emplace(file, to == "." ? folder : folder + "/" + to);
    }
  }
  return found;
}

TEST(House, FoldersIncludeOnlyFromAbove) {
  for (const std::string& violation : violations(fs::path(HEDDLE_SOURCE_DIR) / "src", kMayInclude))
    ADD_FAILURE() << violation;
}

TEST(House, SubFoldersIncludeOnlyFromThoseBeforeThem) {
  std::set<std::pair<std::string, std::string>> listed;
  for (const Upward& row : kUpward) {
    EXPECT_FALSE(row.reason.empty()) << row.file;
    EXPECT_TRUE(listed.emplace(row.file, row.folder).second) << row.file << " is listed twice";
  }
  const auto found = upward_includes(fs::path(HEDDLE_SOURCE_DIR) / "src", kOrder);
  for (const auto& [file, folder] : found)
    EXPECT_EQ(listed.count({file, folder}), 1u) << file << " includes from " << folder << ", which stands behind it";
  for (const auto& [file, folder] : listed)
    EXPECT_EQ(found.count({file, folder}), 1u)
        << file << " does not include from " << folder << ": strike the exception";
}

TEST(House, EverySubFolderHasItsPlace) {
  const fs::path source = fs::path(HEDDLE_SOURCE_DIR) / "src";
  std::map<std::string, std::set<std::string>> there;  // of folders that have sub-folders
  for (const auto& entry : fs::recursive_directory_iterator(source)) {
    const std::string path = entry.path().lexically_relative(source).generic_string();
    const std::size_t end = path.rfind('/');
    if (entry.is_directory() && end != std::string::npos) there[path.substr(0, end)].insert(path.substr(end + 1));
  }
  for (const auto& entry : fs::recursive_directory_iterator(source)) {
    const fs::path extension = entry.path().extension();
    const auto folder = there.find(entry.path().parent_path().lexically_relative(source).generic_string());
    if (folder != there.end() && (extension == ".cpp" || extension == ".hpp" || extension == ".inc"))
      folder->second.insert(".");
  }
  std::map<std::string, std::set<std::string>> ordered;
  for (const auto& [folder, order] : kOrder) {
    ordered[folder] = {order.begin(), order.end()};
    EXPECT_EQ(ordered[folder].size(), order.size()) << folder << " names a sub-folder twice";
  }
  for (const auto& [folder, parts] : there) EXPECT_EQ(ordered[folder], parts) << folder;
  for (const auto& [folder, parts] : ordered) EXPECT_EQ(there.count(folder), 1u) << folder << " has no sub-folders";
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

// The second check finds an include that goes up, at any depth, and none that goes down or sideways.
TEST(House, AnUpwardIncludeIsFound) {
  const heddle::test::TemporaryFolder folder;
  const fs::path& root = folder.path();
  fs::create_directories(root / "image" / "files" / "exr");
  fs::create_directories(root / "image" / "formats");
  std::ofstream(root / "image" / "texels.cpp") << "#include \"image/texels.hpp\"\n#include \"base/half.hpp\"\n";
  std::ofstream(root / "image" / "formats" / "bad.cpp") << "#include \"image/files/files.hpp\"\n";
  std::ofstream(root / "image" / "files" / "good.cpp") << "#include \"image/formats/codecs.hpp\"\n";
  std::ofstream(root / "image" / "files" / "bad.hpp") << "#include \"image/files/exr/exr.hpp\"\n";
  std::ofstream(root / "image" / "files" / "exr" / "good.cpp") << "#include \"image/files/codec.hpp\"\n";
  std::ofstream(root / "image" / "table.inc") << "#include \"image/formats/codecs.hpp\"\n";
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(upward_includes(root, kOrder),
            (std::set<Pair>{Pair{"image/files/bad.hpp", "image/files/exr"},
                            Pair{"image/formats/bad.cpp", "image/files"}, Pair{"image/table.inc", "image/formats"}}));
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
