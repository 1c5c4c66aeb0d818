// SPDX-License-Identifier: MIT
#pragma once
// Every resource limit, each with the flag that changes it. Nothing is allocated from a count that was not checked
// first.

#include <cstddef>
#include <cstdint>

namespace heddle::base {

struct Limits {
  std::uint64_t input_bytes = std::uint64_t{1} << 31;    ///< --max-input: bytes of one input file
  std::uint64_t instructions = 20'000'000;               ///< --max-instructions: instructions of one file
  std::uint64_t variables = 1'000'000;                   ///< --max-variables: declarations of one object
  std::uint64_t surface_bytes = std::uint64_t{1} << 31;  ///< --max-surface: bytes of one surface
  /// --max-memory: bytes of all surfaces and buffers of a run; as many again for what its threads hold at a time
  /// (registers, shared, scratch and private memory).
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;
  /// --max-steps: instructions executed by one run; from 2^62 on only the time counts.
  std::uint64_t steps = std::uint64_t{1} << 62;
  double seconds = 600;              ///< --max-seconds: time of one run
  std::uint64_t nesting = 256;       ///< --max-nesting: depth of nested expressions and scopes
  std::uint64_t diagnostics = 1000;  ///< --max-errors: messages kept
};

}  // namespace heddle::base
