// SPDX-License-Identifier: MIT
#include "vulkan/newer_modules.hpp"

#include <cstring>
#include <utility>

namespace heddle::test {
namespace {

// Numbers of SPIR-V's registry.
constexpr std::uint32_t kOpExtension = 10, kOpEntryPoint = 15, kOpExecutionMode = 16, kOpCapability = 17;
constexpr std::uint32_t kOpGroupNonUniformAll = 334, kOpGroupNonUniformAny = 335;
constexpr std::uint32_t kQuadAll = 5110, kQuadAny = 5111, kQuadControl = 5087;
constexpr std::uint32_t kQuadDerivatives = 5088, kRequireFullQuads = 5089, kMaximallyReconverges = 6023;

using Words = std::vector<std::uint32_t>;

Words extension(std::string_view name) {
  const std::size_t count = name.size() / 4 + 2;
  Words words(count);
  words[0] = static_cast<std::uint32_t>(count << 16) | kOpExtension;
  std::memcpy(&words[1], name.data(), name.size());
  return words;
}

}  // namespace

Words with_more(const Words& words, const Words& capabilities, const std::vector<std::string_view>& extensions,
                const Words& modes) {
  Words out(words.begin(), words.begin() + 5);
  std::uint32_t entry = 0;
  bool capable = false, extended = false, has_modes = false;
  each_instruction(words, [&](std::uint32_t opcode, const std::uint32_t* at) {
    if (opcode != kOpCapability && !std::exchange(capable, true))
      for (const std::uint32_t capability : capabilities) out.insert(out.end(), {2u << 16 | kOpCapability, capability});
    if (opcode != kOpCapability && opcode != kOpExtension && !std::exchange(extended, true))
      for (const std::string_view name : extensions) {
        const Words one = extension(name);
        out.insert(out.end(), one.begin(), one.end());
      }
    if (entry != 0 && opcode != kOpEntryPoint && !std::exchange(has_modes, true))
      for (const std::uint32_t mode : modes) out.insert(out.end(), {3u << 16 | kOpExecutionMode, entry, mode});
    if (opcode == kOpEntryPoint) entry = at[2];
    out.insert(out.end(), at, at + (*at >> 16));
  });
  return out;
}

Words with_extension_in_place(const Words& words, std::string_view from, std::string_view to) {
  Words out(words.begin(), words.begin() + 5);
  const Words before = extension(from), after = extension(to);
  each_instruction(words, [&](std::uint32_t, const std::uint32_t* at) {
    const Words one(at, at + (*at >> 16));
    const Words& put = one == before ? after : one;
    out.insert(out.end(), put.begin(), put.end());
  });
  return out;
}

Words with_quad_control(const Words& words) {
  Words changed(words.begin(), words.begin() + 5);
  each_instruction(words, [&](std::uint32_t opcode, const std::uint32_t* at) {
    if (opcode == kOpGroupNonUniformAll || opcode == kOpGroupNonUniformAny)  // without their scope
      changed.insert(changed.end(),
                     {4u << 16 | (opcode == kOpGroupNonUniformAll ? kQuadAll : kQuadAny), at[1], at[2], at[4]});
    else
      changed.insert(changed.end(), at, at + (*at >> 16));
  });
  return with_more(changed, {kQuadControl}, {"SPV_KHR_quad_control", "SPV_KHR_maximal_reconvergence"},
                   {kQuadDerivatives, kRequireFullQuads, kMaximallyReconverges});
}

Words with_rotation(const Words& words, std::uint32_t cluster) {
  constexpr std::uint32_t kOpConstant = 43, kShuffleDown = 348, kRotate = 4431, kCapability = 6026;
  std::uint32_t size = 0;
  each_instruction(words, [&](std::uint32_t opcode, const std::uint32_t* at) {
    if (opcode == kOpConstant && at[0] >> 16 == 4 && at[3] == cluster) size = at[2];
  });
  Words changed(words.begin(), words.begin() + 5);
  each_instruction(words, [&](std::uint32_t opcode, const std::uint32_t* at) {
    const std::size_t begin = changed.size();
    changed.insert(changed.end(), at, at + (*at >> 16));
    if (opcode != kShuffleDown) return;
    if (cluster != 0) changed.push_back(size);
    changed[begin] = static_cast<std::uint32_t>((changed.size() - begin) << 16) | kRotate;
  });
  return with_more(changed, {kCapability}, {"SPV_KHR_subgroup_rotate"}, {});
}

Words with_maximal_reconvergence(const Words& words) {
  return with_more(words, {}, {"SPV_KHR_maximal_reconvergence"}, {kMaximallyReconverges});
}

}  // namespace heddle::test
