// SPDX-License-Identifier: MIT
#include "render_target/touch/touch_tests.hpp"

#include <bit>
#include <new>
#include <utility>

#include "render_target/touch/touch_pixels.hpp"
#include "texture/touches.hpp"

namespace heddle::render_target {
namespace {

/// The samples of each slot that the tests look at first.
SlotWords covered_samples(const simd::StaticState& f, const simd::Inputs& in, std::uint32_t width, std::uint32_t mask) {
  SlotWords covered{};
  const std::uint32_t all = f.samples >= 16 ? 0xffffu : (1u << f.samples) - 1;
  for (std::uint32_t slot = 0; slot < width; ++slot) {
    if ((mask >> slot & in.enables >> slot & 1u) == 0) continue;
    covered[slot] = all;
    if (in.sample_mask != nullptr) covered[slot] &= in.sample_mask[slot];
    if (f.has_omask && in.omask != nullptr) covered[slot] &= in.omask[slot];
  }
  return covered;
}

void count(const simd::Plane& plane, const image::Surface& surface, const simd::Inputs& in, std::uint32_t width,
           const SlotWords& samples, const texture::TouchCounts& to) {
  if (to.texels == nullptr) return;
  const std::uint64_t layer = plane.first_layer + (in.array_index > plane.last_index ? 0 : in.array_index);
  std::uint32_t* const texels =
      to.texels +
      ((static_cast<std::uint64_t>(plane.memory - surface.memory->data()) - to.base + layer * plane.layer_pitch) >>
       to.shift);
  const std::uint64_t row = plane.row_pitch >> to.shift, pitch = plane.sample_pitch >> to.shift;
  for (std::uint32_t slot = 0; slot < width; ++slot) {  // RTW-5
    if (samples[slot] == 0) continue;
    const std::uint32_t place = in.places[slot / 4], x = (place & 0xffffu) + (slot & 1u),
                        y = (place >> 16) + (slot >> 1 & 1u);
    if (x >= plane.width || y >= plane.height) continue;
    std::uint32_t* const at = texels + y * row + x;
    for (std::uint32_t left = samples[slot]; left != 0; left &= left - 1)
      ++at[static_cast<std::uint64_t>(std::countr_zero(left)) * pitch];
  }
}

/// The samples of the first that are not among the second.
SlotWords without(const SlotWords& from, const SlotWords& what) {
  SlotWords rest = from;
  for (std::size_t slot = 0; slot < rest.size(); ++slot) rest[slot] &= ~what[slot];
  return rest;
}

/// `covered`: looked at; `reached`: past the stencil test; `survivors`: past both.
void count_tests(const simd::PreparedWrite& prepared, const simd::Inputs& in, std::uint32_t width,
                 const SlotWords& covered, const SlotWords& reached, const SlotWords& survivors) {
  texture::TouchSink& sink = *texture::touch_sink();
  const simd::StaticState& f = prepared.static_state;
  const simd::DynamicState& v = prepared.dynamic_state;
  constexpr auto kRead = texture::OperationKind::Load;
  if (f.depth != simd::DepthStorage::None) {
    const image::Surface& surface = *prepared.targets.depth;
    if (f.depth_test) count(v.depth, surface, in, width, reached, sink.reads(surface, kRead, nullptr));
    if (f.depth_write) count(v.depth, surface, in, width, survivors, sink.writes(surface));
  }
  if (f.stencil == 0) return;
  const image::Surface& surface = *prepared.targets.stencil;
  count(v.stencil, surface, in, width, covered, sink.reads(surface, kRead, nullptr));
  const std::size_t face = f.double_sided && in.back != 0 ? 1 : 0;
  if (!f.stencil_write || v.write_mask[face] == 0) return;
  const auto writes = [&](image::StencilOp op, const SlotWords& samples) {
    if (op != image::StencilOp::Keep) count(v.stencil, surface, in, width, samples, sink.writes(surface));
  };
  writes(f.fail[face], without(covered, reached));
  writes(f.depth_fail[face], without(reached, survivors));
  writes(f.pass[face], survivors);
}

}  // namespace

std::unique_ptr<CountedWrite> prepare_counted(const OutputTargets& targets, const OutputState& state,
                                              const RenderTargetMessage& message, OperationContext& context) {
  using Kind = texture::TouchSink::Kind;
  for (const image::Surface* surface : {targets.depth, targets.stencil})
    if (surface != nullptr && texture::touch_kind(*surface) == Kind::Other) return nullptr;
  auto made = std::make_unique<CountedWrite>();
  made->whole = simd::prepare(targets, state, message, context);
  const simd::StaticState& f = made->whole->static_state;
  if (!simd::is_fast(*made->whole) || f.alpha_to_coverage || f.alpha_test || !f.notes_survivors) return nullptr;
  made->whole->dynamic_state.fallback = write_unheard;
  if (f.stencil && f.last) {
    OutputTargets alone = targets;
    alone.color.clear();
    alone.depth = nullptr;
    alone.samples_passed = nullptr;
    OutputState test = state;
    test.depth_test = test.depth_write = test.stencil_write = false;
    RenderTargetMessage probe = message;
    probe.null_rt = true;
    made->stencil = simd::prepare(alone, test, probe, context);
    if (!simd::is_fast(*made->stencil)) return nullptr;
    made->stencil->dynamic_state.fallback = write_unheard;
  }
  static_cast<simd::PreparedWrite&>(*made) = *made->whole;
  made->static_state.fast = 0;
  made->dynamic_state.fallback = write_counted;
  made->bind();
  return made;
}

void write_counted(const simd::DynamicState* dynamic_state, const simd::Inputs* inputs, std::uint32_t width,
                   std::uint32_t mask, void* thread) {
  const auto& write = static_cast<const CountedWrite&>(*static_cast<const simd::PreparedWrite*>(dynamic_state->owner));
  auto& context = *static_cast<OperationContext*>(thread);
  const simd::PreparedWrite& whole = *write.whole;
  const texture::simd::InstructionSet target = texture::simd::best_instruction_set();
  const SlotWords covered = covered_samples(whole.static_state, *inputs, width, mask);
  SlotWords reached = covered, survivors{};
  if (write.stencil) {
    reached.fill(0);
    simd::Inputs probe = *inputs;
    probe.survivors = reached.data();
    simd::write(*write.stencil, probe, width, mask, context, target);
  }
  simd::Inputs own = *inputs;
  own.survivors = survivors.data();
  simd::write(whole, own, width, mask, context, target);
  if (inputs->survivors != nullptr)
    for (std::uint32_t slot = 0; slot < width; ++slot) inputs->survivors[slot] |= survivors[slot];
  if (!whole.static_state.last) return;  // RTW-17: samples are tested once, however many targets they have
  try {
    count_tests(whole, *inputs, width, covered, reached, survivors);
  } catch (const std::bad_alloc&) {
    texture::touch_sink()->lose_counts();
  }
}

}  // namespace heddle::render_target
