// SPDX-License-Identifier: MIT
// Damaged shaders: compile and run take any module, in every mutation, without a crash.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>

#include "base/byte_cursor.hpp"
#include "support/any_shader.hpp"
#include "support/number_variable.hpp"
#include "support/process.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

std::vector<std::vector<std::uint8_t>> modules() {
  std::vector<fs::path> files;
  for (const char* folder : {"tests/data/footprint/glsl", "examples", "tests/data/spirv"})
    if (fs::exists(folder))
      for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".spv" || entry.path().extension() == ".spvasm") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::vector<std::uint8_t>> list;
  for (const fs::path& file : files) {
    if (file.extension() == ".spv") {
      list.push_back(test::read_bytes(file));
      continue;
    }
    const auto module = spirv::assemble(test::read_text(file), file.string(), "vulkan1.3");
    if (!module.ok()) continue;
    std::vector<std::uint8_t> bytes(module->words.size() * 4);
    std::memcpy(bytes.data(), module->words.data(), bytes.size());
    list.push_back(std::move(bytes));
  }
  return list;
}

TEST(ShaderRobust, DamagedModulesNeverCrashCompileOrRun) {
  const auto seeds = modules();
  if (seeds.empty()) GTEST_SKIP() << "no modules";
  // HEDDLE_TEST_ALL=1 runs 200 times as many
  std::mt19937 random(test::number_variable<unsigned>("HEDDLE_TEST_SEED").value_or(20241121u));
  const int rounds = test::test_all() ? 20000 : 100;
  std::array<int, 5> seen{};
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::uint8_t> bytes = seeds[random() % seeds.size()];
    const unsigned changes = random() % 4;
    for (unsigned c = 0; c < changes; ++c) {
      const std::size_t word = 5 + random() % std::max<std::size_t>(1, bytes.size() / 4 - 5);
      switch (random() % 4) {
        case 0:  // another id or number
          bytes[std::min(word * 4, bytes.size() - 1)] = static_cast<std::uint8_t>(random() % 64);
          break;
        case 1:
          bytes[random() % bytes.size()] ^= static_cast<std::uint8_t>(1u << random() % 8);
          break;
        case 2: {  // a word from elsewhere
          const std::size_t from = random() % (bytes.size() / 4);
          if (word * 4 + 4 <= bytes.size())
            std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(from * 4), 4,
                        bytes.begin() + static_cast<std::ptrdiff_t>(word * 4));
          break;
        }
        default:
          bytes.resize(std::max<std::size_t>(20, random() % 16 == 0 ? word * 4 : bytes.size()));
          break;
      }
    }
    spirv::CompileOptions options;
    options.simd = 8u << random() % 3;
    options.portable = random() % 2 != 0;
    options.lenient = random() % 2 != 0;
    ++seen[static_cast<std::size_t>(test::run_any(bytes, options))];
  }
  RecordProperty("ran", seen[static_cast<std::size_t>(test::AnyOutcome::Ran)]);
  EXPECT_GT(seen[static_cast<std::size_t>(test::AnyOutcome::Ran)], 0);
}

TEST(ShaderRobust, TypesThatContainThemselvesHaveWords) {
  const auto module = spirv::assemble(
      "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%u = OpTypeInt 32 0\n%n = OpConstant %u 2\n%v = "
      "OpTypeVector %a 2\n%a = OpTypeArray %v %n\n",
      "cycle.spvasm", "vulkan1.3");
  ASSERT_TRUE(module.ok());
  for (const spirv::Instruction& i : module->instructions)
    if (i.result != 0) {
      EXPECT_LT(module->type_text(i.result).size(), 200u);
    }
}

}  // namespace
}  // namespace heddle
