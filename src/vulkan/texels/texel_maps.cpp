// SPDX-License-Identifier: MIT
#include "vulkan/texels/texel_maps.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include "image/files/files.hpp"

namespace heddle::vulkan {
namespace {

/// A surface with a 32-bit word for each texel; it has no memory yet.
image::Surface map_surface(const TexelShape& shape) {
  image::Surface map;
  map.format = image::Format::R32_UINT;
  map.type = shape.volume ? image::SurfaceType::Dim3 : image::SurfaceType::Dim2;
  map.width = shape.levels[0].width;
  map.height = shape.levels[0].height;
  map.levels = static_cast<std::uint32_t>(shape.levels.size());
  map.mip_count = map.levels - 1;
  if (shape.volume) {
    map.depth = shape.levels[0].slices;
  } else {
    map.layers = map.view_layers = std::max(1u, shape.levels[0].slices / shape.samples);
    map.array = map.layers > 1;
  }
  return map;
}

/// The sum over the samples of a texel.
std::uint32_t sum_at(const TexelShape& shape, const TexelShape::Level& level, const Counters& counts,
                     std::uint32_t layer, std::uint32_t x, std::uint32_t y) {
  if (counts.empty()) return 0;
  std::uint32_t sum = 0;
  for (std::uint32_t s = 0; s < shape.samples; ++s)
    sum = add_counts(sum, counts[level.at(layer * shape.samples + s, x, y)]);
  return sum;
}

/// The counters where they are.
std::optional<image::Surface> counts_as_surface(const TexelShape& shape, const Counters& counts) {
  image::Surface map = map_surface(shape);
  if (!image::lay_out(map).ok()) return std::nullopt;
  for (std::size_t l = 0; l < shape.levels.size(); ++l) {
    const TexelShape::Level& level = shape.levels[l];
    map.layout[l].offset = level.first * 4;
    map.layout[l].row_pitch = level.row * 4;
    map.layout[l].slice_pitch = level.slice * 4;
  }
  auto* const bytes = reinterpret_cast<std::uint8_t*>(const_cast<std::uint32_t*>(counts.data()));  // nobody writes them
  map.memory = std::make_shared<image::Memory>(nullptr, std::span(bytes, counts.size() * 4));
  return map;
}

/// The samples of each texel, added.
std::optional<image::Surface> summed_surface(const TexelShape& shape, const Counters& counts) {
  image::Surface map = map_surface(shape);
  if (!image::allocate(map).ok()) return std::nullopt;
  for (std::size_t l = 0; l < shape.levels.size(); ++l) {
    const TexelShape::Level& level = shape.levels[l];
    const image::LevelLayout& to = map.layout[l];
    for (std::uint32_t z = 0; z < level.slices / shape.samples; ++z)
      for (std::uint32_t y = 0; y < level.height; ++y) {
        std::uint8_t* row = map.memory->data() + to.offset + z * to.slice_pitch + y * to.row_pitch;
        for (std::uint32_t x = 0; x < level.width; ++x) {
          const std::uint32_t count = sum_at(shape, level, counts, z, x, y);
          std::memcpy(row + std::size_t{x} * 4, &count, sizeof count);
        }
      }
  }
  return map;
}

using Color = std::array<std::uint8_t, 3>;

constexpr Color kUntouched{32, 34, 40};

/// From dark blue over green to yellow: each doubling of the count is a step.
Color heat(std::uint32_t count) {
  constexpr std::array<Color, 9> kSteps{{{59, 82, 139},
                                         {49, 104, 142},
                                         {38, 130, 142},
                                         {31, 158, 137},
                                         {53, 183, 121},
                                         {110, 206, 88},
                                         {181, 222, 43},
                                         {253, 231, 37},
                                         {255, 250, 200}}};
  if (count == 0) return kUntouched;
  return kSteps[std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(count)) - 1, kSteps.size() - 1)];
}

