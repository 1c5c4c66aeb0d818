// SPDX-License-Identifier: MIT
#pragma once
// What a fence orders (SPV-20).

#include "machine/decoded.hpp"

namespace heddle::instructions {

/// Of an instruction with isa::Traits::fence: buffers and images, which other groups see, too; no: shared local memory
/// alone, which belongs to a group and so to one processor at a time.
[[nodiscard]] inline bool orders_buffers(const machine::Operands& fence) {
  constexpr std::uint64_t kSharedMemory = 3;  // lsc_fence.slm
  const isa::FenceKind kind = fence.description().traits.fence;
  return kind == isa::FenceKind::Buffers || (kind == isa::FenceKind::Named && fence.integer("sfid") != kSharedMemory);
}

}  // namespace heddle::instructions
