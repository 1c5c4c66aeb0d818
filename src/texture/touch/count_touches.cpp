// SPDX-License-Identifier: MIT
#include "texture/touch/count_touches.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "texture/touches.hpp"

#define HEDDLE_SIMD_DECLARE_TOUCH(suffix)                \
  HEDDLE_SIMD_TOUCH_ENTRY(heddle_simd_touch_8##suffix);  \
  HEDDLE_SIMD_TOUCH_ENTRY(heddle_simd_touch_16##suffix); \
  HEDDLE_SIMD_TOUCH_ENTRY(heddle_simd_touch_32##suffix);
extern "C" {
HEDDLE_SIMD_DECLARE_TOUCH()
#if defined(HEDDLE_SIMD_X86)
HEDDLE_SIMD_DECLARE_TOUCH(_v3)
HEDDLE_SIMD_DECLARE_TOUCH(_v4)
#endif
}

namespace heddle::texture {
namespace {

using simd::DynamicState;
using simd::Inputs;
using simd::StaticState;
using simd::TouchTarget;

using Entry = void (*)(const StaticState*, const DynamicState*, const Inputs*, std::uint32_t, const TouchTarget*);
// Rows by instruction set, columns by width.
constexpr std::array<Entry, 3> kTables[] = {
    {heddle_simd_touch_8, heddle_simd_touch_16, heddle_simd_touch_32},
#if defined(HEDDLE_SIMD_X86)
    {heddle_simd_touch_8_v3, heddle_simd_touch_16_v3, heddle_simd_touch_32_v3},
    {heddle_simd_touch_8_v4, heddle_simd_touch_16_v4, heddle_simd_touch_32_v4},
#endif
};

}  // namespace

bool may_count(const StaticState& state) {
  return touch_sink() != nullptr && state.family != OperationKind::Info && state.op != Op::Lod && state.op != Op::LdMcs;
}
bool kernels_count(const StaticState& state) {
  return may_count(state) && state.fast != 0 && state.zero == 0 && state.cube == 0 && state.buffer == 0;
}

TouchTarget open_counters(const simd::PreparedOperation& prepared) {
  TouchSink* const sink = touch_sink();
  if (sink == nullptr) return {};
  const TouchCounts counts =
      sink->reads(*prepared.request.surface, prepared.static_state.family, prepared.request.sampler);
  return {counts.texels, counts.squares, counts.lanes, counts.base, counts.shift};
}

void count_touches(const simd::PreparedOperation& prepared, const Inputs& inputs, unsigned width, std::uint32_t mask,
                   simd::InstructionSet target) {
  if (!kernels_count(prepared.static_state)) return;
  mask &= width == 32 ? ~0u : (1u << width) - 1;
  if (mask == 0) return;
  const TouchTarget to = open_counters(prepared);
  const std::size_t row = std::min(static_cast<std::size_t>(target), std::size(kTables) - 1);
  kTables[row][width == 8    ? 0
               : width == 16 ? 1
                             : 2](&prepared.static_state, &prepared.dynamic_state, &inputs, mask, &to);
}

}  // namespace heddle::texture
