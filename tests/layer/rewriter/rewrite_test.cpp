// SPDX-License-Identifier: MIT
// Modules through the rewriter: what is left alone, what comes out, what is refused.

#include "layer/rewriter/rewrite.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>

#include "support/process.hpp"

namespace heddle::test {
namespace {

using layer::HiddenBuffer;
using layer::RewriteOptions;
using layer::Rewritten;
using layer::SamplerBinding;
using layer::Words;

constexpr std::uint32_t kFootprint = 5283, kOpCapability = 17, kOpExtension = 10, kOpLine = 8, kOpFunctionCall = 57,
                        kOpImageQueryLod = 105, kOpDPdx = 207;
constexpr std::uint32_t kImageFootprintNv = 5282, kImageQuery = 50, kMinLod = 42, kShader = 1;

const std::filesystem::path kData = std::filesystem::path(HEDDLE_TEST_DIR) / "data/footprint";

Words read_words(const std::filesystem::path& path) {
  const std::vector<std::uint8_t> bytes = read_bytes(path);
  Words words(bytes.size() / 4);
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}
void write_words(const std::filesystem::path& path, const Words& words) {
  std::vector<std::uint8_t> bytes(words.size() * 4);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  write_bytes(path, bytes);
}

Words assemble(const std::string& text, const std::string& target = "spv1.3") {
  const TemporaryFolder folder;
  write_text(folder / "a.spvasm", text);
  const Outcome outcome =
      run({"spirv-as", "--target-env", target, "-o", (folder / "a.spv").string(), (folder / "a.spvasm").string()});
  return outcome.exit_code == 0 ? read_words(folder / "a.spv") : Words{};
}
Words assemble_file(const std::string& name, const std::string& target = "spv1.3") {
  return assemble(read_text(kData / "validation" / (name + ".spvasm")), target);
}

/// What spirv-val has against a module.
std::string complaint(const Words& words, const std::string& target = "vulkan1.3") {
  const TemporaryFolder folder;
  write_words(folder / "a.spv", words);
  const Outcome outcome = run({"spirv-val", "--target-env", target, (folder / "a.spv").string()});
  return outcome.exit_code == 0 ? "" : outcome.out + outcome.err;
}

#define HEDDLE_NEED_SPIRV_TOOLS() \
  if (!have_program("spirv-val")) GTEST_SKIP() << "spirv-val is not installed (Debian: spirv-tools)"

std::vector<std::span<const std::uint32_t>> instructions(std::span<const std::uint32_t> words) {
  std::vector<std::span<const std::uint32_t>> all;
  for (std::size_t at = 5; at < words.size(); at += words[at] >> 16) all.push_back(words.subspan(at, words[at] >> 16));
  return all;
}
std::size_t count(const Words& words, std::uint32_t opcode) {
  return static_cast<std::size_t>(
      std::ranges::count_if(instructions(words), [&](const auto& i) { return (i[0] & 0xffffu) == opcode; }));
}
bool has_capability(const Words& words, std::uint32_t capability) {
  return std::ranges::any_of(instructions(words),
                             [&](const auto& i) { return (i[0] & 0xffffu) == kOpCapability && i[1] == capability; });
}

/// Samplers at the first bindings of set 0, in a hidden buffer at binding 77.
RewriteOptions followed(std::uint32_t count = 4) {
  RewriteOptions options;
  for (std::uint32_t binding = 0; binding < 4; ++binding)
    options.samplers.push_back({0, binding, count, {}, binding * count});
  options.buffers.push_back({0, 77, 4 * count});
  return options;
}

std::vector<std::filesystem::path> shaders() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(kData / "glsl"))
    if (entry.path().extension() == ".spv") found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

// --- what comes out -------------------------------------------------------------------------------------------------

TEST(FootprintRewriter, ModulesOfGlslBecomeValidOnesWithoutTheInstruction) {
  HEDDLE_NEED_SPIRV_TOOLS();
  ASSERT_GE(shaders().size(), 12u);
  for (const auto& path : shaders()) {
    const Words words = read_words(path);
    for (const RewriteOptions& options : {RewriteOptions{}, followed()}) {
      const Rewritten r = layer::rewrite_footprints(words, options);
      ASSERT_EQ(r.status, Rewritten::Status::Done) << path << ": " << r.message;
      EXPECT_EQ(complaint(r.words), "") << path;
      EXPECT_EQ(count(r.words, kFootprint), 0u) << path;
      EXPECT_FALSE(has_capability(r.words, kImageFootprintNv)) << path;
      EXPECT_TRUE(has_capability(r.words, kImageQuery)) << path;
      EXPECT_EQ(count(r.words, kOpExtension), count(words, kOpExtension) - 1) << path;
      if (options.buffers.empty()) EXPECT_GT(r.unknown_samplers, 0u);
    }
  }
}

TEST(FootprintRewriter, ValidModulesOfEveryVersionBecomeValidOnes_R11_R16_R17) {
  HEDDLE_NEED_SPIRV_TOOLS();
  const std::pair<const char*, const char*> targets[] = {
      {"spv1.0", "vulkan1.0"}, {"spv1.3", "vulkan1.1"}, {"spv1.4", "vulkan1.1spv1.4"}, {"spv1.6", "vulkan1.3"}};
  for (const char* name : {"ok_2d_grad_minlod", "ok_2d_lod", "ok_2d_minlod", "ok_2d_none", "ok_3d_bias_minlod",
                           "ok_3d_none", "ok_coarse_spec", "ok_compute_quads", "ok_dup_struct", "ok_gran_uint",
                           "ok_implied_shader", "ok_separate", "ok_vertex_lod"})
    for (const auto& [version, target] : targets) {
      const Words words = assemble_file(name, version);
      ASSERT_FALSE(words.empty()) << name;
      const Rewritten r = layer::rewrite_footprints(words, followed());
      ASSERT_EQ(r.status, Rewritten::Status::Done) << name << ": " << r.message;
      EXPECT_TRUE(has_capability(r.words, kShader)) << name;
      EXPECT_EQ(r.unknown_samplers, 0u) << name << ": its sampler is at binding 0 or 1";
      // Before 1.4 these files name variables that only later entry points name.
      const std::string before = complaint(words, target), after = complaint(r.words, target);
      if (std::string(name) != "ok_separate" && std::string(name) != "ok_implied_shader" &&
          before.find("OpEntryPoint interfaces") == std::string::npos)
        EXPECT_EQ(before, "") << name << " for " << target;
      if (after.find("OpEntryPoint interfaces") == std::string::npos)
        EXPECT_EQ(after, "") << name << " for " << target;
      else
        EXPECT_LT(std::string(version), "spv1.4") << name << after;
    }
}

// FP-21: what compilers write though the extension does not allow it.
TEST(FootprintRewriter, WhatCompilersWriteIsTaken_R18_R19_R22_R24) {
  HEDDLE_NEED_SPIRV_TOOLS();
  for (const char* name : {"d_compute_none", "d_vertex_none", "g_const_0", "g_const_8", "g_const_3d_5", "k_nonconst",
                           "o_3d_grad", "o_bias_lod", "o_constoffset", "o_lod_minlod"}) {
    const Words words = assemble_file(name, "spv1.6");
    const Rewritten r = layer::rewrite_footprints(words, followed());
    ASSERT_EQ(r.status, Rewritten::Status::Done) << name << ": " << r.message;
    EXPECT_EQ(complaint(r.words), "") << name;
  }
}

TEST(FootprintRewriter, ImplicitLevelsAreAskedOfTheDevice_R22) {
  HEDDLE_NEED_SPIRV_TOOLS();
  const auto lod_queries = [](const char* name) {
    return count(layer::rewrite_footprints(assemble_file(name, "spv1.6")).words, kOpImageQueryLod);
  };
  EXPECT_EQ(lod_queries("ok_2d_none"), 1u);
  EXPECT_EQ(lod_queries("ok_compute_quads"), 1u) << "a group of derivatives";
  EXPECT_EQ(lod_queries("d_compute_none"), 0u) << "no derivatives: level 0";
  EXPECT_EQ(lod_queries("d_vertex_none"), 0u);
  EXPECT_EQ(lod_queries("ok_2d_lod"), 0u);
  RewriteOptions flat;
  flat.unknown = layer::unknown_sampler(1, 15);
  const Words words = assemble_file("ok_2d_none", "spv1.6");
  EXPECT_EQ(count(layer::rewrite_footprints(words).words, kOpDPdx), 1u);
  EXPECT_EQ(count(layer::rewrite_footprints(words, flat).words, kOpDPdx), 0u) << "a device without anisotropy";
}

TEST(FootprintRewriter, ImmutableSamplersAreConstants) {
  RewriteOptions options;
  const layer::SamplerRecord record{layer::kKnown | layer::kMagLinear, 0, 0, 0x447a0000, 0, 0x41700000, 0, 0};
  for (std::uint32_t binding = 0; binding < 4; ++binding) options.samplers.push_back({0, binding, 1, {record}, {}});
  const Words words = read_words(kData / "glsl/a_all_2d.frag.spv");
  const Rewritten r = layer::rewrite_footprints(words, options);
  ASSERT_EQ(r.status, Rewritten::Status::Done) << r.message;
  EXPECT_EQ(r.unknown_samplers, 0u);
  EXPECT_EQ(count(r.words, 59 /* OpVariable */) - count(layer::rewrite_footprints(words).words, 59), 0u);
}

TEST(FootprintRewriter, LinesStay) {
  const Words words = read_words(kData / "glsl/a_all_2d.frag.spv");
  Words lined(words.begin(), words.begin() + 5);
  // An OpLine before each query; its file is any string id that exists.
  std::uint32_t file = 0;
  for (const auto& i : instructions(words))
    if ((i[0] & 0xffffu) == 7) file = i[1];
  if (file == 0) {
    lined.clear();
    lined.assign(words.begin(), words.begin() + 5);
    file = lined[3]++;
  }
  bool named = false;
  std::size_t lines = 0;
  for (const auto& i : instructions(words)) {
    if (!named && ((i[0] & 0xffffu) == 3 || (i[0] & 0xffffu) == 5)) {  // OpSource or OpName
      lined.insert(lined.end(), {3u << 16 | 7, file, 0x66});
      named = true;
    }
    if ((i[0] & 0xffffu) == kFootprint) {
      lined.insert(lined.end(), {4u << 16 | kOpLine, file, static_cast<std::uint32_t>(++lines), 1});
    }
    lined.insert(lined.end(), i.begin(), i.end());
  }
  ASSERT_GT(lines, 0u);
  const Rewritten r = layer::rewrite_footprints(lined);
  ASSERT_EQ(r.status, Rewritten::Status::Done) << r.message;
  EXPECT_EQ(count(r.words, kOpLine), lines);
  if (have_program("spirv-val")) EXPECT_EQ(complaint(r.words), "");
}

// The capability MinLod goes with the last instruction that needs it.
TEST(FootprintRewriter, TheCapabilityMinLodGoesWithItsQueries_R20) {
  HEDDLE_NEED_SPIRV_TOOLS();
  const Words words = assemble_file("ok_2d_minlod", "spv1.6");
  ASSERT_TRUE(has_capability(words, kMinLod));
  EXPECT_FALSE(has_capability(layer::rewrite_footprints(words).words, kMinLod));
}

// --- what is left alone ---------------------------------------------------------------------------------------------

TEST(FootprintRewriter, OtherModulesAreNotTouched) {
  std::size_t seen = 0;
  for (const char* name : {"streaming-draw.frag", "streaming.vert", "terrain.frag", "terrain.tesc"}) {
    const Words words =
        read_words(std::filesystem::path(HEDDLE_SOURCE_DIR) / "examples/vulkan" / (std::string(name) + ".spv"));
    ASSERT_GT(words.size(), 5u);
    const Rewritten r = layer::rewrite_footprints(words);
    EXPECT_EQ(r.status, Rewritten::Status::Untouched);
    EXPECT_TRUE(r.words.empty());
    ++seen;
  }
  EXPECT_EQ(seen, 4u);
  EXPECT_EQ(layer::rewrite_footprints({}).status, Rewritten::Status::Untouched);
}

// 5283 is the number of a capability, too, and may be any literal.
TEST(FootprintRewriter, TheNumberAloneIsNoInstruction) {
  HEDDLE_NEED_SPIRV_TOOLS();
  const Words words = assemble(
      "OpCapability Shader\nOpCapability MeshShadingEXT\nOpExtension \"SPV_EXT_mesh_shader\"\n"
      "OpMemoryModel Logical GLSL450\n%uint = OpTypeInt 32 0\n%n = OpConstant %uint 5283\n");
  ASSERT_FALSE(words.empty());
  EXPECT_TRUE(has_capability(words, kFootprint));
  EXPECT_EQ(layer::rewrite_footprints(words).status, Rewritten::Status::Untouched);
}

TEST(FootprintRewriter, OtherByteOrdersAndCutModulesAreLeftToTheDriver) {
  Words words = read_words(kData / "glsl/a_all_2d.frag.spv");
  words.push_back(9u << 16 | 1);  // nine words, of which one is there
  EXPECT_EQ(layer::rewrite_footprints(words).status, Rewritten::Status::Untouched);
  words = read_words(kData / "glsl/a_all_2d.frag.spv");
  for (std::uint32_t& word : words) word = __builtin_bswap32(word);
  EXPECT_EQ(layer::rewrite_footprints(words).status, Rewritten::Status::Untouched);
}

// --- what is refused ------------------------------------------------------------------------------------------------

TEST(FootprintRewriter, WrongOnesAreRefusedWithTheReason_R4_R5_R12_R13_R14_R15_R21) {
  HEDDLE_NEED_SPIRV_TOOLS();
  const std::pair<const char*, const char*> cases[] = {{"c_int", "Coordinate"},
                                                       {"g_float", "Granularity"},
                                                       {"k_int", "Coarse"},
                                                       {"o_bias_int", "32 bits"},
                                                       {"o_grad_scalar", "Grad"},
                                                       {"r_5_members", "Result Type"},
                                                       {"r_m1_signed", "Result Type"},
                                                       {"s_1d", "Dim"},
                                                       {"s_arrayed", "arrayed"},
                                                       {"s_cube", "Dim"},
                                                       {"s_ms", "multisampled"},
                                                       {"s_not_si", "sampled-image type"}};
  for (const auto& [name, reason] : cases) {
    const Rewritten r = layer::rewrite_footprints(assemble_file(name));
    EXPECT_EQ(r.status, Rewritten::Status::Refused) << name;
    EXPECT_NE(r.message.find(reason), std::string::npos) << name << ": " << r.message;
    EXPECT_TRUE(r.words.empty()) << name;
  }
}

TEST(FootprintRewriter, LenientAnswersZero) {
  HEDDLE_NEED_SPIRV_TOOLS();
  RewriteOptions options;
  options.lenient = true;
  const Words words = assemble_file("s_arrayed", "spv1.6");
  const Rewritten r = layer::rewrite_footprints(words, options);
  ASSERT_EQ(r.status, Rewritten::Status::Done);
  EXPECT_NE(r.message.find("arrayed"), std::string::npos) << r.message;
  EXPECT_EQ(complaint(r.words), "");
  EXPECT_EQ(count(r.words, kFootprint), 0u);
  EXPECT_EQ(count(r.words, kOpFunctionCall), count(words, kOpFunctionCall));
}

// --- the functions --------------------------------------------------------------------------------------------------

TEST(FootprintRewriter, ItsFunctionsAreThoseOfTheirSource) {
  if (!have_program("glslangValidator") || !have_program("python3"))
    GTEST_SKIP() << "glslangValidator or python3 is not installed (Debian: glslang-tools, python3)";
  const std::filesystem::path folder = std::filesystem::path(HEDDLE_SOURCE_DIR) / "layer/rewriter";
  const Outcome made = run({"python3", (folder / "words.py").string()});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(made.out, read_text(folder / "functions.inc")) << "layer/rewriter/words.py writes it";
}

}  // namespace
}  // namespace heddle::test
