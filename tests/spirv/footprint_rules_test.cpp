// SPDX-License-Identifier: MIT
// Every module of the footprint corpus gets exactly the verdict of its index, with the right rule's id and a place.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "spirv/validate.hpp"
#include "support/process.hpp"

namespace heddle::spirv {
namespace {

using test::read_bytes;
using test::read_text;
const std::filesystem::path kData = std::filesystem::path(HEDDLE_TEST_DIR) / "data" / "footprint";

base::Diagnostics check_text(const std::filesystem::path& path, bool lenient = false) {
  base::Diagnostics found;
  const ValidateOptions options{"vulkan1.3", lenient};
  const auto module = assemble(read_text(path), path.filename().string(), options.target_env);
  if (!module.ok()) {
    for (const auto& d : module.diagnostics()) found.add(d);
    return found;
  }
  validate(*module, options, found);
  return found;
}

std::set<std::string> ids(const base::Diagnostics& found, base::Severity severity) {
  std::set<std::string> result;
  for (const auto& d : found.all())
    if (d.severity == severity) result.insert(d.id);
  return result;
}

TEST(FootprintRules, EveryModuleOfTheIndex) {
  const auto index = nlohmann::json::parse(read_text(kData / "validation" / "index.json"));
  std::set<std::string> rejecting;
  for (const auto& m : index["modules"]) {
    const std::string file = m["file"];
    const base::Diagnostics found = check_text(kData / "validation" / file);
    const std::set<std::string> errors = ids(found, base::Severity::Error);
    if (m["expected"] == "valid") {
      EXPECT_TRUE(errors.empty()) << file << ": " << *errors.begin();
      continue;
    }
    std::set<std::string> expected = m["diagnostics"].get<std::set<std::string>>();
    rejecting.insert(expected.begin(), expected.end());
    bool any = false;
    for (const std::string& id : errors) any = any || expected.count(id) != 0;
    EXPECT_TRUE(any) << file << " lacks " << *expected.begin();
    for (const std::string& id : errors)
      EXPECT_TRUE(expected.count(id) != 0 || id == "spirv-val") << file << " has " << id;
    for (const auto& d : found.all())
      EXPECT_EQ(d.place.kind == base::Place::Kind::Text || d.id == "spirv-val", true) << file << " " << d.id;
  }
  // A rule without a rejecting module is not done.
  for (const FootprintRule& rule : footprint_rules()) EXPECT_TRUE(rejecting.count(std::string(rule.id))) << rule.id;
}

TEST(FootprintRules, BinaryModulesGiveByteOffsets) {
  const auto index = nlohmann::json::parse(read_text(kData / "glsl" / "index.json"));
  unsigned modules = 0;
  for (const auto& s : index["shaders"]) {
    if (!s["compiles"].get<bool>()) continue;
    ++modules;
    const std::string source = s["source"];
    const auto module = read_binary(read_bytes(kData / "glsl" / (source + ".spv")), source + ".spv");
    ASSERT_TRUE(module.ok()) << source;
    base::Diagnostics strict, lenient;
    validate(*module, {"vulkan1.3", false}, strict);
    validate(*module, {"vulkan1.3", true}, lenient);
    const std::set<std::string> errors = ids(strict, base::Severity::Error);
    if (s["strict"] == "valid") {
      EXPECT_TRUE(errors.empty()) << source << " " << *errors.begin();
      continue;
    }
    EXPECT_EQ(errors, s["diagnostics"].get<std::set<std::string>>()) << source;
    EXPECT_FALSE(lenient.has_errors()) << source;
    EXPECT_EQ(ids(lenient, base::Severity::Warning), s["diagnostics"].get<std::set<std::string>>()) << source;
    for (const auto& d : strict.all()) EXPECT_EQ(d.place.kind, base::Place::Kind::Binary);
  }
  EXPECT_GE(modules, 8u);
}

// The place of a finding is the statement itself.
TEST(FootprintRules, PlacesPointAtTheStatement) {
  const base::Diagnostics found = check_text(kData / "validation" / "k_nonconst.spvasm");
  ASSERT_EQ(found.all().size(), 1u);
  EXPECT_EQ(found.all()[0].place.line, 58u);
  EXPECT_EQ(found.all()[0].place.column, 1u);
}

// R25 in a binary: a mask with too few ids.
TEST(FootprintRules, OperandWordsInABinary) {
  auto module = assemble(read_text(kData / "validation" / "ok_2d_lod.spvasm"), "x", "vulkan1.3");
  ASSERT_TRUE(module.ok());
  std::vector<std::uint8_t> bytes;
  for (const Instruction& i : module->instructions)
    if (i.opcode == 5283) module->words[i.offset + 7] |= 0x80;  // MinLod too
  for (const std::uint32_t w : module->words)
    for (unsigned k = 0; k < 4; ++k) bytes.push_back(static_cast<std::uint8_t>(w >> (8 * k)));
  const auto binary = read_binary(bytes, "x.spv");
  ASSERT_TRUE(binary.ok());
  base::Diagnostics found;
  check_footprint_rules(*binary, {}, found);
  ASSERT_EQ(ids(found, base::Severity::Error), std::set<std::string>{"spirv-footprint-operand-words"});
  EXPECT_THAT(found.all()[0].message, testing::HasSubstr("needs 2 ids, found 1"));
}

// All findings, not only the first.
TEST(FootprintRules, ReportsEverything) {
  std::string text = read_text(kData / "validation" / "r_m1_signed.spvasm");
  const std::size_t at = text.find("%false\nOpStore");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 6, "%cond");
  const auto module = assemble(text, "x", "vulkan1.3");
  ASSERT_TRUE(module.ok());
  base::Diagnostics found;
  validate(*module, {}, found);
  EXPECT_EQ(ids(found, base::Severity::Error),
            (std::set<std::string>{"spirv-footprint-anchor-type", "spirv-footprint-coarse"}));
}

// Hostile binaries: every truncation and seeded changes of a real module.
TEST(SpirvReader, DamagedModulesNeverCrash) {
  const std::vector<std::uint8_t> good = read_bytes(kData / "glsl" / "a_all_2d.frag.spv");
  for (std::size_t n = 0; n < good.size(); n += n < 400 ? 1 : 7) {
    const std::vector<std::uint8_t> cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(n));
    const auto module = read_binary(cut, "cut");
    if (!module.ok()) EXPECT_FALSE(module.diagnostics().empty());
  }
  std::uint64_t seed = 12345;
  const auto random = [&] {
    return seed = seed * 6364136223846793005u + 1442695040888963407u, static_cast<std::uint32_t>(seed >> 33);
  };
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::uint8_t> bytes = good;
    for (int k = 0; k < 3; ++k) bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    const auto module = read_binary(bytes, "mutant");
    if (!module.ok()) continue;
    base::Diagnostics found;
    check_footprint_rules(*module, {"vulkan1.3", round % 2 == 0}, found);
  }
}

