// SPDX-License-Identifier: MIT
// Every path and every document that a comment, a document or a golden file names is there.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/process.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;
const fs::path kRoot = HEDDLE_SOURCE_DIR;

// What builds make, and names of other projects. Each entry with its reason.
const std::map<std::string, std::string> kNotHere = {
    {"examples/textures", "make_textures draws it"},
    {"examples/textures/.made", "run-gallery notes there which textures it has drawn"},
    {"examples/textures/cloth.png", "make_textures draws it"},
    {"STEM_v3.cpp", "STEM stands for others"},
    {"STEM_v4.cpp", "STEM stands for others"},
    {"batch_page.cpp", "the build makes it of docs/batch.md"},
    {"vulkan/generated", "the generator of src/vulkan/api writes it into the build"},
    {"vulkan/generated/commands.hpp", "the generator of src/vulkan/api writes it into the build"},
    {"vulkan/generated/names.hpp", "names.py of src/vulkan/api writes it into the build"},
    {"vulkan/generated/newer.hpp", "the generator of src/vulkan/api writes it into the build"},
    {"vulkan/vulkan.h", "Khronos's header"},
    {"vulkan/generated/entry_points.hpp", "the generator of src/vulkan/api writes it into the build"},
    {"docs/LoaderDriverInterface.md", "a document of KhronosGroup/Vulkan-Loader"},
    {"tools/run_node", "a program of gpuweb/cts"},
    {"image/2d_array", "a word of the shader interface, not a path"},
};

// --- what is there --------------------------------------------------------------------------------------------------

/// The files and folders of the repository, without what builds and runs leave.
struct Tree {
  std::set<std::string> paths;  ///< "src/base", "src/base/file.hpp"
  std::set<std::string> stems;  ///< paths without their ending: "src/base/file"
  std::set<std::string> names;  ///< last parts of files: "file.hpp"
  std::set<std::string> name_stems;
  std::vector<std::string> files;

  void add(const std::string& path, bool is_file) {
    paths.insert(path);
    if (!is_file) return;
    files.push_back(path);
    stems.insert(path.substr(0, path.rfind('.')));
    const std::string name = path.substr(path.rfind('/') + 1);
    names.insert(name);
    name_stems.insert(name.substr(0, name.find('.')));
  }
};

const std::array<const char*, 14> kTopFolders = {"src",      "docs",  "web",     "tests",    "bench",
                                                 "examples", "layer", "include", "cmake",    "python",
                                                 "debug",    ".ci",   ".github", "packaging"};

Tree read_tree() {
  Tree tree;
  const std::set<std::string> left_out = {"textures", "__pycache__", "node_modules"};
  for (const auto& entry : fs::directory_iterator(kRoot))
    if (entry.is_regular_file()) tree.add(entry.path().filename().string(), true);
  for (const std::string top : kTopFolders) {
    if (!fs::exists(kRoot / top)) continue;
    tree.add(top, false);
    for (auto i = fs::recursive_directory_iterator(kRoot / top); i != fs::recursive_directory_iterator(); ++i) {
      if (left_out.count(i->path().filename().string()) != 0) {
        i.disable_recursion_pending();
        continue;
      }
      tree.add(i->path().lexically_relative(kRoot).generic_string(), i->is_regular_file());
    }
  }
  return tree;
}

const Tree& tree() {
  static const Tree read = read_tree();
  return read;
}

// --- what is named --------------------------------------------------------------------------------------------------

struct Line {
  int number = 0;
  std::string text;
};

/// The lines of a text that are for readers: all of a document, the comments of anything else.
std::vector<Line> lines_for_readers(const std::string& path, const std::string& text) {
  const std::string extension = fs::path(path).extension().string();
  const bool document = extension == ".md";
  const bool slashes = extension == ".cpp" || extension == ".hpp" || extension == ".h" || extension == ".inc" ||
                       extension == ".visaasm" || extension == ".mjs" || extension == ".cl" || extension == ".frag" ||
                       extension == ".vert" || extension == ".comp";
  std::vector<Line> lines;
  bool code = false, source = false;  // a fenced block; a paragraph of sources, which names files of other projects
  std::size_t at = 0;
  for (int number = 1; at < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    if (document) {
      if (line.starts_with("```")) code = !code;
      source =
          !line.empty() && (source || line.starts_with("Source:") || line.find("Intel's page:") != std::string::npos);
      if (code) continue;
      if (source) line = "Source: " + line;
    } else {
      const std::size_t start = slashes ? line.find("//") : line.find('#');
      if (start == std::string::npos || (slashes && start > 0 && line[start - 1] == ':')) continue;
      line = line.substr(start);
    }
    lines.push_back({number, line});
  }
  return lines;
}

