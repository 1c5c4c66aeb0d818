// SPDX-License-Identifier: MIT
// Intel's finalizer accepts what the compiler writes, for SKL, ICLLP and TGLLP: every shader of the tests and examples,
// and the operations that the other tests run.

#include <algorithm>
#include <filesystem>
#include <regex>

#include "binary/writer.hpp"
#include "operation_cases.hpp"
#include "support/process.hpp"
#include "text/text.hpp"

using namespace heddle;
using namespace heddle::test;

namespace fs = std::filesystem;

namespace {

constexpr isa::Platform kPlatforms[] = {isa::Platform::SKL, isa::Platform::ICLLP, isa::Platform::TGLLP};

/// Without the tool's remarks that registers are spilled, which is no fault.
std::string without_spills(const std::string& words) {
  std::string out;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find('\n', at), words.size());
    const std::string line = words.substr(at, end - at);
    if (!line.empty() && line.find("vISA Finalizer Messages") == std::string::npos &&
        line.find("pill") == std::string::npos)
      out += line + "\n";
    at = end + 1;
  }
  return out;
}

/// What GenX_IR says against a program; empty when it makes Gen code of it without a word. Its exit code
/// proves nothing.
std::string complaint(const std::string& text, isa::Platform platform) {
  const TemporaryFolder folder;
  // The tool reads `lod` and typed atomics of 64 bits from binaries only: its parser does not know the words (TXT-32).
  const bool as_binary =
      text.find(" lod.") != std::string::npos || std::regex_search(text, std::regex("typed_atomic\\.[a-z]+\\.64 "));
  const std::string file = as_binary ? "shader.isa" : "shader.visaasm";
  if (as_binary) {
    base::Diagnostics diagnostics;
    text::ParseOptions parse;
    parse.platform = platform;
    const auto program = text::parse(text, "shader.visaasm", parse, diagnostics);
    if (!program) return messages(diagnostics);
    const auto bytes = binary::write(*program, {isa::Dialect::Igc12504, platform});
    if (!bytes.ok()) return "not written as .isa\n";
    write_bytes(folder / file, *bytes);
  } else {
    write_text(folder / file, text);
  }
  const test::Outcome outcome = run({"GenX_IR", file, "-platform", std::string(isa::platform_info(platform).name),
                                     "-output", "-noschedule", "-nopresched", "-nocompaction"},
                                    {}, folder.path(), 120);
  std::string words = outcome.err;
  for (const auto& entry : fs::directory_iterator(folder.path()))
    if (entry.path().extension() == ".txt") words += read_text(entry.path());
  if (outcome.timed_out) words += "timed out\n";
  if (outcome.signal != 0) words += "signal " + std::to_string(outcome.signal) + "\n";
  if (!fs::exists(folder / "shader.asm") && !fs::exists(folder / ".asm")) words += "no Gen code\n" + outcome.out;
  words = without_spills(words);
  // A syntax error names a line, often one too high.
  if (const std::size_t at = words.find("near line "); at != std::string::npos) {
    const unsigned line = static_cast<unsigned>(std::stoul(words.substr(at + 10)));
    std::size_t start = 0;
    for (unsigned k = 1; k + 1 < line; ++k) start = text.find('\n', start) + 1;
    words += text.substr(start, text.find('\n', text.find('\n', start) + 1) - start) + "\n";
  }
  return words;
}

std::string first_lines(const std::string& text) { return text.substr(0, 1500); }

void expect_accepted(const spirv::Module& module, const std::string& name, spirv::CompileOptions options) {
  const bool uses_doubles = module.text.find("OpCapability Float64") != std::string::npos;
  for (const isa::Platform platform : kPlatforms) {
    options.platform = platform;
    if (uses_doubles && !isa::platform_info(platform).fp64) continue;
    const CompiledShader compiled = compile_shader(module, options);
    if (!compiled.ok) {
      ADD_FAILURE() << name << ": " << first_lines(compiled.messages);
      continue;
    }
    EXPECT_EQ(first_lines(complaint(compiled.text, platform)), "")
        << name << " on " << isa::platform_info(platform).name << ", SIMD" << options.simd;
  }
}

