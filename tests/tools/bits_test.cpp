// SPDX-License-Identifier: MIT
// The bits of the gallery's pictures (tests/data/bits/gallery.txt) and of frames of Vulkan programs (programs.txt), and
// that no result of the C library's mathematics decides one: what the built programs import. HEDDLE_VECTORS=v2, v3:
// ctest runs them as bits/gallery-v2 and bits/gallery-v3.

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "base/bits/sha256.hpp"
#include "gallery_examples.hpp"
#include "image/files/files.hpp"
#include "support/bits.hpp"
#include "support/processor_time.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

struct Way {
  std::vector<std::string> flags;
  std::string name;
};

const std::vector<Way> kWays{{{"--engine", "reference", "--threads", "3"}, "reference engine, 3 threads"},
                             {{"--engine", "fast", "--tier", "first", "--threads", "1"}, "first tier, 1 thread"},
                             {{"--engine", "fast", "--tier", "second", "--threads", "64"}, "second tier, 64 threads"},
                             {{"--engine", "fast", "--tier", "second", "--threads", "4"}, "second tier, 4 threads"}};

/// Of the texels: how a PNG packs them may change with its library.
std::string hash_of(const fs::path& picture) {
  const auto loaded = image::load_image(picture.string());
  EXPECT_TRUE(loaded.ok()) << picture;
  return loaded.ok() ? base::sha256(image::packed_texels(*loaded)) : std::string();
}

TEST(Bits, OfTheGallery) {
  const TemporaryFolder folder;
  ASSERT_TRUE(copy_examples(folder.path()));
  BitsFile file("gallery");
  const bool one_level = std::getenv("HEDDLE_VECTORS") != nullptr && !test_all();  // the others ran without it
  for (const Way& way : kWays)
    for (const Example& e : examples()) {
      if (one_level && &way != &kWays.back()) break;
      std::vector<std::string> words{HEDDLE_PROGRAM, "run", (folder / "examples" / (e.job + ".toml")).string(),
                                     "--quiet"};
      words.insert(words.end(), e.flags.begin(), e.flags.end());
      words.insert(words.end(), way.flags.begin(), way.flags.end());
      const Outcome ran = run(words, {}, {}, 600);
      ASSERT_EQ(ran.exit_code, 0) << e.job << ", " << way.name << ": " << ran.err;
      for (const std::string& name : e.pictures) file.check(name, hash_of(folder / "out" / (name + ".png")), way.name);
    }
  file.expect_complete();
}

