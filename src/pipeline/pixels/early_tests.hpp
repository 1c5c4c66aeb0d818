// SPDX-License-Identifier: MIT
#pragma once
// Depth and stencil tests before the kernel runs (FBO-1, FBO-2, FBO-6).

#include <memory>

#include "machine/pixels.hpp"
#include "pipeline/pixels/payload.hpp"
#include "render_target/touch/touch_tests.hpp"

namespace heddle::pipeline {

/// The tests of one state; never changed, shared by the workers of a draw.
class EarlyTests {
 public:
  EarlyTests(const PixelPlan& plan, std::shared_ptr<const machine::PixelState> state);
  /// Tests the thread that `payload` was filled with, commits depth and stencil, and takes what failed from its
  /// coverage and enables. False where nothing is left. `sample_mask`: samples that count afterwards.
  [[nodiscard]] bool run(PixelPayload& payload, std::uint32_t sample_mask) const;
  [[nodiscard]] const machine::PixelState& state() const { return *state_; }

 private:
  void run_fragments(const render_target::simd::Inputs& in, const machine::PixelInput& pixels,
                     render_target::SlotWords& survivors) const;

  const PixelPlan& plan_;
  std::shared_ptr<const machine::PixelState> state_;
  std::unique_ptr<const render_target::simd::PreparedWrite> prepared_;
  bool counted_ = false;  ///< who counts texels hears of each sample (texture/touches.hpp)
  std::unique_ptr<const render_target::CountedWrite> counting_;  ///< by vector functions; null: one by one
};

}  // namespace heddle::pipeline
