// SPDX-License-Identifier: MIT
#pragma once
// How the lanes of a compute group's threads are numbered, for messages and races.

#include <array>
#include <cstdint>

namespace heddle::machine {

/// Of one group; shared by its threads.
struct Invocations {
  std::array<std::uint32_t, 3> size{1, 1, 1};    ///< of this group
  std::array<std::uint32_t, 3> local{1, 1, 1};   ///< of all groups but the last ones
  std::array<std::uint32_t, 3> offset{0, 0, 0};  ///< of global ids
  std::array<std::uint32_t, 3> walk{0, 1, 2};    ///< dimension that runs fastest first
  std::uint32_t simd = 16;
  bool shader = false;  ///< a compiled shader: every lane is an invocation of its own

  [[nodiscard]] std::array<std::uint32_t, 3> local_id(std::uint32_t thread, std::uint32_t lane) const {
    const std::uint64_t i = std::uint64_t{thread} * simd + lane;
    std::array<std::uint32_t, 3> id{};
    id[walk[0]] = static_cast<std::uint32_t>(i % size[walk[0]]);
    id[walk[1]] = static_cast<std::uint32_t>(i / size[walk[0]] % size[walk[1]]);
    id[walk[2]] = static_cast<std::uint32_t>(i / size[walk[0]] / size[walk[1]]);
    return id;
  }
  [[nodiscard]] std::array<std::uint32_t, 3> global_id(const std::array<std::uint32_t, 3>& group,
                                                       const std::array<std::uint32_t, 3>& id) const {
    std::array<std::uint32_t, 3> global{};
    for (std::size_t d = 0; d < 3; ++d) global[d] = offset[d] + group[d] * local[d] + id[d];
    return global;
  }
};

}  // namespace heddle::machine
