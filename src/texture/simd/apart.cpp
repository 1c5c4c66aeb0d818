// SPDX-License-Identifier: MIT
// Operations whose lanes may have surfaces that lie apart: which those are, and which may share a call.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "texture/simd/prepared.hpp"

namespace heddle::texture::simd {
namespace {

/// Bytes behind the first texel of a level that an offset may name, or more.
std::int64_t reach(const StaticState& f, const DynamicState& v, const Level& level) {
  if (f.buffer) return static_cast<std::int64_t>(v.entries) * v.entry_step;
  const std::int64_t layers = f.axes == 3 ? level.size[2] : (std::int64_t{v.last_index} + 1) * (f.cube ? 6 : 1);
  return layers * level.layer_pitch + std::int64_t{level.size[1]} * level.row_pitch +
         std::int64_t{level.size[0]} * f.element_bytes + (std::int64_t{v.last_sample} + 1) * v.sample_pitch;
}

/// The state without what says where the texels lie.
DynamicState without_place(const DynamicState& v) {
  DynamicState state = v;
  state.memory = nullptr;
  state.owner = nullptr;
  for (Level& level : state.level) {
    if (level == Level{}) continue;  // there is none
    level.offset -= v.level[0].offset;
    level.limit = 0;  // nobody looks at it
  }
  return state;
}

}  // namespace

bool may_lie_apart(const PreparedOperation& prepared) {
  const StaticState& f = prepared.static_state;
  const DynamicState& v = prepared.dynamic_state;
  if (!f.fast || (f.cube && f.seam[0])) return false;  // the fallback has the surface itself
  if (v.memory == nullptr) return true;                // no texel is read
  return std::ranges::all_of(v.level, [&](const Level& level) {
    // Smaller elements are read in whole words of memory, whatever lies beside them.
    const bool aligned = reinterpret_cast<std::uintptr_t>(v.memory + level.offset) % 4 == 0;
    const bool even = f.element_bytes != 2 || (level.row_pitch | level.layer_pitch) % 2 == 0;
    return ((aligned && even) || f.element_bytes >= 4) && reach(f, v, level) < kMaxApart - 64;
  });
}

std::size_t read_bytes(const PreparedOperation& prepared) {
  const DynamicState& v = prepared.dynamic_state;
  const std::size_t levels =
      prepared.static_state.one_level || v.mip_count < 0 ? 1 : static_cast<std::size_t>(v.mip_count) + 1;
  return offsetof(DynamicState, level) + std::min<std::size_t>(levels, kMaxLevels) * sizeof(Level);
}

const std::uint8_t* texels_of(const PreparedOperation& prepared) {
  const DynamicState& v = prepared.dynamic_state;
  return v.memory != nullptr ? v.memory + v.level[0].offset : nullptr;
}

bool differ_in_place(const PreparedOperation& a, const PreparedOperation& b) {
  const StaticState& f = a.static_state;
  return std::memcmp(&f, &b.static_state, sizeof f) == 0 &&
         (a.dynamic_state.memory == nullptr) == (b.dynamic_state.memory == nullptr) &&
         without_place(a.dynamic_state) == without_place(b.dynamic_state);
}

std::uint64_t shape_of(const PreparedOperation& prepared) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](const void* from, std::size_t bytes) {
    const auto* const all = static_cast<const std::uint8_t*>(from);
    for (std::size_t k = 0; k < bytes; ++k) hash = (hash ^ all[k]) * 0x100000001b3;
  };
  const DynamicState& v = prepared.dynamic_state;
  add(&prepared.static_state, sizeof prepared.static_state);
  for (const Level* level : {&v.level[0], &v.level[1]}) add(level->size, sizeof level->size);
  for (const std::uint32_t word : {v.level[0].row_pitch, v.level[0].layer_pitch, v.last_index, v.entry_step})
    add(&word, sizeof word);
  for (const std::int32_t word : {v.bias, v.min_lod, v.max_lod, v.base_mip_level, v.resource_min_lod, v.mip_count})
    add(&word, sizeof word);
  add(&v.entries, sizeof v.entries);
  add(v.border, sizeof v.border);
  return hash;
}

}  // namespace heddle::texture::simd