/// Where a level lies in the picture of all levels: the first one at the left, the others below one another.
struct Place {
  std::uint32_t x = 0, y = 0;
};
std::vector<Place> places_of(const TexelShape& shape, std::uint32_t& width, std::uint32_t& height) {
  std::vector<Place> places{{0, 0}};
  width = shape.levels[0].width;
  height = shape.levels[0].height;
  std::uint32_t y = 0;
  for (std::size_t l = 1; l < shape.levels.size(); ++l) {
    places.push_back({shape.levels[0].width + 2, y});
    width = std::max(width, shape.levels[0].width + 2 + shape.levels[l].width);
    y += shape.levels[l].height + 2;
    height = std::max(height, y - 2);
  }
  return places;
}

/// A picture under way: of large images a pixel for several texels, of small ones several pixels for a texel.
class Canvas {
 public:
  Canvas(std::uint32_t width, std::uint32_t height) : width_(width), height_(height) {
    constexpr std::uint32_t kMin = 256, kMax = 1024;
    const std::uint32_t side = std::max(width, height);
    shrink_ = (side + kMax - 1) / kMax;
    grow_ = std::max(1u, kMin / std::max(1u, side));
    surface_.width = std::max(1u, (width + shrink_ - 1) / shrink_) * grow_;
    surface_.height = std::max(1u, (height + shrink_ - 1) / shrink_) * grow_;
    good_ = image::allocate(surface_).ok();
  }
  /// Of several texels of a pixel the one of the greatest weight is seen.
  void set(std::uint32_t x, std::uint32_t y, Color color, std::uint32_t weight) {
    if (!good_ || x >= width_ || y >= height_) return;
    const std::uint32_t px = x / shrink_, py = y / shrink_;
    if (shrink_ > 1) {
      if (weights_.empty()) weights_.resize(std::size_t{surface_.width} * surface_.height);
      std::uint32_t& most = weights_[std::size_t{py} * surface_.width + px];
      if (weight + 1 <= most) return;
      most = weight + 1;
    }
    for (std::uint32_t v = 0; v < grow_; ++v)
      for (std::uint32_t u = 0; u < grow_; ++u) {
        const std::size_t at = (std::size_t{py} * grow_ + v) * surface_.width + std::size_t{px} * grow_ + u;
        std::uint8_t* to = surface_.memory->data() + 4 * at;
        std::copy(color.begin(), color.end(), to);
        to[3] = 255;
      }
  }
  [[nodiscard]] std::uint32_t width() const { return surface_.width; }
  [[nodiscard]] std::uint32_t height() const { return surface_.height; }
  [[nodiscard]] std::vector<std::uint8_t> png() const {
    if (!good_) return {};
    auto bytes = image::encode_image(surface_, image::FileKind::Png);
    return bytes.ok() ? std::move(*bytes) : std::vector<std::uint8_t>();
  }

 private:
  std::uint32_t width_, height_, shrink_ = 1, grow_ = 1;
  image::Surface surface_;
  std::vector<std::uint32_t> weights_;  ///< of the texel that a pixel shows, and 1
  bool good_ = false;
};

struct Fate {
  bool read = false, written = false, uploaded = false, early = false;
  [[nodiscard]] Color color() const {
    if (early) return {230, 60, 160};
    if (read) return {60, 180, 90};
    if (uploaded) return {60, 110, 220};
    return written ? Color{120, 120, 128} : kUntouched;
  }
  [[nodiscard]] std::uint32_t weight() const { return early ? 4 : read ? 3 : uploaded ? 2 : written ? 1 : 0; }
};

}  // namespace

std::vector<std::uint8_t> encode_map(const TexelShape& shape, const Counters& counts) {
  const auto map = shape.samples == 1 ? counts_as_surface(shape, counts) : summed_surface(shape, counts);
  if (!map) return {};
  auto bytes = image::encode_image(*map, image::FileKind::Ktx2, {.zstd = true});
  return bytes.ok() ? std::move(*bytes) : std::vector<std::uint8_t>();
}

