// Intel's finalizer accepts what the compiler writes, for SKL, ICLLP and TGLLP: every shader of the tests and examples,
// and the operations that the other tests run.

#include <algorithm>
#include <filesystem>

#include "operation_run.hpp"
#include "support/process.hpp"

using namespace heddle;
using namespace heddle::test;

namespace fs = std::filesystem;

namespace {

constexpr isa::Platform kPlatforms[] = {isa::Platform::SKL, isa::Platform::ICLLP, isa::Platform::TGLLP};

/// What GenX_IR says against a program; empty when it makes Gen code of it without a word. Its exit code proves nothing
/// (visa 9.1).
std::string complaint(const std::string& text, isa::Platform platform) {
  const TemporaryFolder folder;
  write_text(folder / "shader.visaasm", text);
  const test::Outcome outcome =
      run({"GenX_IR", "shader.visaasm", "-platform", std::string(isa::platform_info(platform).name), "-output",
           "-noschedule", "-nopresched", "-nocompaction"},
          {}, folder.path(), 120);
  std::string words = outcome.err;
  for (const auto& entry : fs::directory_iterator(folder.path()))
    if (entry.path().extension() == ".txt") words += read_text(entry.path());
  if (outcome.timed_out) words += "timed out\n";
  if (outcome.signal != 0) words += "signal " + std::to_string(outcome.signal) + "\n";
  if (!fs::exists(folder / "shader.asm")) words += "no Gen code\n" + outcome.out;
  return words;
}

std::string first_lines(const std::string& text) { return text.substr(0, 1500); }

struct Program {
  std::string name;
  isa::Platform platform;
  unsigned simd;
};

void expect_accepted(const spirv::Module& module, const std::string& name, spirv::CompileOptions options) {
  for (const isa::Platform platform : kPlatforms) {
    options.platform = platform;
    const CompiledShader compiled = compile_shader(module, options);
    if (!compiled.ok) {
      ADD_FAILURE() << name << ": " << first_lines(compiled.messages);
      continue;
    }
    EXPECT_EQ(first_lines(complaint(compiled.text, platform)), "")
        << name << " on " << isa::platform_info(platform).name << ", SIMD" << options.simd;
    if (const char* keep = std::getenv("HEDDLE_KEEP"); keep != nullptr && ::testing::Test::HasFailure())
      write_text(fs::path(keep) / (fs::path(name).stem().string() + ".visaasm"), compiled.text);
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
TEST_F(GenX, AcceptsVectors) { expect_accepted(vector_operations(), "vector", 8); }
TEST_F(GenX, AcceptsPacking) { expect_accepted(pack_operations(), "pack", 16); }
TEST_F(GenX, AcceptsSubgroups) { expect_accepted(subgroup_operations(false), "subgroup", 16); }
TEST_F(GenX, AcceptsDivergentSubgroups) { expect_accepted(subgroup_operations(true), "subgroup", 8); }
TEST_F(GenX, AcceptsDerivatives) { expect_accepted(derivative_operations(), "derivative", 16); }
TEST_F(GenX, AcceptsHalves) { expect_accepted(float_operations("f16"), "f16", 16); }

}  // namespace