// The places that docs/bits.md names; the driver's are tested by VulkanLoader, golden.json by Golden.
TEST(Bits, TheNumberIsShown) {
  const std::string words = "(bits: " + std::to_string(base::kBits) + ")", number = std::to_string(base::kBits);
  for (const char* asked : {"version", "--version"})
    EXPECT_TRUE(run({HEDDLE_PROGRAM, asked}).out.ends_with(" " + words + "\n")) << asked;
  EXPECT_TRUE(run({HEDDLE_PROGRAM, "version", "--json"}).out.ends_with(", \"bits\": " + number + "}\n"));
  const TemporaryFolder folder;
  ASSERT_TRUE(copy_examples(folder.path()));
  const std::string job = (folder / "examples" / "first.toml").string(), summary = (folder / "summary.json").string();
  const Outcome ran = run({HEDDLE_PROGRAM, "run", job, "--size", "16x16", "--summary", summary, "--format", "json"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(nlohmann::json::parse(read_text(summary))["bits"], base::kBits);
  EXPECT_NE(ran.out.find("\"bits\": " + number), std::string::npos) << ran.out;
}

struct VulkanProgram {
  std::string name, frames;  ///< `frames`: the flag of heddle golden record
};

/// Of a program's frames: draws' attachments as they lie in memory; of a picture, which a dispatch has stored, the
/// texels.
void check_frames(BitsFile& file, const VulkanProgram& program, const std::string& way,
                  const std::vector<std::string>& environment) {
  const TemporaryFolder folder;
  const fs::path build = fs::path(HEDDLE_PROGRAM).parent_path() / ".." / "..", frames = folder / "frames";
  std::vector<std::string> words{"env"};
  words.insert(words.end(), environment.begin(), environment.end());
  words.insert(words.end(), {HEDDLE_PROGRAM, "golden", "record", frames.string(), "--quiet", program.frames, "--"});
  words.push_back((build / "examples" / program.name).string());
  words.push_back(program.frames == "--files" ? "{}/picture.png" : (folder / "picture.png").string());
  const Outcome ran = run(words, {}, {}, 600);
  ASSERT_EQ(ran.exit_code, 0) << program.name << ", " << way << ": " << ran.err;
  const auto golden = nlohmann::json::parse(read_text(frames / "golden.json"));
  for (const auto& frame : golden["recorded"])
    file.check(program.name + " " + std::to_string(frame["frame"].get<unsigned>()), frame["sha256"], way);
}

// The driver: a dispatch that samples at footprints, draws of a sparse texture, patches that are lifted by a texture.
TEST(Bits, OfVulkanPrograms) {
  if (!fs::exists(fs::path(HEDDLE_PROGRAM).parent_path() / "../../lib/heddle_icd.json"))
    GTEST_SKIP() << "this build has no Vulkan driver";
  const std::vector<VulkanProgram> programs{
      {"vulkan_footprint", "--files"}, {"vulkan_streaming", "--targets"}, {"vulkan_terrain", "--targets"}};
  BitsFile file("programs");
  for (const VulkanProgram& program : programs) check_frames(file, program, "as it is", {});
  const bool all_ways = test_all() || (std::getenv("HEDDLE_VECTORS") == nullptr && kSlowness == 1);
  if (all_ways) {
    for (const VulkanProgram& program : programs)
      check_frames(file, program, "compiled at once", {"HEDDLE_INTERPRET=off", "HEDDLE_CACHE_DIR="});
    for (const VulkanProgram& program : {programs.front(), programs.back()})
      check_frames(file, program, "reference engine", {"HEDDLE_CHECK=warn"});
  }
  file.expect_complete();
}

/// The functions of C's <math.h> that IEEE 754 does not pin down; with f, l and the names of older libraries.
bool is_transcendental(std::string name) {
  static const std::set<std::string> kNames{
      "sin",   "cos",  "tan",   "asin",   "acos",   "atan", "atan2", "sinh",  "cosh",  "tanh",   "asinh", "acosh",
      "atanh", "exp",  "exp2",  "exp10",  "expm1",  "log",  "log2",  "log10", "log1p", "pow",    "hypot", "cbrt",
      "erf",   "erfc", "gamma", "lgamma", "tgamma", "j0",   "j1",    "y0",    "y1",    "sincos", "jn",    "yn"};
  if (const std::size_t version = name.find('@'); version != std::string::npos) name.resize(version);
  if (name.starts_with("__")) name = name.substr(2);
  if (name.ends_with("_finite")) name.resize(name.size() - 7);
  if (kNames.contains(name)) return true;
  return !name.empty() && (name.back() == 'f' || name.back() == 'l') &&
         kNames.contains(name.substr(0, name.size() - 1));
}

std::set<std::string> imported_functions(const std::string& file) {
  const Outcome listed = run({"nm", "-D", "--undefined-only", file});
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  std::set<std::string> found;
  std::istringstream words(listed.out);
  for (std::string word; words >> word;)
    if (is_transcendental(word)) found.insert(word.substr(0, word.find('@')));
  return found;
}

/// Of programs and libraries of the build: what they may import, and why it decides no bit.
const std::map<std::string, std::set<std::string>> kImports{
    // What a device may answer (src/texture/bounds) is an interval, wider than these functions' errors.
    {"src/tools/heddle", {"exp2", "hypot", "log2", "pow"}},
    {"lib/libvulkan_heddle.so", {}},
    // LLVM is in it: it folds calls and intrinsics of these functions that have constant arguments, and Heddle's code
    // has neither (EmittedCodeHasNone); logarithms are of LLVM's own estimates of costs.
    {"lib/libheddle_jit.so",
     {"acos", "asin", "atan", "atan2", "cos", "cosh", "exp", "log", "log10", "log2", "log2f", "logl", "pow", "sin",
      "sinh", "tan", "tanh"}},
};

TEST(Bits, AreDecidedByNoFunctionOfTheCLibrary) {
  ASSERT_TRUE(is_transcendental("powf@GLIBC_2.27") && is_transcendental("__exp_finite") &&
              is_transcendental("sincosl"));
  ASSERT_FALSE(is_transcendental("fma") || is_transcendental("floor") || is_transcendental("frexp@GLIBC_2.2.5"));
  if (!have_program("nm")) GTEST_SKIP() << "nm (binutils) is not installed";
  const fs::path build = fs::path(HEDDLE_PROGRAM).parent_path() / ".." / "..";
  ASSERT_TRUE(fs::exists(build / "src/tools/heddle"));
  for (const auto& [name, allowed] : kImports) {
    if (!fs::exists(build / name)) continue;  // a build without the driver, or with the compiler in the program
    for (const std::string& function : imported_functions((build / name).string()))
      EXPECT_TRUE(allowed.contains(function)) << name << " imports " << function;
  }
}

// The fast engine's code asks LLVM for none of these functions.
TEST(Bits, EmittedCodeHasNone) {
  unsigned files = 0;
  for (const char* folder : {"src/engine/jit", "src/instructions", "src/machine/jit"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(HEDDLE_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
      ++files;
      const std::string text = read_text(entry.path()), key = "Intrinsic::";
      for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
        const std::size_t begin = at + key.size();
        const std::string name =
            text.substr(begin, text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_", begin) - begin);
        EXPECT_FALSE(is_transcendental(name) || name == "powi") << entry.path() << " emits " << name;
      }
    }
  EXPECT_GT(files, 50u);
}

}  // namespace
}  // namespace heddle::test
