// SPDX-License-Identifier: MIT
#pragma once
// What one worker of a draw needs, kept from draw to draw: the registers of its threads, and an engine.

#include <memory>
#include <optional>
#include <vector>

#include "engine/jit/runtime/runtime.hpp"
#include "pipeline/pixels/early_tests.hpp"
#include "pipeline/pixels/payload.hpp"
#include "pipeline/pixels/pixel_watch.hpp"
#include "pipeline/pixels/plan.hpp"
#include "pipeline/pixels/unwritten.hpp"
#include "pipeline/run_context.hpp"
#include "pipeline/tiles/depth_tiles.hpp"

namespace heddle::pipeline {

/// What the workers of a draw share.
struct PixelShared {
  const PixelPlan& plan;
  const machine::Code& code;
  const engine::jit::PreparedKernel* prepared;  ///< null: the reference engine runs
  const engine::jit::BoundKernel* kernel;       ///< of the fast engine
  const Bound& bound;
  const machine::PixelState& state;
  const EarlyTests* early;              ///< null: tests are late
  bool order_shows;                     ///< the order of a primitive's threads is seen from outside
  const TileTest* tile_test = nullptr;  ///< null: no tile is looked at
  DepthTiles* tiles = nullptr;
  std::uint32_t late_mask = ~0u;  ///< sample mask behind early tests (FBO-6)
};

class PixelWorker {
 public:
  /// With `prepared` it works for the fast engine. `payload_bytes`: of the payloads that it will be given.
  PixelWorker(const PixelPlan& plan, const machine::Code& code, const engine::jit::PreparedKernel* prepared,
              std::size_t payload_bytes);

  /// Before the first thread of a draw.
  void begin_draw(const PixelShared& shared, RunContext& context, const PrimitiveList& primitives);
  /// Those that follow are of this list, the first of which has that number in the draw.
  void change_primitives(const PrimitiveList& primitives, std::uint32_t first) {
    primitives_ = &primitives;
    first_primitive_ = first;
    primitive_ = pack_primitive_ = tested_ = depths_of_ = UINT32_MAX;
  }
  void end_draw(Counters& counters);
  [[nodiscard]] bool runs() const { return context_ != nullptr; }

  /// Each is false when the draw has to stop.
  /// The thread, or its subspans wait for others: they run before anything else does, or with flush().
  bool run(const PixelThread& thread) { return is_hidden(thread) || run_shown(thread); }
  /// The same where hides() was asked.
  bool run_shown(const PixelThread& thread) {
    return packs_ && !thread.whole && shares_threads((*primitives_)[thread.primitive]) ? pack(thread)
                                                                                       : run_alone(thread);
  }
  /// All threads of a tiny primitive, where packs() and pixels have one sample.
  bool run_tiny(std::uint32_t primitive, const SamplePosition& sample);
  /// Subspans of several primitives share threads.
  [[nodiscard]] bool packs() const { return packs_; }
  /// At once, behind those that wait.
  bool run_alone(const PixelThread& thread);
  bool flush() {
    if (payload_.packed() != 0) good_ = run_pack() && good_;
    return good_;
  }
  /// Whether nothing of the primitive shows in the tile at (x, y): its threads need not run (FBO-5).
  bool hides(std::uint32_t primitive, std::int32_t x, std::int32_t y) {
    if (tile_test_ == nullptr) return false;
    const Primitive& p = (*primitives_)[primitive];
    if (primitive != depths_of_) {
      depths_of_ = primitive;
      depths_.begin(p, tile_test_->tests_samples());
    }
    return tile_test_->hides(*tiles_, depths_, p, x, y, [this] { (void)flush(); });
  }
  /// Whether whole threads of the primitive can run side by side.
  bool has_rows(std::uint32_t primitive);
  /// `count` of them, from the subspan at `at` on.
  bool run_row(std::uint32_t at, std::uint32_t count);

