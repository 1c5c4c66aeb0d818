// SPDX-License-Identifier: MIT
// Rules: FBO-1, FBO-7.
#include "pipeline/pixels/worker.hpp"

#include <algorithm>

#include "pipeline/raster/tiny.hpp"

namespace heddle::pipeline {
namespace {

std::function<bool(std::uint32_t, std::uint32_t)> reads(const engine::jit::PreparedKernel* prepared) {
  if (prepared == nullptr) return {};
  return [prepared](std::uint32_t offset, std::uint32_t size) { return prepared->reads_input(offset, size); };
}

}  // namespace

PixelWorker::PixelWorker(const PixelPlan& plan, const machine::Code& code, const engine::jit::PreparedKernel* prepared,
                         std::size_t payload_bytes)
    : plan_(plan),
      code_(code),
      payload_(plan, {}, std::max(payload_bytes, prepared != nullptr ? prepared->payload_bytes() : 0), reads(prepared)),
      group_(1),
      scratch_(static_cast<std::size_t>(plan.scratch_bytes)) {
  if (prepared != nullptr) {
    runner_ = std::make_unique<engine::jit::Runner>(code);
    uses_scratch_ = prepared->uses_scratch();
    has_rows_ = prepared->options().row.has_value();
  }
  start_.payload = payload_.bytes();
  start_.scratch = scratch_;
  start_.group = &group_;
  start_.pixels = &payload_.input();
}

void PixelWorker::begin_draw(const PixelShared& shared, RunContext& context, const PrimitiveList& primitives) {
  context_ = &context;
  change_primitives(primitives, 0);
  if (uses_scratch_) std::ranges::fill(scratch_, std::uint8_t{0});
  early_ = shared.early;
  late_mask_ = shared.late_mask;
  tile_test_ = shared.tile_test;
  tiles_ = shared.tiles;
  good_ = true;
  lanes_ = shared.plan.slots() * shared.plan.halves();
  packs_ = runner_ != nullptr && payload_.packs() && !shared.state.line_coverage && !shared.state.shading_rates &&
           !shared.order_shows && !context.reports.checking();
  // Who looks on at the reference engine sees depths that nobody tests.
  const image::OutputState& output = shared.state.output;
  const bool reads_depth = shared.state.depth != nullptr && (!runner_ || output.depth_test || output.depth_write);
  payload_.begin_draw(shared.state, reads_depth || early_ != nullptr, shared.bound.payload);
  if (runner_) {
    kernel_ = shared.kernel->kernel.get();
    runner_->begin_run(*shared.kernel, shared.bound.bindings, context.reports, context.budget);
    runner_->begin(start_);
    return;
  }
  observer_.emplace(context);
  watch_ = dynamic_cast<PixelWatch*>(context.observer);
  start_.observer = &*observer_;
  thread_ = std::make_unique<machine::Thread>(code_, shared.bound.bindings, context.reports);
  unwritten_.reset();
  if (context.reports.checking()) unwritten_.emplace(plan_, code_);
}

void PixelWorker::end_draw(Counters& counters) {
  if (runner_) runner_->end_run();
  context_ = nullptr;
  watch_ = nullptr;
  counters.threads += std::exchange(threads_, 0);
  counters.fragment_invocations += std::exchange(fragments_, 0);
  if (!observer_) return;
  counters.texels_read += observer_->counters.texels_read;
  counters.texels_written += observer_->counters.texels_written;
  observer_.reset();
}

bool PixelWorker::run_alone(const PixelThread& thread) {
  if (!flush()) return false;
  begin(thread.primitive);
  return run_filled(payload_.fill(thread), thread.subspans[0], first_primitive_ + primitive_);
}

/// Those that wait and others on the same pixels keep their order: they never share a thread. `pixels`: covered ones.
inline bool PixelWorker::pack(std::uint32_t primitive, const Primitive& p, std::uint32_t subspan,
                              const std::array<std::uint16_t, 4>& coverage, std::uint32_t pixels) {
  std::optional<std::uint32_t> place;
  if (payload_.packed() == 0 || primitive == pack_primitive_ || PixelPayload::header_word(p) == pack_header_)
    place = payload_.pack_place(subspan, pixels);
  if (!place) {
    if (!flush()) return false;
    place = 0;
  }
  if (primitive != pack_primitive_) {
    primitive_ = UINT32_MAX;
    pack_primitive_ = primitive;
    payload_.begin_pack(p, *primitives_);
    pack_header_ = PixelPayload::header_word(p);
  }
  if (payload_.packed() == 0) pack_first_ = first_primitive_ + primitive;
  payload_.pack(*place, subspan, coverage, pixels);
  return true;
}

bool PixelWorker::pack(const PixelThread& thread) {
  if (!good_) return false;
  const Primitive& p = (*primitives_)[thread.primitive];
  for (std::uint32_t s = 0; s < thread.count; ++s)
    if (!pack(thread.primitive, p, thread.subspans[s], thread.coverage[s], covered_pixels(thread.coverage[s].data())))
      return false;
  return true;
}

bool PixelWorker::run_tiny(std::uint32_t primitive, const SamplePosition& sample) {
  const Primitive& p = (*primitives_)[primitive];
  bool shown = false;
  (void)scan_tiny(p, sample, [&](std::uint32_t subspan, std::uint32_t pixels) {
    constexpr std::int32_t kInTile = DepthTiles::kTile - 1;
    shown = shown || !hides(primitive, p.left & ~kInTile, p.top & ~kInTile);
    return shown && pack(primitive, p, subspan, kCoverageOfOne[pixels], pixels);
  });
  return good_;
}

bool PixelWorker::run_pack() {
  std::uint32_t place = 0;
  const std::uint32_t mask = payload_.finish_pack(place);
  return run_filled(mask, place, pack_first_);
}

void PixelWorker::tell_primitive(const Primitive& p) {
  const std::lock_guard guard(context_->lock);
  watch_->primitive(first_primitive_ + primitive_, p, primitives_->vertices(p.source));
}

/// Whether anything is left of the thread (FBO-1).
bool PixelWorker::test_early() {
  if (watch_ == nullptr) return early_->run(payload_, late_mask_);
  const auto before = payload_.input().coverage;
  const bool left = early_->run(payload_, late_mask_);
  const std::lock_guard guard(context_->lock);
  watch_->tested(early_->state(), payload_.input(), before, payload_.bytes());
  return left;
}

/// What the payload was filled with.
bool PixelWorker::run_filled(std::uint32_t mask, std::uint32_t place, std::uint32_t primitive) {
  if (early_ != nullptr && !test_early()) return true;
  ++threads_;
  fragments_ += payload_.enabled();
  if (!plan_.samples_in_turn || !plan_.per_sample) return run_lanes(mask, place, primitive);
  // FBO-7: the lanes of one sample after those of another.
  for (std::uint32_t sample = 0; sample < plan_.samples; ++sample) {
    std::uint32_t lanes = 0;
    for (std::uint32_t i = 0; i < plan_.slots(); ++i)
      if (plan_.slot(i, payload_.first_pair()).sample == sample) lanes |= 1u << i;
    lanes = mask & (lanes | lanes << 16);
    if (lanes != 0 && !run_lanes(lanes, place, primitive)) return false;
  }
  return true;
}

/// Some lanes of it.
bool PixelWorker::run_lanes(std::uint32_t mask, std::uint32_t place, std::uint32_t primitive) {
  const std::uint32_t x = place & 0xffffu, y = place >> 16;
  auto outcome = engine::reference::Outcome::Finished;
  if (runner_) {
    outcome = runner_->next(mask, x, y, primitive);
  } else {
    start_.dispatch_mask = mask;
    start_.group_id = {x, y, primitive};
    if (context_->reports.checking()) group_.order = {};  // a thread's invocations are others than the last one's
    thread_->start(start_);
    if (unwritten_) unwritten_->mark(*thread_);
    outcome = engine::reference::run_group(std::span(thread_.get(), 1), group_, context_->budget);
  }
  return outcome == engine::reference::Outcome::Finished && !context_->reports.failed();
}

bool PixelWorker::has_rows(std::uint32_t primitive) {
  if (!has_rows_ || early_ != nullptr) return false;
  row_primitive_ = primitive;
  const Primitive& p = (*primitives_)[primitive];
  const std::int64_t half = std::int64_t{p.right - p.left} * (p.bottom - p.top) / 2;  // of a triangle's rectangle
  kernel_->expect_at_least(static_cast<std::uint64_t>(std::max<std::int64_t>(0, half)) / std::max(1u, lanes_));
  (void)flush();
  begin(primitive);
  return payload_.has_rows();
}

bool PixelWorker::run_row(std::uint32_t at, std::uint32_t count) {
  if (!flush()) return false;
  begin(row_primitive_);
  const std::uint64_t before = threads_;
  const auto fill = [](void* payload) { static_cast<PixelPayload*>(payload)->fill_row(); };
  const auto outcome = runner_->next_row(payload_.bytes().data(), at & 0xffffu, at >> 16, first_primitive_ + primitive_,
                                         count, payload_.begin_row() ? +fill : nullptr, &payload_, threads_);
  fragments_ += (threads_ - before) * lanes_;
  return outcome == engine::reference::Outcome::Finished && !context_->reports.failed();
}

}  // namespace heddle::pipeline
