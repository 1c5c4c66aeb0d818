// SPDX-License-Identifier: MIT
#pragma once
// A context with another number of lanes than its instruction has: messages have widths of their own.

#include "machine/execution_context.hpp"

namespace heddle::instructions {

/// Lane 0 is the instruction's lane `shift`; of the new lanes only those of `enabled` are on.
class WidthContext {
 public:
  WidthContext(machine::ExecutionContext& context, unsigned lanes, unsigned shift, std::uint32_t enabled);
  /// The lanes of the instruction from `shift` on that are enabled: a SIMD16 message of an instruction of 8 lanes has 8
  /// lanes off.
  WidthContext(machine::ExecutionContext& context, unsigned lanes, unsigned shift = 0)
      : WidthContext(context, lanes, shift, context.enabled() >> shift) {}
  WidthContext(const WidthContext&) = delete;
  WidthContext& operator=(const WidthContext&) = delete;
  [[nodiscard]] machine::ExecutionContext& operator*() { return context_; }

 private:
  machine::Decoded decoded_;
  machine::ExecutionContext context_;
};

}  // namespace heddle::instructions
