// SPDX-License-Identifier: MIT
// Messages through the functions of the machine at hand.

#include <algorithm>
#include <array>

#include "base/half.hpp"
#include "render_target/simd/prepared.hpp"

#if defined(HEDDLE_SIMD_X86)
extern "C" {
HEDDLE_SIMD_TARGET_ENTRY(heddle_simd_rt_write_8_v3);
HEDDLE_SIMD_TARGET_ENTRY(heddle_simd_rt_write_16_v3);
HEDDLE_SIMD_TARGET_ENTRY(heddle_simd_rt_write_8_v4);
HEDDLE_SIMD_TARGET_ENTRY(heddle_simd_rt_write_16_v4);
}
#endif

namespace heddle::render_target::simd {
namespace {

using Entry = void (*)(const StaticState*, const DynamicState*, const Inputs*, std::uint32_t, void*);
/// Rows by InstructionSet, columns by width.
constexpr std::array<Entry, 2> kEntries[] = {
    {heddle_simd_rt_write_8, heddle_simd_rt_write_16},
#if defined(HEDDLE_SIMD_X86)
    {heddle_simd_rt_write_8_v3, heddle_simd_rt_write_16_v3},
    {heddle_simd_rt_write_8_v4, heddle_simd_rt_write_16_v4},
#endif
};

}  // namespace

void write(const PreparedWrite& prepared, const RenderTargetMessage& m, OperationContext& context,
           InstructionSet target) {
  const auto words = [](const std::optional<SlotWords>& slots) { return slots ? slots->data() : nullptr; };
  std::array<std::uint32_t, 16> depths{};
  for (std::size_t k = 0; k < depths.size(); ++k) depths[k] = base::bits_of(m.frag_depth[k]);
  Inputs in{};
  in.color[0] = words(m.r);
  in.color[1] = words(m.g);
  in.color[2] = words(m.b);
  in.color[3] = words(m.a);
  in.s0a = words(m.s0a);
  in.omask = words(m.omask);
  in.stencil = words(m.stencil);
  in.z = m.z ? m.z->data() : m.sample_depths != nullptr ? m.sample_depths : depths.data();
  in.z_pitch = !m.z && m.sample_depths != nullptr ? m.sample_depth_pitch : 0;
  in.sample_mask = m.sample_mask.data();
  for (std::size_t k = 0; k < 4; ++k) in.places[k] = (m.header.x[k] & 0xffffu) | m.header.y[k] << 16;
  in.enables = m.header.enables;
  in.array_index = m.header.array_index;
  in.back = m.header.back;
  in.viewport = m.header.viewport;
  in.sspi = m.header.sspi;
  if (m.survivors != nullptr) m.survivors->fill(0);
  in.survivors = m.survivors != nullptr ? m.survivors->data() : nullptr;
  write(prepared, in, m.simd, m.active, context, target);
}

void write(const PreparedWrite& prepared, const Inputs& in, std::uint32_t simd, std::uint32_t active,
           OperationContext& context, InstructionSet target) {
  if (!is_fast(prepared)) return write_reference(&prepared.dynamic_state, &in, simd, active, &context);
  if (prepared.static_state.nothing != 0) return;
  const std::size_t row = std::min(static_cast<std::size_t>(target), std::size(kEntries) - 1);
  kEntries[row][simd == 8 ? 0 : 1](&prepared.static_state, &prepared.dynamic_state, &in, active, &context);
}

void write(const PreparedWrite& prepared, const RenderTargetMessage& message, OperationContext& context) {
  write(prepared, message, context, texture::simd::best_instruction_set());
}

}  // namespace heddle::render_target::simd
