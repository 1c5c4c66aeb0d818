// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>

#include "pipeline/compute/compute.hpp"

namespace heddle::pipeline {

std::array<std::uint32_t, 3> Grid::group_id(std::uint64_t index) const {
  return {static_cast<std::uint32_t>(index % groups[0]), static_cast<std::uint32_t>(index / groups[0] % groups[1]),
          static_cast<std::uint32_t>(index / groups[0] / groups[1])};
}

std::array<std::uint32_t, 3> Grid::size_of(const std::array<std::uint32_t, 3>& group) const {
  std::array<std::uint32_t, 3> size{};
  for (std::size_t d = 0; d < 3; ++d)
    size[d] =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(local[d], global[d] - std::uint64_t{group[d]} * local[d]));
  return size;
}

void ComputePlan::put_grid(std::span<std::uint8_t> payload, const Grid& grid) const {
  const std::array<std::uint32_t, 3> dimensions{grid.dimensions, 0, 0};
  const auto dwords = [&](GridValue value) -> const std::array<std::uint32_t, 3>& {
    switch (value) {
      case GridValue::GroupCount:
        return grid.groups;
      case GridValue::GlobalOffset:
        return grid.offset;
      case GridValue::GlobalSize:
        return grid.global;
      case GridValue::LocalSize:
        return grid.local;
      case GridValue::Dimensions:
        break;
    }
    return dimensions;
  };
  for (const GridInput& input : grid_inputs) {
    const std::size_t bytes = input.value == GridValue::Dimensions ? 4 : 12;
    if (input.offset + bytes <= payload.size())
      std::memcpy(payload.data() + input.offset, dwords(input.value).data(), bytes);
  }
}

unsigned ComputePlan::threads_of(const std::array<std::uint32_t, 3>& size) const {
  return static_cast<unsigned>((std::uint64_t{size[0]} * size[1] * size[2] + simd - 1) / simd);
}

std::uint32_t ComputePlan::own_bytes(const isa::Object& kernel, std::size_t payload_bytes) const {
  const auto whole = static_cast<std::uint32_t>(payload_bytes);
  if (!implicit_local_id.empty()) return whole;
  for (const isa::Input& input : kernel.inputs)
    if (input.offset < arguments && std::uint64_t{input.offset} + input.size > arguments) return whole;
  return arguments;
}

std::uint32_t ComputePlan::fill(std::vector<std::uint8_t>& payload, const std::array<std::uint32_t, 3>& group,
                                const std::array<std::uint32_t, 3>& size, unsigned thread) const {
  const auto put32 = [&](std::size_t at, std::uint32_t value) {
    if (at + 4 <= payload.size()) std::memcpy(payload.data() + at, &value, 4);
  };
  for (std::size_t d = 0; d < 3; ++d) put32(machine::kGroupPlaces[d], group[d]);
  // Bits 7:0 of r0.2: the thread's number in its group, from which dg2 and pvc know the sub-group.
  if (payload.size() > 8) payload[8] = static_cast<std::uint8_t>(thread);
  for (const std::uint32_t at : local_size)
    for (std::uint32_t d = 0; d < 3; ++d) put32(at + 4 * d, size[d]);
  // Local ids: uw, x then y then z, each in whole registers.
  const std::uint64_t items = std::uint64_t{size[0]} * size[1] * size[2];
  const std::uint32_t stride = std::max(grf_bytes, simd * 2);
  std::vector<std::uint8_t> ids(std::size_t{stride} * 3);
  std::uint32_t mask = 0;
  std::array<std::uint32_t, 3> first{};
  for (unsigned lane = 0; lane < simd; ++lane) {
    const std::uint64_t i = std::uint64_t{thread} * simd + lane;
    if (i >= items) break;
    mask |= 1u << lane;
    std::array<std::uint32_t, 3> id{};
    id[walk[0]] = static_cast<std::uint32_t>(i % size[walk[0]]);
    id[walk[1]] = static_cast<std::uint32_t>(i / size[walk[0]] % size[walk[1]]);
    id[walk[2]] = static_cast<std::uint32_t>(i / size[walk[0]] / size[walk[1]]);
    if (lane == 0) first = id;
    for (std::uint32_t d = 0; d < 3; ++d) {
      const auto value = static_cast<std::uint16_t>(id[d]);
      std::memcpy(ids.data() + std::size_t{stride} * d + 2 * lane, &value, 2);
    }
  }
  for (const Range& range : local_ids)
    for (std::uint32_t b = 0; b < range.bytes; ++b) {
      const std::size_t at = range.offset + b;
      if (at >= grf_bytes && at - grf_bytes < ids.size() && at < payload.size()) payload[at] = ids[at - grf_bytes];
    }
  for (const std::uint32_t at : implicit_local_id)
    for (std::uint32_t d = 0; d < 3; ++d) put32(at + 4 * d, first[d]);
  return all_lanes && mask != 0 ? 0xffffffffu : mask;
}

std::uint32_t state0_of(std::uint32_t t) {
  const std::uint32_t without3 = (t & 7u) | (t >> 3) << 4;
  return (without3 & 63u) | (without3 >> 6) << 7;
}

}  // namespace heddle::pipeline
