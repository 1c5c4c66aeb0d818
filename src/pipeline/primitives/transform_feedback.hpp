// SPDX-License-Identifier: MIT
#pragma once
// Transform feedback: the vertices of the last stage's primitives go to buffers (PRM-11).

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/fixed_limits.hpp"
#include "pipeline/primitives/record_link.hpp"
#include "pipeline/primitives/stream.hpp"
#include "pipeline/run_context.hpp"

namespace heddle::pipeline {

/// The low 16 bits of a record's dword.
struct ShortCopy {
  std::uint32_t from = 0, to = 0;
};

/// What goes to one buffer.
struct CaptureBuffer {
  std::uint32_t stride = 0;  ///< bytes of a vertex there; 0: nothing goes there
  std::uint32_t stream = 0;  ///< whose vertices
  std::vector<RecordCopy> dwords;
  std::vector<ShortCopy> shorts;
};
using CapturePlan = std::array<CaptureBuffer, base::kMaxCaptureBuffers>;

/// Where it goes: behind what is there already.
struct CaptureTarget {
  std::span<std::uint8_t> bytes;
  std::uint64_t at = 0;
};
using CaptureTargets = std::array<CaptureTarget, base::kMaxCaptureBuffers>;

/// Primitives of a stream.
struct CaptureCount {
  std::uint64_t written = 0, needed = 0;
};

/// Writes the primitives of `stream` as long as each buffer of its stream has room for all vertices of one.
[[nodiscard]] CaptureCount capture(const PrimitiveStream& stream, const CapturePlan& plan, CaptureTargets& targets,
                                   RunContext& context);

}  // namespace heddle::pipeline
