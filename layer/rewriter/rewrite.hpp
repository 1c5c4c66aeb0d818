// SPDX-License-Identifier: MIT
#pragma once
// SPIR-V with OpImageSampleFootprintNV becomes SPIR-V without it: the same answer by ordinary instructions. A pure
// function on words; it knows no Vulkan.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "layer/rewriter/module.hpp"
#include "layer/rewriter/sampler_record.hpp"

namespace heddle::layer {

/// What a binding with samplers is known to hold: constants, or records of the set's hidden buffer.
struct SamplerBinding {
  std::uint32_t set = 0, binding = 0;
  std::uint32_t count = 1;                    ///< array elements
  std::vector<SamplerRecord> constants;       ///< immutable samplers: one for each element, else empty
  std::optional<std::uint32_t> first_record;  ///< in the hidden buffer
};

/// A uniform buffer that the layer adds to a set: an array of records.
struct HiddenBuffer {
  std::uint32_t set = 0, binding = 0, records = 0;
};

struct RewriteOptions {
  std::vector<SamplerBinding> samplers;
  std::vector<HiddenBuffer> buffers;
  SamplerRecord unknown = unknown_sampler(16, 15);  ///< of samplers that are not followed
  bool lenient = false;                             ///< a query that cannot be rewritten answers zero
};

struct Rewritten {
  enum class Status : std::uint8_t {
    Untouched,  ///< no such instruction, or no module: `words` is empty
    Done,
    Refused,  ///< `message` says why
  };
  Status status = Status::Untouched;
  Words words;
  std::string message;                 ///< also what was done in lenient mode
  std::uint32_t unknown_samplers = 0;  ///< queries whose sampler was not followed
};

[[nodiscard]] Rewritten rewrite_footprints(std::span<const std::uint32_t> words, const RewriteOptions& options = {});

}  // namespace heddle::layer