TEST(SpirvReader, ClearMessages) {
  EXPECT_EQ(read_binary({}, "x").diagnostics()[0].id, "spirv-truncated");
  const std::vector<std::uint8_t> zeros(64);
  EXPECT_EQ(read_binary(zeros, "x").diagnostics()[0].id, "spirv-magic");
  EXPECT_EQ(assemble("OpNonsense", "x", "vulkan1.3").diagnostics()[0].id, "spirv-assembly");
  EXPECT_EQ(assemble("", "x", "vulkan9").diagnostics()[0].id, "spirv-target-env");
  // An opcode that SPIRV-Tools does not know is read, and cannot be shown.
  const std::vector<std::uint32_t> unknown{0x07230203, 0x00010300, 0, 4, 0, 1u << 16 | 0xfff0u};
  const auto odd = read_binary({reinterpret_cast<const std::uint8_t*>(unknown.data()), unknown.size() * 4}, "x");
  ASSERT_TRUE(odd.ok());
  EXPECT_EQ(disassemble(*odd).diagnostics()[0].id, "spirv-parse");
  // Behind the five words of the header: OpTypeVoid has one id, OpTypeInt three words more.
  const auto refusal = [](std::uint32_t version, std::vector<std::uint32_t> code) {
    std::vector<std::uint32_t> words{0x07230203, version, 0, 4, 0};
    words.insert(words.end(), code.begin(), code.end());
    const auto read = read_binary({reinterpret_cast<const std::uint8_t*>(words.data()), words.size() * 4}, "x");
    return read.ok() ? std::string() : read.diagnostics()[0].id;
  };
  constexpr std::uint32_t kVoid = 2u << 16 | 19u;
  EXPECT_EQ(refusal(0x00010300, {kVoid, 1}), "");
  EXPECT_EQ(refusal(0x00020000, {kVoid, 1}), "spirv-version");
  EXPECT_EQ(refusal(0x00010300, {19}), "spirv-word-count");
  EXPECT_EQ(refusal(0x00010300, {kVoid, 4}), "spirv-bound");
  EXPECT_EQ(refusal(0x00010300, {1u << 16 | 19u}), "spirv-id");
  EXPECT_EQ(refusal(0x00010300, {kVoid, 1, kVoid, 1}), "spirv-id");
}

}  // namespace
}  // namespace heddle::spirv
