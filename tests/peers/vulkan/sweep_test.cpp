// SPDX-License-Identifier: MIT
// Shaders of the sweep on lavapipe: it gives what Heddle must give.
// Rules: SPV-15, SPV-19, SPV-35.
#include "compile/sweep/sweep.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "compile/shader.hpp"
#include "vulkan_client.hpp"

namespace heddle::test {
namespace {

bool has_wide_masks() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx512f") != 0;
#else
  return false;
#endif
}

/// What lavapipe of Mesa 22 can run: bound buffers, no halves or 64-bit numbers in atomics, no Workgroup layouts.
bool fits(const SweepShader& s) {
  for (const SweepBuffer& b : s.buffers)
    if (b.address) return false;
  // Where lanes mean different buffers behind a loop it takes the first lane's; it counts vectors of three as tight.
  for (const char* word : {"Workgroup", "Uniform", "Ofi64", "Ofu64", "Ofu8", "Ofu16", "BufferLoop", "DifferenceOfv3"})
    if (s.name.find(word) != std::string::npos) return false;
  // Its LLVM cannot select the stores that such an atomic needs, and ends the process, on processors without AVX-512.
  if (s.name.find("Off64") != std::string::npos && !has_wide_masks()) return false;
  return s.text.find("Float16") == std::string::npos || s.name.find("f16") == std::string::npos;
}

std::string problem_on(VulkanClient& client, const SweepShader& s) {
  const spirv::Module module = assemble_shader(s.text);
  std::vector<Bytes> after;
  std::vector<PeerBinding> bindings(s.buffers.size());
  for (const SweepBuffer& b : s.buffers) after.push_back(b.bytes);
  for (std::size_t k = 0; k < bindings.size(); ++k) {
    bindings[k].buffer = &after[k];
    bindings[k].binding = s.buffers[k].binding;
  }
  if (std::string why = client.compute(module.words, bindings, s.groups, s.push); !why.empty()) return why;
  return difference(s, after);
}

TEST(LavapipeSweep, GivesTheSame) {
  std::string why;
  VulkanClient* const client = lavapipe(why);
  if (client == nullptr) GTEST_SKIP() << why;
  unsigned count = 0;
  for (const auto& family : {pointer_shaders(), atomic_shaders(), layout_shaders()})
    for (const SweepShader& s : family) {
      if (!fits(s)) continue;
      EXPECT_EQ(problem_on(*client, s), "") << s.name;
      ++count;
    }
  EXPECT_GE(count, 100u);
}

}  // namespace
}  // namespace heddle::test
