// SPDX-License-Identifier: MIT
#pragma once
// What pixel dispatch knows beside the payload: the output merger's state, and for each lane its pixel's coverage and
// depth. RT_WRITE reads it. Also the header that both have in common.

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "image/output_state.hpp"
#include "image/surface.hpp"

namespace heddle::machine {

/// What R0.0 of a pixel thread says of its subspans (PIX-14), and M0.0 of a message to a render target (RTW-3).
struct PixelHeader {
  struct Field {
    unsigned shift;
    std::uint32_t mask;

    [[nodiscard]] constexpr std::uint32_t pack(std::uint32_t value) const { return (value & mask) << shift; }
    [[nodiscard]] constexpr std::uint32_t unpack(std::uint32_t word) const { return word >> shift & mask; }
  };
  static constexpr Field kSspi{6, 7}, kBack{15, 1}, kLayer{16, 0x7ff}, kViewport{27, 15};

  std::uint32_t sspi = 0;   ///< starting sample pair index
  std::uint32_t layer = 0;  ///< render-target array index
  std::uint32_t viewport = 0;
  bool back = false;  ///< of a primitive that shows its back

  [[nodiscard]] constexpr std::uint32_t pack() const {
    return kSspi.pack(sspi) | kBack.pack(back ? 1 : 0) | kLayer.pack(layer) | kViewport.pack(viewport);
  }
  [[nodiscard]] static constexpr PixelHeader unpack(std::uint32_t word) {
    return {kSspi.unpack(word), kLayer.unpack(word), kViewport.unpack(word), kBack.unpack(word) != 0};
  }
  friend bool operator==(const PixelHeader&, const PixelHeader&) = default;
};

/// Shared by all threads of a run.
struct PixelState {
  image::OutputState output;
  std::shared_ptr<image::Surface> depth, stencil;  ///< may be null
  std::uint32_t samples = 1;
  std::array<std::uint32_t, 2> coarse_size{1, 1};  ///< of RT_WRITE with CM (RTW-18)
  bool line_coverage = false;                      ///< PixelInput::line_coverage counts (OM-25)
  bool shading_rates = false;                      ///< PixelInput::fragment_size counts (FSR-5)
  /// Counts the samples that pass all tests (FBO-3); null: they are not counted.
  std::shared_ptr<std::atomic<std::uint64_t>> samples_passed;
};

/// Of one thread.
struct PixelInput {
  const PixelState* state = nullptr;
  std::array<std::uint16_t, 32> coverage{};  ///< lane k: samples of its pixel that the triangle covers (RTW-7)
  /// Interpolated depths, binary32, used where Z is not sent: of lane k at sample s of its pixel [s][k]; where
  /// `depth_pitch` is 0, [0][k] for all samples.
  std::array<std::array<std::uint32_t, 32>, 16> depth{};
  std::uint32_t depth_pitch = 0;          ///< words from the depths of one sample to those of the next: 0 or 32
  std::array<float, 32> line_coverage{};  ///< lane k: how much of its pixel a smooth line covers, 0 to 1
  std::uint32_t sample_groups = 1;        ///< groups of four lanes that stand for samples of one subspan (PIX-13)
  /// Pixels of a lane's fragment, across and down (FSR-4). Where there are several, coverage and depth have a place for
  /// each sample of each of them.
  std::array<std::uint32_t, 2> fragment_size{1, 1};
};

}  // namespace heddle::machine
