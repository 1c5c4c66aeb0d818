// SPDX-License-Identifier: MIT
// What the compiler writes for some shaders, line by line: a change of its output is seen as a change of these files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "shader.hpp"
#include "support/process.hpp"

using namespace heddle;

namespace {

struct Golden {
  std::string_view name;    ///< of the file below tests/data/compile
  std::string_view source;  ///< below the repository's root
  spirv::CompileOptions options = {};
};

spirv::CompileOptions with(isa::Platform platform, unsigned simd) {
  spirv::CompileOptions o;
  o.platform = platform;
  o.simd = simd;
  return o;
}

spirv::CompileOptions portable() {
  spirv::CompileOptions o;
  o.portable = true;
  return o;
}

/// `rounds` 5, `brighten`, and a workgroup of 8 in x.
spirv::CompileOptions specialized() {
  spirv::CompileOptions o = with(isa::Platform::ICLLP, 8);
  o.specialization = {{0, std::int64_t{8}}, {1, std::int64_t{5}}, {2, true}};
  return o;
}

std::vector<Golden> goldens() {
  using isa::Platform;
  return {
      {"arrays", "tests/data/spirv/compute/arrays.spvasm"},
      {"atomics", "tests/data/spirv/compute/atomics.spvasm", with(Platform::TGLLP, 16)},
      {"atomics_newer", "tests/data/spirv/compute/atomics.spvasm", with(Platform::PVC, 32)},
      {"scan_in_a_workgroup", "tests/data/spirv/compute/prefix.spvasm", with(Platform::SKL, 32)},
      {"widths", "tests/data/spirv/compute/widths.spvasm"},
      {"lanes", "tests/data/spirv/compute/lanes.spvasm"},
      {"matrices", "tests/data/spirv/compute/matrices.spvasm", with(Platform::SKL, 8)},
      {"specialized", "tests/data/spirv/compute/tuned.spvasm", specialized()},
      {"switch", "tests/data/spirv/flow/switch.spvasm"},
      {"shared_blocks", "tests/data/spirv/flow/shared_blocks.spvasm", with(Platform::SKL, 8)},
      {"discard_then_loop", "tests/data/spirv/fragment/discard_then_loop.spvasm"},
      {"samples", "tests/data/spirv/fragment/samples.spvasm", with(Platform::SKL, 8)},
      {"interpolate", "tests/data/spirv/fragment/interpolate.spvasm"},
      {"samplers", "tests/data/spirv/image/samplers.spvasm"},
      {"blocks", "tests/data/spirv/image/blocks.spvasm", with(Platform::TGLLP, 16)},
      {"formats", "tests/data/spirv/image/formats.spvasm", with(Platform::XeHP_SDV, 16)},
      {"textured", "tests/data/spirv/image/textured.spvasm", with(Platform::SKL, 32)},
      {"subpass", "tests/data/spirv/image/subpass.spvasm"},
      {"vertex", "examples/terrace.vert.spv"},
      {"geometry", "tests/data/spirv/geometry/fins.spvasm", with(Platform::SKL, 8)},
      {"tessellation_control", "tests/data/spirv/tessellation/control.spvasm"},
      {"tessellation_evaluation", "tests/data/spirv/tessellation/evaluation.spvasm"},
      {"footprint", "tests/data/footprint/glsl/e_separate.frag.spvasm"},
      {"footprint_portable", "tests/data/footprint/glsl/e_separate.frag.spvasm", portable()},
  };
}

spirv::Module module_of(std::string_view source) {
  const std::string file(source), text = test::read_text(std::string(HEDDLE_SOURCE_DIR) + "/" + file);
  auto module = file.ends_with(".spvasm")
                    ? spirv::assemble(text, file, "vulkan1.3")
                    : spirv::read_binary({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, file);
  EXPECT_TRUE(module.ok()) << source;
  return module.ok() ? std::move(*module) : spirv::Module();
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// The first line that differs, with its number; empty: there is none.
std::string first_difference(std::string_view expected, std::string_view found) {
  const std::vector<std::string_view> before = lines_of(expected), now = lines_of(found);
  const auto at = [](const std::vector<std::string_view>& lines, std::size_t n) {
    return n < lines.size() ? std::string(lines[n]) : "(the end)";
  };
  for (std::size_t n = 0; n < std::max(before.size(), now.size()); ++n)
    if (at(before, n) != at(now, n))
      return "line " + std::to_string(n + 1) + "\n  golden:   " + at(before, n) + "\n  compiled: " + at(now, n);
  return expected == found ? "" : "the newline at the end";
}

TEST(CompileGolden, ShadersBecomeTheTextOfTheirFiles) {
  const std::vector<Golden> all = goldens();
  ASSERT_EQ(all.size(), 24u);
  for (const Golden& golden : all) {
    SCOPED_TRACE(std::string(golden.source));
    const std::string file = "tests/data/compile/" + std::string(golden.name) + ".visaasm",
                      path = std::string(HEDDLE_SOURCE_DIR) + "/" + file;
    const test::CompiledShader compiled = test::compile_shader(module_of(golden.source), golden.options);
    ASSERT_TRUE(compiled.ok) << compiled.messages;
    if (std::getenv("HEDDLE_UPDATE_GOLDEN") != nullptr) test::write_text(path, compiled.text);
    EXPECT_EQ(first_difference(test::read_text(path), compiled.text), "")
        << file << " differs from what the compiler writes now. If that is meant, write it anew and look at the diff:\n"
        << "HEDDLE_UPDATE_GOLDEN=1 build/dev/tests/test_compile --gtest_filter='CompileGolden.*'";
  }
}

// The message names the first line, also where one text is the other's beginning.
TEST(CompileGolden, TheFirstDifferenceIsNamed) {
  EXPECT_EQ(first_difference("a\nb\nc\n", "a\nb\nc\n"), "");
  EXPECT_EQ(first_difference("a\nb\nc\n", "a\nx\nc\n"), "line 2\n  golden:   b\n  compiled: x");
  EXPECT_EQ(first_difference("a\n", "a\nb\n"), "line 2\n  golden:   (the end)\n  compiled: b");
  EXPECT_EQ(first_difference("a\n", "a"), "the newline at the end");
}

}  // namespace
