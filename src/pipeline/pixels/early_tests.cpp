// SPDX-License-Identifier: MIT
// Rules: FBO-1, FBO-2, FBO-6, FSR-5.
#include "pipeline/pixels/early_tests.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "texture/touches.hpp"

namespace heddle::pipeline {

EarlyTests::EarlyTests(const PixelPlan& plan, std::shared_ptr<const machine::PixelState> state)
    : plan_(plan), state_(std::move(state)) {
  render_target::OutputTargets targets;
  targets.depth = state_->depth.get();
  targets.stencil = state_->stencil.get();
  targets.samples = state_->samples;
  // Where samples are masked after the tests, they are counted here.
  if (!plan.post_depth_coverage) targets.samples_passed = state_->samples_passed.get();
  image::OutputState output = state_->output;  // alpha is not there yet
  output.alpha_test = output.alpha_to_coverage = false;
  render_target::SlotWords pattern{};
  render_target::RenderTargetMessage message;
  message.simd = plan.slots();
  message.null_rt = message.last = true;
  message.per_sample = plan.per_sample;
  message.survivors = &pattern;
  render_target::OperationContext context;
  prepared_ = render_target::simd::prepare(targets, output, message, context);
  using Kind = texture::TouchSink::Kind;
  for (const image::Surface* surface : {targets.depth, targets.stencil})
    counted_ = counted_ || (surface != nullptr && texture::touch_kind(*surface) != Kind::None);
  if (counted_) counting_ = render_target::prepare_counted(targets, output, message, context);
}

/// FSR-5: of fragments of several pixels.
void EarlyTests::run_fragments(const render_target::simd::Inputs& in, const machine::PixelInput& pixels,
                               render_target::SlotWords& survivors) const {
  render_target::RenderTargetMessage message = prepared_->message;
  for (std::size_t k = 0; k < 4; ++k) {
    message.header.x[k] = in.places[k] & 0xffffu;
    message.header.y[k] = in.places[k] >> 16;
  }
  message.header.enables = in.enables;
  message.header.array_index = in.array_index;
  message.header.back = in.back != 0;
  message.header.viewport = in.viewport;
  std::copy_n(in.sample_mask, message.sample_mask.size(), message.sample_mask.begin());
  message.sample_depths = in.z;
  message.sample_depth_pitch = in.z_pitch;
  message.fragment_size = pixels.fragment_size;
  message.survivors = &survivors;
  render_target::OperationContext context;
  if (counted_) context.observer = texture::touch_sink();
  render_target::write_render_target(context, prepared_->targets, prepared_->state, message);
}

bool EarlyTests::run(PixelPayload& payload, std::uint32_t sample_mask) const {
  const auto [width, height] = payload.input().fragment_size;
  if (width * height != 1) {  // the same samples of each pixel
    const auto samples = static_cast<std::uint32_t>(plan_.positions.size());
    const std::uint32_t one = sample_mask & all_samples(samples);
    sample_mask = 0;
    for (std::uint32_t p = 0; p < width * height; ++p) sample_mask |= one << samples * p;
  }
  const std::uint32_t slots = plan_.slots();
  bool any = false;
  std::uint64_t passed = 0;
  render_target::OperationContext context;
  if (counted_) context.observer = texture::touch_sink();
  for (std::uint32_t half = 0; half < plan_.halves(); ++half) {
    render_target::SlotWords coverage{}, survivors{};
    for (std::uint32_t i = 0; i < slots; ++i) coverage[i] = payload.input().coverage[half * 16 + i];
    std::array<std::uint32_t, 8> r1{};
    std::memcpy(r1.data(), payload.bytes().data() + kRegisterBytes * (1 + std::size_t{half}), sizeof r1);
    std::uint32_t r0 = 0;
    std::memcpy(&r0, payload.bytes().data(), sizeof r0);
    render_target::simd::Inputs in{};
    in.z = payload.input().depth[0].data() + std::size_t{half} * 16;
    in.z_pitch = payload.input().depth_pitch;
    in.sample_mask = coverage.data();
    for (std::size_t k = 0; k < 4; ++k) in.places[k] = r1[2 + k];
    in.enables = r1[7] & 0xffffu;
    const machine::PixelHeader header = machine::PixelHeader::unpack(r0);
    in.array_index = header.layer;
    in.back = header.back ? 1 : 0;
    in.viewport = header.viewport;
    in.sspi = header.sspi;
    in.survivors = survivors.data();
    if (width * height != 1)
      run_fragments(in, payload.input(), survivors);
    else if (counting_)
      render_target::write_counted(&counting_->dynamic_state, &in, slots, slots == 8 ? 0xffu : 0xffffu, &context);
    else if (counted_)
      render_target::simd::write_reference(&prepared_->dynamic_state, &in, slots, slots == 8 ? 0xffu : 0xffffu,
                                           &context);
    else
      render_target::simd::write(*prepared_, in, slots, slots == 8 ? 0xffu : 0xffffu, context,
                                 texture::simd::best_instruction_set());
    if (plan_.post_depth_coverage)
      for (std::uint32_t& samples : survivors) {
        samples &= sample_mask;
        passed += static_cast<unsigned>(std::popcount(samples));
      }
    any = payload.limit(half, survivors) || any;
  }
  if (passed != 0 && state_->samples_passed) state_->samples_passed->fetch_add(passed, std::memory_order_relaxed);
  return any;
}

}  // namespace heddle::pipeline
