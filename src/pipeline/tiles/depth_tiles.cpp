// SPDX-License-Identifier: MIT
// Rules: FBO-5.
#include "pipeline/tiles/depth_tiles.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace heddle::pipeline {
namespace {

using image::CompareFunction;
using render_target::simd::DepthStorage;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The greatest number of a depth format; 0: binary32, or none that is followed.
double scale_of(image::Format format) {
  return format == image::Format::R16_UNORM ? 65535 : format == image::Format::R24_UNORM_X8_TYPELESS ? 16777215 : 0;
}

/// A failing fragment changes no stencil value.
bool keeps_stencil(const image::StencilFace& face) {
  return face.fail_op == image::StencilOp::Keep && face.zfail_op == image::StencilOp::Keep;
}

/// Least and greatest of numbers, four side by side; NaNs, which fail every test, don't count. Whole numbers have 24
/// bits at most and are taken as floats, which hold them exactly and whose order every processor finds in vectors.
class Extremes {
 public:
  Extremes() {
    low_.fill(Four{} + kInfinity);
    high_.fill(Four{} - kInfinity);
  }
  /// `count` stored numbers, of which the bits of `mask` count.
  template <typename T>
  void add(const std::uint8_t* from, std::size_t count, T mask) {
    typedef T Stored __attribute__((vector_size(4 * sizeof(T))));
    std::size_t at = 0;
    const auto next = [&](std::size_t chain) {
      Stored v;
      std::memcpy(&v, from + sizeof(T) * at, sizeof v);
      add(value(v, mask), chain);
      at += 4;
    };
    while (at + 4 * kChains <= count)
      for (std::size_t chain = 0; chain < kChains; ++chain) next(chain);
    while (at + 4 <= count) next(0);
    if (at == count) return;
    Stored rest{};
    for (std::size_t k = 0; k < 4; ++k)
      std::memcpy(reinterpret_cast<char*>(&rest) + sizeof(T) * k, from + sizeof(T) * std::min(at + k, count - 1),
                  sizeof(T));
    add(value(rest, mask), 0);
  }
  [[nodiscard]] float least() const {
    float found = kInfinity;
    for (const Four& low : low_)
      for (std::size_t k = 0; k < 4; ++k) found = low[k] < found ? low[k] : found;
    return found;
  }
  [[nodiscard]] float greatest() const {
    float found = -kInfinity;
    for (const Four& high : high_)
      for (std::size_t k = 0; k < 4; ++k) found = high[k] > found ? high[k] : found;
    return found;
  }

 private:
  typedef float Four __attribute__((vector_size(16)));
  typedef std::int32_t Integers __attribute__((vector_size(16)));
  template <typename Stored, typename T>
  static Four value(Stored v, T mask) {
    if constexpr (std::is_same_v<T, float>)
      return v;
    else
      return __builtin_convertvector(__builtin_convertvector(v & mask, Integers), Four);
  }
  void add(Four v, std::size_t chain) {
    low_[chain] = v < low_[chain] ? v : low_[chain];
    high_[chain] = v > high_[chain] ? v : high_[chain];
  }

  static constexpr std::size_t kChains = 4;  // of instructions that wait for each other
  std::array<Four, kChains> low_, high_;
};

}  // namespace

void DepthTiles::use(const image::Surface& s) {
  if (known_) return;
  known_ = true;
  const auto tiles = [](std::uint32_t pixels) { return (pixels + kTile - 1) / kTile; };
  columns_ = tiles(s.level_width(s.rt_level));
  rows_ = tiles(s.level_height(s.rt_level));
  const std::uint64_t each = std::max<std::uint64_t>(1, std::uint64_t{columns_} * rows_);
  layers_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(std::max(1u, s.view_layers), kMaxTiles / each));
  tiles_.assign(static_cast<std::size_t>(each * layers_), {});
}

void DepthTiles::clear(const image::Surface& surface, const Box& box, float depth) {
  use(surface);
  const double scale = scale_of(surface.format);
  Tile whole{depth, depth, 0};
  if (scale != 0) {
    whole.least = static_cast<float>(std::floor(depth * scale));
    whole.greatest = static_cast<float>(std::ceil(depth * scale));
  }
  if (!(depth >= 0 && depth <= 1)) whole = {};
  const auto width = static_cast<std::int32_t>(surface.level_width(surface.rt_level)),
             height = static_cast<std::int32_t>(surface.level_height(surface.rt_level));
  const std::uint32_t end = std::min<std::uint64_t>(layers_, std::uint64_t{box.first_layer} + box.layers);
  for (std::uint32_t layer = box.first_layer; layer < end; ++layer)
    for (std::int32_t y = box.top / kTile * kTile; y < box.bottom; y += kTile)
      for (std::int32_t x = box.left / kTile * kTile; x < box.right; x += kTile) {
        const bool all = box.left <= x && box.top <= y && box.right >= std::min(x + kTile, width) &&
                         box.bottom >= std::min(y + kTile, height);
        if (Tile* tile = at(x, y, layer); tile != nullptr) *tile = all ? whole : Tile{};
      }
}

