// SPDX-License-Identifier: MIT
#pragma once
// Generated vISA text: the same bytes for the same arguments everywhere.

#include <cstdint>
#include <cstdio>

namespace heddle::bench {

enum class Mix : std::uint8_t {
  Mixed,  ///< arithmetic, logic, moves, image, memory and flow, in about the proportions of compiled kernels
  Image,  ///< sample, load, gather4, queries, sample_unorm and render-target writes only
};

/// Writes a kernel of `count` instructions (labels are instructions of the format and are counted). `error_at_end`: the
/// last line has an unknown mnemonic, at which a tool stops after it has parsed everything before.
void generate(std::FILE* out, Mix mix, std::uint64_t count, bool error_at_end);

}  // namespace heddle::bench