bool of_path(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == '/';
}

/// NAME, RULE-ID, stage_NAME: a part of a path that stands for others.
bool placeholder(const std::string& part) {
  static const std::set<std::string> names = {"README", "CONTRIBUTING", "SECURITY", "CHANGELOG", "LICENSE"};
  const std::string stem = part.substr(0, part.find('.'));
  if (names.count(stem) != 0) return false;
  for (std::size_t at = 0; at < stem.size();) {
    const std::size_t end = std::min(stem.find_first_of("_-", at), stem.size());
    const std::string word = stem.substr(at, end - at);
    const bool upper = std::all_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    if (upper && (word.size() > 3 || (word == stem && word.size() > 1))) return true;
    at = end + 1;
  }
  return false;
}

struct Word {
  std::string text;
  bool any_ending = false;  ///< `lod.*`
};

std::vector<Word> words_of(const std::string& line) {
  std::vector<Word> words;
  for (std::size_t i = 0; i < line.size();) {
    if (!of_path(line[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < line.size() && of_path(line[end])) ++end;
    std::string text = line.substr(i, end - i);
    const char before = i > 0 ? line[i - 1] : ' ', after = end < line.size() ? line[end] : ' ';
    i = end;
    const bool any_ending = after == '*' && text.ends_with('.') && (end + 1 == line.size() || !of_path(line[end + 1]));
    // Parts of patterns, addresses, variables, absolute paths.
    if (text.starts_with('/') || std::string_view("*:~$<>}{@=\\").find(before) != std::string_view::npos) continue;
    if (!any_ending && std::string_view("*<{$(").find(after) != std::string_view::npos) continue;
    if (text.find("//") != std::string::npos || text.find("...") != std::string::npos) continue;
    while (!text.empty() && (text.back() == '.' || text.back() == '/')) text.pop_back();
    if (!text.empty()) words.push_back({text, any_ending});
  }
  return words;
}

std::string first_part(const std::string& path) { return path.substr(0, path.find('/')); }

/// The word is meant as the path of something in the repository.
bool is_path(const Word& word, bool source_paragraph) {
  const std::string& text = word.text;
  const bool parts = text.find('/') != std::string::npos;
  if (!parts && text.find('.') == std::string::npos) return false;
  const std::string name = text.substr(text.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  const std::string ending = dot == std::string::npos || dot == 0 ? "" : name.substr(dot);
  const bool source_file = ending == ".cpp" || ending == ".hpp" || ending == ".inc" || ending == ".md";
  for (std::size_t at = 0; at < text.size(); at = std::min(text.find('/', at), text.size()) + 1) {
    const std::string part = text.substr(at, text.find('/', at) - at);
    if (placeholder(part) && part.find('.') == std::string::npos) return false;
  }
  if (placeholder(name)) return false;
  if (parts && std::find(kTopFolders.begin(), kTopFolders.end(), first_part(text)) != kTopFolders.end()) return true;
  if (source_paragraph) return false;
  if (parts && tree().paths.count("src/" + first_part(text)) != 0)
    return source_file || word.any_ending || tree().paths.count("src/" + text.substr(0, text.rfind('/'))) != 0;
  if (parts) return source_file || word.any_ending;
  return source_file && dot != 0;
}

/// There is such a file or folder: seen from the root, from src/, from the file that names it or a folder around it.
bool is_there(const std::string& from, const Word& word) {
  const auto known = [&](const std::string& path) {
    if (word.any_ending) return tree().stems.count(path) != 0;
    return tree().paths.count(path) != 0 || tree().stems.count(path) != 0;
  };
  if (kNotHere.count(word.text) != 0) return true;
  std::vector<fs::path> places = {"", "src", "tests", "include", "include/heddle"};
  for (fs::path folder = fs::path(from).parent_path(); !folder.empty(); folder = folder.parent_path())
    places.push_back(folder);
  for (const fs::path& place : places)
    if (known((place / word.text).lexically_normal().generic_string())) return true;
  // A name alone, in a sentence about its folder. A README is the one of the folder.
  if (word.text.find('/') != std::string::npos || word.text == "README.md") return false;
  return word.any_ending ? tree().name_stems.count(word.text) != 0 : tree().names.count(word.text) != 0;
}

/// "path:line names X" for each path that a text names where nothing is.
std::vector<std::string> missing_paths(const std::string& path, const std::string& text) {
  std::vector<std::string> missing;
  for (const Line& line : lines_for_readers(path, text))
    for (const Word& word : words_of(line.text))
      if (is_path(word, line.text.starts_with("Source:")) && !is_there(path, word))
        missing.push_back(path + ":" + std::to_string(line.number) + " names " + word.text + ", where nothing is");
  return missing;
}

/// The targets of [text](target) that are files.
std::vector<std::string> missing_links(const std::string& path, const std::string& text) {
  std::vector<std::string> missing;
  for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
    std::string target = text.substr(at + 2, text.find(')', at) - at - 2);
    target = target.substr(0, target.find('#'));
    if (target.empty() || target.find(':') != std::string::npos || target.find(' ') != std::string::npos) continue;
    while (target.ends_with('/')) target.pop_back();
    const std::string whole = (fs::path(path).parent_path() / target).lexically_normal().generic_string();
    if (target != ".." && target != "." && tree().paths.count(whole) == 0)
      missing.push_back(path + " links " + target + ", where nothing is");
  }
  return missing;
}

/// Programs' inputs and recorded outputs name what they like.
bool is_read(const std::string& path) {
  static const std::set<std::string> endings = {".cpp",  ".hpp",   ".h",       ".inc",  ".md",   ".py",
                                                ".txt",  ".mjs",   ".cl",      ".toml", ".frag", ".vert",
                                                ".comp", ".cmake", ".visaasm", ".in",   ""};
  if (path.starts_with("tests/malformed/") || path.starts_with("tests/fuzz/corpus/") ||
      path.starts_with("tests/data/opencl") || path.starts_with("tests/verify/cases/") ||
      path == "tests/house/paths_test.cpp" || path == "LICENSE")
    return false;
  return endings.count(fs::path(path).extension().string()) != 0;
}

TEST(Paths, OnesThatAreNotThereAreFound) {
  const auto found = [](const std::string& path, const std::string& text) { return missing_paths(path, text).size(); };
  EXPECT_EQ(found("src/base/x.cpp", "// see docs/nowhere.md"), 1u);
  EXPECT_EQ(found("src/base/x.cpp", "// src/base/nothing.cpp, base/nothing.hpp and `nothing_at_all.hpp`"), 3u);
  EXPECT_EQ(found("src/base/x.cpp", "// docs/rules/gather.md, texture/reference/gather.cpp, texture/reference/lod"),
            0u);
  EXPECT_EQ(found("src/base/x.cpp", "call(\"src/nothing.cpp\");  // a string is no comment"), 0u);
  EXPECT_EQ(found("docs/x.md", "`src/base/{a,b}.cpp`, `src/NAME/x.cpp`, https://example.org/src/nothing.cpp"), 0u);
  EXPECT_EQ(found("docs/x.md", "the files `texture/reference/gathers.*` and `texture/reference/gather.*`"), 1u);
  EXPECT_EQ(found("docs/x.md", "Source: IGC, `visa/Attributes.hpp`.\n\nText: src/nowhere/x.cpp."), 1u);
  EXPECT_EQ(found("tests/data/golden/x.txt", "# Format: docs/nowhere.md\nsrc/nowhere.cpp"), 1u);
  EXPECT_EQ(
      missing_links("docs/x.md", "[a](rules/gather.md#GA-1) [b](../src/base) [c](gone.md) [d](https://x.org)").size(),
      1u);
}

TEST(Paths, EveryPathThatIsNamedIsThere) {
  for (const std::string& path : tree().files) {
    if (!is_read(path)) continue;
    for (const std::string& problem : missing_paths(path, test::read_text(kRoot / path))) ADD_FAILURE() << problem;
  }
}

TEST(Paths, EveryLinkOfADocumentLeadsSomewhere) {
  for (const std::string& path : tree().files)
    if (path.ends_with(".md"))
      for (const std::string& problem : missing_links(path, test::read_text(kRoot / path))) ADD_FAILURE() << problem;
}

// What the program shows to users: documents that its strings name.
TEST(Paths, DocumentsThatMessagesNameAreThere) {
  for (const std::string& path : tree().files) {
    const bool code =
        path.ends_with(".cpp") || path.ends_with(".hpp") || path.ends_with(".inc") || path.ends_with(".py");
    if (!code || !(path.starts_with("src/") || path.starts_with("include/") || path.starts_with("python/"))) continue;
    const std::string text = test::read_text(kRoot / path);
    for (std::size_t at = text.find("docs/"); at != std::string::npos; at = text.find("docs/", at + 1)) {
      std::size_t end = at;
      while (end < text.size() && of_path(text[end])) ++end;
      std::string name = text.substr(at, end - at);
      while (name.ends_with('.')) name.pop_back();
      if (name.ends_with(".md")) EXPECT_TRUE(is_there(path, {name})) << path << " names " << name;
    }
  }
}

TEST(Paths, ExceptionsAreNeeded) {
  for (const auto& [path, reason] : kNotHere) EXPECT_EQ(tree().paths.count(path), 0u) << path << " is there now";
}

}  // namespace
}  // namespace heddle
