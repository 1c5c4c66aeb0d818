// SPDX-License-Identifier: MIT
#include "texture/touch/count_touches.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>

#include "texture/touch/touch_entry.hpp"
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

bool kernels_count(const StaticState& state) {
  return touch_sink() != nullptr && state.fast != 0 && state.zero == 0 && state.cube == 0 && state.buffer == 0 &&
         state.family != OpFamily::Info && state.op != Op::Lod;
}

void count_touches(const simd::PreparedOperation& prepared, const Inputs& inputs, unsigned width, std::uint32_t mask,
                   const std::int8_t (&offset)[3], simd::InstructionSet target) {
  TouchSink* const sink = touch_sink();
  mask &= width == 32 ? ~0u : (1u << width) - 1;
  if (sink == nullptr || mask == 0) return;
  StaticState f = prepared.static_state;
  std::copy(std::begin(offset), std::end(offset), f.offset);
  const simd::DynamicState& v = prepared.dynamic_state;
  const TouchCounts counts = sink->reads(*prepared.request.surface, f.family, prepared.request.sampler,
                                         static_cast<unsigned>(std::popcount(mask)));
  if (counts.texels == nullptr) return;
  const TouchTarget to{counts.texels, counts.squares, counts.base, counts.shift};
  const std::size_t row = std::min(static_cast<std::size_t>(target), std::size(kTables) - 1);
  kTables[row][width == 8 ? 0 : width == 16 ? 1 : 2](&f, &v, &inputs, mask, &to);
}

}  // namespace heddle::texture