/// In groups: the finalizer's time grows faster than the program.
void expect_accepted(const std::vector<Operation>& operations, const std::string& name, unsigned simd,
                     std::size_t group = 12) {
  spirv::CompileOptions options;
  options.simd = simd;
  options.target_env = "universal1.6";
  for (std::size_t i = 0; i < operations.size(); i += group) {
    const std::size_t count = std::min(group, operations.size() - i);
    const OperationShader shader = shader_of(std::span(operations).subspan(i, count));
    expect_accepted(assemble_shader(shader.text), name + "_" + operations[i].name, options);
  }
}

class GenX : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!have_program("GenX_IR")) GTEST_SKIP() << "GenX_IR is not installed";
  }
};

TEST_F(GenX, AcceptsIntegersOf32Bits) { expect_accepted(integer_operations(32), "u32", 16); }
TEST_F(GenX, AcceptsIntegersOf8Bits) { expect_accepted(integer_operations(8), "u8", 16); }
TEST_F(GenX, AcceptsIntegersOf16Bits) { expect_accepted(integer_operations(16), "u16", 8); }
TEST_F(GenX, AcceptsIntegersOf64Bits) { expect_accepted(integer_operations(64), "u64", 8); }
TEST_F(GenX, AcceptsFloats) { expect_accepted(float_operations("f32"), "f32", 16); }
TEST_F(GenX, AcceptsConversions) { expect_accepted(conversion_operations(false), "conversion", 16); }
TEST_F(GenX, AcceptsConversionsOfDoubles) { expect_accepted(conversion_operations(true), "conversion", 8); }
TEST_F(GenX, AcceptsDoubles) { expect_accepted(float_operations("f64"), "f64", 8); }
TEST_F(GenX, AcceptsVectors) { expect_accepted(vector_operations(), "vector", 8); }
TEST_F(GenX, AcceptsPacking) { expect_accepted(pack_operations(), "pack", 16); }
TEST_F(GenX, AcceptsSubgroups) { expect_accepted(subgroup_operations(false), "subgroup", 16); }
TEST_F(GenX, AcceptsDivergentSubgroups) { expect_accepted(subgroup_operations(true), "subgroup", 8); }
TEST_F(GenX, AcceptsDerivatives) { expect_accepted(derivative_operations(), "derivative", 16); }
TEST_F(GenX, AcceptsHalves) { expect_accepted(float_operations("f16"), "f16", 16); }

/// Compiled shaders below a folder of the source tree: those that this compiler takes on that platform, as plain vISA.
void expect_shaders_accepted(const std::string& folder, unsigned least) {
  unsigned accepted = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(HEDDLE_TEST_DIR) / folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".spvasm" && extension != ".spv") continue;
    const std::string name = fs::relative(entry.path(), HEDDLE_TEST_DIR).string();
    spirv::Module module;
    try {
      module = load_shader("../../" + name);
    } catch (const std::exception& e) {
      ADD_FAILURE() << name << ": " << e.what();
      continue;
    }
    for (const isa::Platform platform : kPlatforms)
      for (const unsigned simd : {16u, 8u, 32u}) {
        if (simd != 16 && !test_all()) break;
        spirv::CompileOptions options;
        options.platform = platform;
        options.simd = simd;
        options.portable = true;
        options.lenient = true;
        const CompiledShader compiled = compile_shader(module, options);
        if (!compiled.ok) continue;  // refused with a reason: other tests know which
        ++accepted;
        EXPECT_EQ(first_lines(complaint(compiled.text, platform)), "")
            << name << " on " << isa::platform_info(platform).name << ", SIMD" << simd;
      }
  }
  EXPECT_GE(accepted, least);
}

TEST_F(GenX, AcceptsShadersOfTests) { expect_shaders_accepted("data/spirv", 6); }
TEST_F(GenX, AcceptsExamples) { expect_shaders_accepted("../examples", 6); }

}  // namespace
