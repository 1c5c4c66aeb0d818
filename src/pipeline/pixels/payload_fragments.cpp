// SPDX-License-Identifier: MIT
// Lanes whose fragments are several pixels.
// Rules: FSR-4 to FSR-6.
#include <algorithm>

#include "pipeline/pixels/payload.hpp"

namespace heddle::pipeline {
namespace {

constexpr std::uint8_t kCentroid = 1, kMiddle = 2;  // LaneWork::points
constexpr std::int32_t kSixteenth = kPixel / 16;

}  // namespace

/// FSR-6: the middle of each lane's fragment, and the covered sample that is nearest to it.
void PixelPayload::find_fragment_points(const Lanes& lanes, LaneWork& work) const {
  const auto& samples = plan_.positions;
  const auto count = static_cast<std::uint32_t>(samples.size());
  const std::int32_t middle_x = static_cast<std::int32_t>(size_.width) * kPixel / 2,
                     middle_y = static_cast<std::int32_t>(size_.height) * kPixel / 2;
  for (std::size_t i = 0; i < 16; ++i) {
    std::int32_t nearest = INT32_MAX, at_x = middle_x, at_y = middle_y;
    for (std::uint32_t p = 0; p < size_.pixels(); ++p)
      for (std::uint32_t s = 0; s < count; ++s) {
        if ((lanes.coverage[i] >> (s + count * (size_.pixels() - 1 - p)) & 1u) == 0) continue;
        const std::int32_t x = static_cast<std::int32_t>(p % size_.width) * kPixel + samples[s].x * kSixteenth,
                           y = static_cast<std::int32_t>(p / size_.width) * kPixel + samples[s].y * kSixteenth;
        const std::int32_t distance = (x - middle_x) * (x - middle_x) + (y - middle_y) * (y - middle_y);
        if (distance >= nearest) continue;
        nearest = distance;
        at_x = x;
        at_y = y;
      }
    const auto x = static_cast<double>((static_cast<std::int32_t>(work.pixels[i] & 0xffffu) - work.left) * kPixel),
               y = static_cast<double>((static_cast<std::int32_t>(work.pixels[i] >> 16) - work.top) * kPixel);
    work.points[kCentroid].x[i] = x + at_x;
    work.points[kCentroid].y[i] = y + at_y;
    work.points[kMiddle].x[i] = x + middle_x;
    work.points[kMiddle].y[i] = y + middle_y;
  }
}

/// FSR-5: the depth of each covered sample of each pixel is that which a fragment of one pixel has there.
void PixelPayload::fill_depths(const Lanes& lanes, std::uint32_t half) {
  const auto& samples = plan_.positions;
  const auto count = static_cast<std::uint32_t>(samples.size());
  const LaneWork& work = works_[half];
  for (std::size_t i = 0; i < 16; ++i) {
    const auto x0 = static_cast<std::int32_t>(work.pixels[i] & 0xffffu) - work.left,
               y0 = static_cast<std::int32_t>(work.pixels[i] >> 16) - work.top;
    for (std::uint32_t left = lanes.coverage[i]; left != 0; left &= left - 1) {
      const auto index = static_cast<std::uint32_t>(__builtin_ctz(left));
      const std::uint32_t p = size_.pixels() - 1 - index / count, s = index % count;
      const auto px = x0 + static_cast<std::int32_t>(p % size_.width),
                 py = y0 + static_cast<std::int32_t>(p / size_.width);
      const double x = px * kPixel + samples[s].x * kSixteenth, y = py * kPixel + samples[s].y * kSixteenth;
      input_.depth[index][std::size_t{half} * 16 + i] =
          word_of(ComponentType::F32, depth_plane_.at + depth_plane_.dx * x + depth_plane_.dy * y);
    }
  }
}

}  // namespace heddle::pipeline