 private:
  /// Whether nothing of the thread shows.
  bool is_hidden(const PixelThread& thread) {
    if (tile_test_ == nullptr) return false;
    constexpr std::uint32_t kMask = ~(DepthTiles::kTile - 1u) & 0xffffu, kTileOf = kMask | kMask << 16;
    bool hidden = true;
    for (std::uint32_t s = 0; s < thread.count; ++s) {
      const std::uint32_t at = thread.subspans[s] & kTileOf;
      if (thread.primitive != tested_ || at != tested_tile_) {
        tested_ = thread.primitive;
        tested_tile_ = at;
        tested_hidden_ =
            hides(thread.primitive, static_cast<std::int32_t>(at & 0xffffu), static_cast<std::int32_t>(at >> 16));
      }
      hidden = hidden && tested_hidden_;
    }
    return hidden && good_;
  }
  /// Whether the subspans of a primitive wait for others: those of larger ones nearly fill threads of their own, whose
  /// lanes are found 16 at a time.
  static bool shares_threads(const Primitive& p) {
    constexpr std::int64_t kFewPixels = 64;
    return std::int64_t{p.right - p.left} * (p.bottom - p.top) < kFewPixels;
  }
  bool pack(const PixelThread& thread);
  bool pack(std::uint32_t primitive, const Primitive& p, std::uint32_t subspan,
            const std::array<std::uint16_t, 4>& coverage, std::uint32_t pixels);
  bool run_pack();
  void tell_primitive(const Primitive& p);
  bool test_early();
  bool run_filled(std::uint32_t mask, std::uint32_t place, std::uint32_t primitive);
  bool run_lanes(std::uint32_t mask, std::uint32_t place, std::uint32_t primitive);
  void begin(std::uint32_t primitive) {
    if (primitive == primitive_) return;
    primitive_ = primitive;
    pack_primitive_ = UINT32_MAX;
    const Primitive& p = (*primitives_)[primitive];
    primitives_->values(p, values_);
    payload_.begin(p, values_);
    if (unwritten_) unwritten_->begin(*primitives_, p);
    if (watch_ != nullptr) tell_primitive(p);
  }

  const PixelPlan& plan_;
  const machine::Code& code_;
  PixelPayload payload_;
  machine::Group group_;
  std::vector<std::uint8_t> scratch_;
  bool uses_scratch_ = true, has_rows_ = false;
  std::unique_ptr<engine::jit::Runner> runner_;
  machine::ThreadStart start_;
  // Of a draw:
  RunContext* context_ = nullptr;
  const PrimitiveList* primitives_ = nullptr;
  const EarlyTests* early_ = nullptr;
  std::uint32_t late_mask_ = ~0u;  ///< sample mask behind the early tests
  const TileTest* tile_test_ = nullptr;
  DepthTiles* tiles_ = nullptr;
  PrimitiveDepths depths_;
  std::uint32_t depths_of_ = UINT32_MAX;                 ///< the primitive that they belong to
  std::uint32_t tested_ = UINT32_MAX, tested_tile_ = 0;  ///< primitive and tile that were looked at last
  bool tested_hidden_ = false;
  bool good_ = true;                   ///< threads that waited for others ran to their end
  std::uint32_t lanes_ = 0;            ///< of a whole thread
  std::uint32_t first_primitive_ = 0;  ///< number of the list's first
  std::optional<WorkerObserver> observer_;
  PixelWatch* watch_ = nullptr;  ///< the caller's observer, where it is one
  std::unique_ptr<machine::Thread> thread_;
  std::optional<UnwrittenInputs> unwritten_;  ///< of a draw that is checked
  std::uint32_t primitive_ = UINT32_MAX;
  std::uint32_t row_primitive_ = 0;                      ///< has_rows() was asked for it
  const engine::jit::CompiledKernel* kernel_ = nullptr;  ///< of the draw, of the fast engine
  bool packs_ = false;                                   ///< subspans of several primitives share threads
  std::uint32_t pack_primitive_ = UINT32_MAX;            ///< of the last one
  std::uint32_t pack_header_ = 0;                        ///< PixelPayload::header_word() of those that wait
  std::uint32_t pack_first_ = 0;                         ///< number of the primitive of the first one
  std::vector<std::array<double, 3>> values_;            ///< of the primitive's corners
  std::uint64_t threads_ = 0, fragments_ = 0;
};

}  // namespace heddle::pipeline
