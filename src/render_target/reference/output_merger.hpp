// SPDX-License-Identifier: MIT
#pragma once
// The color half of the output merger (OM-8 to OM-14), prepared once for a message.

#include <array>
#include <cstdint>

#include "render_target/render_target.hpp"

namespace heddle::render_target {

/// One color target as a message writes it.
class ColorWriter {
 public:
  ColorWriter(OperationContext& context, const image::Surface* surface, const OutputState& state,
              const RenderTargetMessage& message);

  [[nodiscard]] bool present() const { return surface_ != nullptr; }
  [[nodiscard]] bool integer() const { return integer_; }
  [[nodiscard]] bool is_signed() const { return format_ != nullptr && format_->value_class == image::ValueClass::Sint; }
  /// RTW-13: whether the pixel (before rotation) is on the target.
  [[nodiscard]] bool covers(std::uint32_t x, std::uint32_t y) const { return x < width_ && y < height_; }

  /// OM-8 to OM-14 for one sample. `color`: binary32 bits or integer words of the shader's R, G, B, A.
  void write(std::uint32_t x, std::uint32_t y, std::uint32_t sample, std::uint32_t slot,
             const std::array<std::uint32_t, 4>& color, const std::array<float, 4>& second);

 private:
  struct Range {
    bool bounded = false;
    float low = 0, high = 0;
  };
  void choose_blending(const OutputState& state, const BlendEntry& entry);
  void route_channels();
  [[nodiscard]] Range target_range(unsigned component) const;
  void clamp_all(std::array<float, 4>& color) const;
  [[nodiscard]] std::array<float, 4> merge(const std::array<float, 4>& source, const std::array<float, 4>& second,
                                           const std::uint8_t* element, std::uint32_t x) const;
  void encode(image::Texel value, std::uint32_t x, std::uint32_t y, std::uint32_t inner_x, std::uint8_t* element) const;
  void store(const image::Texel& value, std::uint8_t* element);

  OperationContext& context_;
  const image::Surface* surface_ = nullptr;
  const image::FormatInfo* format_ = nullptr;
  const OutputState& state_;
  const BlendEntry& entry_;
  std::uint32_t width_ = 0, height_ = 0;  ///< before rotation
  std::uint32_t level_ = 0, layer_ = 0;
  bool integer_ = false, blending_ = false, logic_ = false;
  std::array<Range, 4> clamp_{};
  std::array<int, 4> routed_{};    ///< surface channel -> shader channel, -1 none (RTW-14)
  std::array<bool, 4> written_{};  ///< surface channel is stored (OM-14)
  bool joined_ = false;            ///< channels share bits, or pixels an element
  bool whole_ = false;             ///< what is stored depends on the value alone
  /// Samples of a pixel and pixels of a fragment store the same value: the last one and its element.
  image::Texel stored_value_;
  std::array<std::uint8_t, 16> stored_element_{};
  bool stored_any_ = false;
};

/// RTW-12: stored slice of a target, without samples, for the message's array index.
[[nodiscard]] std::uint32_t target_slice(const image::Surface& surface, std::uint32_t array_index);

}  // namespace heddle::render_target
