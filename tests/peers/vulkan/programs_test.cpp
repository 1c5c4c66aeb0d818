// SPDX-License-Identifier: MIT
// Shaders as people write them on Heddle's machine and on lavapipe: the same buffers and pixels.
// Rules: SPV-13, SPV-18, SPV-19, SPV-22.
#include "peers/vulkan/programs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "compile/shader.hpp"
#include "support/process.hpp"
#include "vulkan_client.hpp"

namespace heddle::test {
namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr unsigned kElements = 256;

/// The module that both sides take.
spirv::Module module_of(const std::string& name, const std::string& glsl, const char* stage) {
  TemporaryFolder folder;
  write_text(folder / "shader", glsl);
  const auto outcome = run({"glslangValidator", "-V", "--target-env", "vulkan1.2", "-S", stage, "-o",
                            (folder / "shader.spv").string(), (folder / "shader").string()});
  if (outcome.exit_code != 0) ADD_FAILURE() << name << "\n" << outcome.out << outcome.err;
  auto module = spirv::read_binary(read_bytes(folder / "shader.spv"), name);
  if (!module.ok()) {
    ADD_FAILURE() << name << " cannot be read";
    return {};
  }
  return std::move(*module);
}

/// Numbers that people give: small, with fractions of 1/8, both signs; any bits for integers.
Bytes numbers(bool floats, unsigned words, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(std::size_t{kElements} * words * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    std::uint32_t word = random() % 3 == 0 ? random() % 300 : random();
    if (floats) word = std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<int>(random() % 321) - 160) / 8);
    std::memcpy(bytes.data() + at, &word, 4);
  }
  return bytes;
}

std::string listed(const Bytes& bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + at, 4);
    text += fmt::format("{}{}", at == 0 ? "" : ",", word);
  }
  return text;
}

/// Lavapipe's functions are polynomials, right to some 10 bits near their edges.
bool near(float ours, float theirs) {
  return ours == theirs || (std::isnan(ours) && std::isnan(theirs)) ||
         std::abs(ours - theirs) <= 1e-3f * std::max(1.0f, std::abs(theirs));
}

/// Every component of every element.
std::string difference(const ComputeProgram& p, const Bytes& ours, const Bytes& theirs) {
  if (ours.size() != theirs.size()) return fmt::format("{} bytes, not {}", ours.size(), theirs.size());
  for (unsigned i = 0; i < kElements; ++i)
    for (unsigned c = 0; c < p.visible; ++c) {
      std::uint32_t a = 0, b = 0;
      std::memcpy(&a, ours.data() + (std::size_t{i} * p.words + c) * 4, 4);
      std::memcpy(&b, theirs.data() + (std::size_t{i} * p.words + c) * 4, 4);
      if (p.floats && !near(std::bit_cast<float>(a), std::bit_cast<float>(b)))
        return fmt::format("component {} of element {} is {}, lavapipe's {}", c, i, std::bit_cast<float>(a),
                           std::bit_cast<float>(b));
      if (!p.floats && a != b) return fmt::format("component {} of element {} is {:#x}, lavapipe's {:#x}", c, i, a, b);
    }
  return {};
}

std::string problem_of(VulkanClient& client, const ComputeProgram& p, unsigned simd) {
  const spirv::Module module = module_of(p.name, p.glsl, "comp");
  const Bytes first = numbers(p.floats, p.words, 11), second = numbers(p.floats, p.words, 12);
  const unsigned groups = kElements / p.local_size;
  std::vector<Bytes> buffers{first, second, Bytes(first.size())};
  std::vector<PeerBinding> bindings(3);
  for (unsigned k = 0; k < 3; ++k) bindings[k].buffer = &buffers[k];
  if (const std::string why = client.compute(module.words, bindings, groups); !why.empty()) return why;
  const std::string job = fmt::format(
      "groups = [{}]\n[buffers.\"0.0\"]\ntype = \"u32\"\ndata = [{}]\n[buffers.\"0.1\"]\ntype = \"u32\"\ndata = [{}]\n"
      "[buffers.\"0.2\"]\ntype = \"u32\"\ncount = {}\nsave = \"third.bin\"\n",
      groups, listed(first), listed(second), kElements * p.words);
  spirv::CompileOptions options;
  options.simd = simd;
  const job::RunResult outcome = run_shader(module, job, options);
  if (!outcome.succeeded) return messages(outcome.diagnostics);
  const std::string ours = output_bytes(outcome, "third.bin");
  return difference(p, Bytes(ours.begin(), ours.end()), buffers[2]);
}

std::string problem_of(VulkanClient& client, const PictureProgram& p, unsigned simd) {
  constexpr unsigned kSize = 16;
  const spirv::Module module = module_of(p.name, p.glsl, "frag");
  PeerDraw draw;
  draw.width = draw.height = kSize;
  draw.format = VK_FORMAT_R32G32B32A32_SFLOAT;
  draw.target.resize(kSize * kSize * 16);
  draw.blend.colorWriteMask = 0xf;
  std::vector<PeerBinding> none;
  if (const std::string why = client.draw(module.words, none, draw); !why.empty()) return why;
  spirv::CompileOptions options;
  options.simd = simd;
  const job::RunResult outcome = run_shader(
      module,
      "[images.color]\nformat = \"R32G32B32A32_FLOAT\"\nsize = [16, 16]\nsave = \"color.bin\"\n[pixels]\ntargets = "
      "[\"color\"]\n",
      options);
  if (!outcome.succeeded) return messages(outcome.diagnostics);
  const auto ours = output_as<float>(outcome, "color.bin");
  if (ours.size() * 4 != draw.target.size()) return fmt::format("{} components", ours.size());
  for (unsigned i = 0; i < ours.size(); ++i) {
    float theirs = 0;
    std::memcpy(&theirs, draw.target.data() + std::size_t{i} * 4, 4);
    if (!near(ours[i], theirs))
      return fmt::format("component {} of pixel ({}, {}) is {}, lavapipe's {}", i % 4, i / 4 % kSize, i / 4 / kSize,
                         ours[i], theirs);
  }
  return {};
}

constexpr unsigned kWidths[] = {8, 16, 32};

TEST(LavapipePrograms, BuffersAreTheSame) {
  std::string why;
  VulkanClient* const client = lavapipe(why);
  if (client == nullptr) GTEST_SKIP() << why;
  unsigned count = 0;
  for (const ComputeProgram& p : compute_programs()) {
    const unsigned number = count++;
    if (!test_all() && number % 4 != 0) continue;  // of all shapes: they stand side by side
    EXPECT_EQ(problem_of(*client, p, kWidths[number % 3]), "") << p.name << "\n" << p.glsl;
  }
  EXPECT_GE(count, 210u);
}

TEST(LavapipePrograms, PicturesAreTheSame) {
  std::string why;
  VulkanClient* const client = lavapipe(why);
  if (client == nullptr) GTEST_SKIP() << why;
  unsigned count = 0;
  for (const PictureProgram& p : picture_programs())
    EXPECT_EQ(problem_of(*client, p, kWidths[count++ % 3]), "") << p.name << "\n" << p.glsl;
  EXPECT_GE(count, 30u);
}

}  // namespace
}  // namespace heddle::test
