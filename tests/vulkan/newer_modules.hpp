// SPDX-License-Identifier: MIT
#pragma once
// Modules with what glslang 12 and the SPIR-V headers of Debian 12 do not know, made of modules without it.

#include <cstdint>
#include <string_view>
#include <vector>

namespace heddle::test {

/// Calls visit(opcode, words) for each instruction.
template <typename Visit>
void each_instruction(const std::vector<std::uint32_t>& words, const Visit& visit) {
  for (std::size_t at = 5; at < words.size() && words[at] >> 16 != 0; at += words[at] >> 16)
    visit(words[at] & 0xffffu, &words[at]);
}

/// The module with further capabilities, extensions and execution modes of its only entry point.
[[nodiscard]] std::vector<std::uint32_t> with_more(const std::vector<std::uint32_t>& words,
                                                   const std::vector<std::uint32_t>& capabilities,
                                                   const std::vector<std::string_view>& extensions,
                                                   const std::vector<std::uint32_t>& modes);

/// The module with another extension's name in the place of one.
[[nodiscard]] std::vector<std::uint32_t> with_extension_in_place(const std::vector<std::uint32_t>& words,
                                                                 std::string_view from, std::string_view to);

/// SPV_KHR_quad_control and SPV_KHR_maximal_reconvergence: OpGroupNonUniformAll and Any become votes of quads, in a
/// fragment shader with full quads.
[[nodiscard]] std::vector<std::uint32_t> with_quad_control(const std::vector<std::uint32_t>& words);
/// SPV_KHR_subgroup_rotate: shuffles down go round in the subgroup, or in clusters of so many (0: of all).
[[nodiscard]] std::vector<std::uint32_t> with_rotation(const std::vector<std::uint32_t>& words, std::uint32_t cluster);
/// SPV_KHR_maximal_reconvergence.
[[nodiscard]] std::vector<std::uint32_t> with_maximal_reconvergence(const std::vector<std::uint32_t>& words);

}  // namespace heddle::test