PlaneUse summarize(const PlaneRecord& record, const TexelCounters& counts, const TexelUses& some,
                   const RowTaken& taken) {
  PlaneUse use;
  use.record = &record;
  for (std::uint32_t l = 0; l < record.shape.levels.size(); ++l) {
    const TexelShape::Level& level = record.shape.levels[l];
    bool by_shaders = false;
    for (std::uint32_t z = 0; z < level.slices; ++z)
      for (std::uint32_t y = 0; y < level.height; ++y) {
        std::array<CounterRow, kTexelUses> reads, writes;
        std::size_t read = 0, written = 0, last_read = 0, last_written = 0;
        std::array<RowSum, kTexelUses> sums{};
        for (std::size_t k = 0; k < kTexelUses; ++k) {
          if (!some[k]) continue;
          const CounterRow row(counts[k].data() + level.at(z, 0, y), level.width);
          sums[k] = sum_of(row);
          if (sums[k].sum == 0) continue;
          use.counts[k] += sums[k].sum;
          (is_write(k) ? last_written : last_read) = k;
          (is_write(k) ? writes[written++] : reads[read++]) = row;
          by_shaders = by_shaders || (!is_write(k) && is_shader_read(k));
        }
        use.texels_read += read == 1 ? sums[last_read].used : count_used({reads.data(), read});
        use.texels_written += written == 1 ? sums[last_written].used : count_used({writes.data(), written});
        if (!taken) continue;
        for (std::size_t k = 0; k < kTexelUses; ++k)
          if (sums[k].sum != 0) taken(k, level.at(z, 0, y), level.width);
      }
    if (!by_shaders) continue;
    if (!use.least_level) use.least_level = l;
    use.greatest_level = l;
  }
  return use;
}

std::vector<MapPictures> draw_pictures(const PlaneRecord& record, std::uint32_t most_layers) {
  const TexelShape& shape = record.shape;
  std::vector<MapPictures> all;
  std::uint32_t width = 0, height = 0;
  const std::vector<Place> places = places_of(shape, width, height);
  const auto count = [&](TexelUse use) -> const Counters& { return record.total[static_cast<std::size_t>(use)]; };
  const std::uint32_t layers = std::max(1u, shape.levels[0].slices / shape.samples);
  for (std::uint32_t layer = 0; layer < std::min(layers, most_layers); ++layer) {
    Canvas reads(width, height), fates(width, height);
    for (std::size_t l = 0; l < shape.levels.size(); ++l) {
      const TexelShape::Level& level = shape.levels[l];
      if (layer >= level.slices / shape.samples) continue;
      for (std::uint32_t y = 0; y < level.height; ++y)
        for (std::uint32_t x = 0; x < level.width; ++x) {
          std::uint32_t sum = 0;
          Fate fate;
          for (std::size_t k = 0; k < kTexelUses; ++k) {
            const std::uint32_t n = sum_at(shape, level, record.total[k], layer, x, y);
            if (!is_write(k) && is_shader_read(k)) sum = add_counts(sum, n);
            fate.written = fate.written || (is_write(k) && n != 0);
          }
          fate.read = sum != 0;
          fate.uploaded = sum_at(shape, level, count(TexelUse::Uploaded), layer, x, y) != 0;
          for (std::uint32_t s = 0; s < shape.samples; ++s)
            fate.early =
                fate.early || (record.state[level.at(layer * shape.samples + s, x, y)] & PlaneRecord::kEarly) != 0;
          const std::uint32_t at_x = places[l].x + x, at_y = places[l].y + y;
          reads.set(at_x, at_y, heat(sum), sum);
          fates.set(at_x, at_y, fate.color(), fate.weight());
        }
    }
    all.push_back({layer, reads.width(), reads.height(), reads.png(), fates.png()});
  }
  return all;
}

}  // namespace heddle::vulkan