void PrimitiveDepths::begin(const Primitive& p, bool anywhere) {
  primitive_ = &p;
  const auto [least, greatest] = std::ranges::minmax(p.z);
  range_ = {least, greatest};
  planar_ = false;
  if (least == greatest) return;
  // Inside a triangle that is not too thin for it the values lie between those at the corners.
  const std::int64_t box = (std::int64_t{p.right} - p.left + 1) * (std::int64_t{p.bottom} - p.top + 1);
  constexpr std::int64_t kSmall = std::int64_t{DepthTiles::kTile} * DepthTiles::kTile, kThin = 1 << 10;
  if (!anywhere && p.shape == Primitive::Shape::Triangle && box <= kSmall &&
      std::abs(p.area) * kThin >= box * kPixel * kPixel) {
    const double error = (greatest - least) * 0x1p-30 + (std::abs(least) + std::abs(greatest)) * 0x1p-50;
    range_ = {least - error, greatest + error};
    return;
  }
  planar_ = true;
  plane_ = linear_plane(p, p.z);
}

PrimitiveDepths::Range PrimitiveDepths::in(std::int32_t left, std::int32_t top, std::int32_t right,
                                           std::int32_t bottom) const {
  if (!planar_) return range_;
  const auto units = [](std::int32_t pixels) { return static_cast<double>(pixels) * kPixel; };
  const double x = units(left - primitive_->left), y = units(top - primitive_->top), width = units(right - left),
               height = units(bottom - top);
  const double corner = plane_.value(x, y), across = plane_.dx * width, down = plane_.dy * height;
  const double error =
      (std::abs(plane_.at) + std::abs(plane_.dx) * (x + width) + std::abs(plane_.dy) * (y + height)) * 0x1p-48;
  return {corner + std::min(across, 0.0) + std::min(down, 0.0) - error,
          corner + std::max(across, 0.0) + std::max(down, 0.0) + error};
}

TileTest::TileTest(const machine::PixelState& state) {
  const image::OutputState& o = state.output;
  if (!state.depth || !(o.depth_test || o.depth_write)) return;
  render_target::OutputTargets targets;
  targets.depth = state.depth.get();
  image::OutputState output = o;
  output.stencil_test = output.alpha_test = output.alpha_to_coverage = false;
  render_target::RenderTargetMessage message;
  message.simd = 16;
  message.null_rt = message.last = true;
  render_target::OperationContext context;
  prepared_ = render_target::simd::prepare(targets, output, message, context);
  usable_ = render_target::simd::is_fast(*prepared_) && prepared_->static_state.depth != DepthStorage::None;
  if (!usable_) return;
  samples_ = prepared_->static_state.samples;
  scale_ = scale_of(state.depth->format);
  function_ = o.depth_func;
  writes_ = o.depth_write;
  const bool changes_stencil = state.stencil && o.stencil_test && o.stencil_write;
  may_hide_ = o.depth_test && function_ != CompareFunction::Always && function_ != CompareFunction::Notequal &&
              (!changes_stencil || (keeps_stencil(o.front) && (!o.double_sided || keeps_stencil(o.back))));
}

void TileTest::read(DepthTiles::Tile& tile, std::int32_t x, std::int32_t y, std::uint32_t layer) const {
  const render_target::simd::Plane& plane = prepared_->dynamic_state.depth;
  const std::uint32_t right = std::min<std::uint32_t>(x + DepthTiles::kTile, plane.width),
                      bottom = std::min<std::uint32_t>(y + DepthTiles::kTile, plane.height);
  const std::size_t count = right - static_cast<std::uint32_t>(x);
  const DepthStorage storage = prepared_->static_state.depth;
  const std::uint64_t at = (std::uint64_t{plane.first_layer} + layer) * plane.layer_pitch;
  Extremes found;
  for (std::uint32_t sample = 0; sample < samples_; ++sample)
    for (auto row = static_cast<std::uint32_t>(y); row < bottom; ++row) {
      const std::uint8_t* from = plane.memory + at + sample * plane.sample_pitch +
                                 std::uint64_t{row} * plane.row_pitch +
                                 static_cast<std::size_t>(x) * render_target::simd::depth_bytes(storage);
      if (storage == DepthStorage::D32Float)
        found.add<float>(from, count, 0);
      else if (storage == DepthStorage::D16Unorm)
        found.add<std::uint16_t>(from, count, 0xffff);
      else
        found.add<std::uint32_t>(from, count, 0xffffff);
    }
  tile = {found.least(), found.greatest(), 0};
}

}  // namespace heddle::pipeline
