// SPDX-License-Identifier: MIT
#pragma once
// What the threads of compute groups start with, made once for all groups of one size.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/jit/runtime/prepared_kernel.hpp"
#include "machine/thread.hpp"

namespace heddle::engine::jit {

/// All but the group's number.
struct GroupThreads {
  /// Family for `count` threads of a kernel with KernelOptions::own_bytes.
  GroupThreads(const PreparedKernel& kernel, std::span<const std::uint8_t> payload, std::uint32_t count);
  void set(std::uint32_t thread, std::span<const std::uint8_t> payload, std::uint32_t mask, std::uint32_t state0,
           std::uint32_t hardware_id);
  /// One of them in a group, as the reference engine starts it; `whole` takes its payload. Without scratch and group.
  [[nodiscard]] machine::ThreadStart start(std::uint32_t thread, const std::array<std::uint32_t, 3>& number,
                                           std::vector<std::uint8_t>& whole) const;

  std::vector<std::uint8_t> shared;  ///< a payload, read behind own_bytes
  std::size_t payload_bytes;         ///< of it; zeros follow
  std::uint32_t own_bytes, stride;
  std::vector<std::uint8_t> own;     ///< records of `stride` bytes: the own ones of the payload, %sr0, %hw_id
  std::vector<std::uint32_t> masks;  ///< lanes that start
  std::uint32_t arguments = 0;       ///< see ThreadStart
  std::size_t scratch_bytes = 0;     ///< of each thread
};

}  // namespace heddle::engine::jit
