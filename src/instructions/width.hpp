#pragma once
// A step with another number of lanes than its instruction has: messages have widths of their own.

#include "machine/execution_context.hpp"

namespace heddle::instructions {

/// Lane 0 is the instruction's lane `shift`; of the new lanes only those of `enabled` are on.
class WidthStep {
 public:
  WidthStep(machine::ExecutionContext& step, unsigned lanes, unsigned shift, std::uint32_t enabled);
  /// The lanes of the instruction from `shift` on that are enabled: a SIMD16 message of an instruction of 8 lanes has 8
  /// lanes off.
  WidthStep(machine::ExecutionContext& step, unsigned lanes, unsigned shift = 0)
      : WidthStep(step, lanes, shift, step.enabled() >> shift) {}
  WidthStep(const WidthStep&) = delete;
  WidthStep& operator=(const WidthStep&) = delete;
  [[nodiscard]] machine::ExecutionContext& operator*() { return step_; }

 private:
  machine::Decoded decoded_;
  machine::ExecutionContext step_;
};

}  // namespace heddle::instructions
