// SPDX-License-Identifier: MIT
// Mip generation: a box filter over exactly the texels that a smaller texel covers, in linear light, in binary64.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "image/rows.hpp"
#include "image/surface.hpp"

namespace heddle::image {
namespace {

using Color = std::array<double, 4>;

/// One level of one image as linear-light colors.
struct Plane {
  std::uint32_t width = 0, height = 0, depth = 0;
  std::vector<Color> colors;
  Color& at(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return colors[(std::size_t{z} * height + y) * width + x];
  }
};

/// The source texels under texel `index` of a side that shrinks from `from` to `to`, and the part of each that lies
/// under it.
struct Cover {
  std::uint32_t first = 0, count = 0;
  std::array<double, 3> weights{};
};

Cover cover(std::uint32_t index, std::uint32_t from, std::uint32_t to) {
  // Texel `index` covers [index * from, (index + 1) * from) in units of 1/to source texels.
  const std::uint64_t low = std::uint64_t{index} * from, high = low + from;
  Cover result;
  result.first = static_cast<std::uint32_t>(low / to);
  for (std::uint64_t texel = result.first; texel * to < high && result.count < 3; ++texel) {
    const std::uint64_t begin = std::max(low, texel * to), end = std::min(high, (texel + 1) * to);
    result.weights[result.count++] = static_cast<double>(end - begin) / static_cast<double>(from);
  }
  return result;
}

Color color_of(const Texel& texel) { return {texel.f(0), texel.f(1), texel.f(2), texel.f(3)}; }
const Color& color_of(const Color& color) { return color; }

/// `row(y, z)` gives a row of the larger level, as texels or colors.
template <typename Row>
void shrink(Row&& row, std::uint32_t from_width, std::uint32_t from_height, std::uint32_t from_depth, Plane& to) {
  to.colors.assign(std::size_t{to.width} * to.height * to.depth, Color{});
  std::vector<Cover> along_x;
  for (std::uint32_t x = 0; x < to.width; ++x) along_x.push_back(cover(x, from_width, to.width));
  const auto add_row = [&](const auto& from, double weight_y, double weight_z, Color* sums) {
    for (std::uint32_t x = 0; x < to.width; ++x)
      for (std::uint32_t i = 0; i < along_x[x].count; ++i) {
        const Color color = color_of(from[along_x[x].first + i]);
        const double weight = along_x[x].weights[i] * weight_y * weight_z;
        for (unsigned c = 0; c < 4; ++c) sums[x][c] += color[c] * weight;
      }
  };
  for (std::uint32_t z = 0; z < to.depth; ++z) {
    const Cover along_z = cover(z, from_depth, to.depth);
    for (std::uint32_t y = 0; y < to.height; ++y) {
      const Cover along_y = cover(y, from_height, to.height);
      for (std::uint32_t k = 0; k < along_z.count; ++k)
        for (std::uint32_t j = 0; j < along_y.count; ++j)
          add_row(row(along_y.first + j, along_z.first + k), along_y.weights[j], along_z.weights[k], &to.at(0, y, z));
    }
  }
}

void write_level(Surface& surface, std::uint32_t level, std::uint32_t slice, Plane& plane) {
  for (std::uint32_t z = 0; z < plane.depth; ++z)
    for (std::uint32_t y = 0; y < plane.height; ++y)
      for (std::uint32_t x = 0; x < plane.width; ++x) {
        Texel texel;
        for (int c = 0; c < 4; ++c) texel.set(c, static_cast<float>(plane.at(x, y, z)[static_cast<unsigned>(c)]));
        store(surface, level, slice + z, x, y, texel);
      }
}

void fill_chain(Surface& surface, std::uint32_t slice) {
  Plane larger;
  for (std::uint32_t level = 1; level < surface.levels; ++level) {
    Plane plane;
    plane.width = surface.level_width(level);
    plane.height = surface.level_height(level);
    plane.depth = surface.level_depth(level);
    if (level == 1) {
      std::optional<RowReader> reader;
      std::uint32_t reads = 0;  // which z
      const auto stored = [&](std::uint32_t y, std::uint32_t z) {
        if (!reader || reads != z) reader.emplace(surface, 0, slice + z);
        reads = z;
        return reader->row(y);
      };
      shrink(stored, surface.level_width(0), surface.level_height(0), surface.level_depth(0), plane);
    } else {
      const auto computed = [&](std::uint32_t y, std::uint32_t z) { return &larger.at(0, y, z); };
      shrink(computed, larger.width, larger.height, larger.depth, plane);
    }
    write_level(surface, level, slice, plane);
    larger = std::move(plane);
  }
}

}  // namespace

base::Result<base::Done> generate_mips(Surface& surface) {
  const FormatInfo* format = format_info(surface.format);
  if (surface.is_buffer() || surface.type == SurfaceType::Null || surface.samples > 1 ||
      surface.layout.size() != surface.levels)
    return base::error("surface-mips", "mips are made of 1d, 2d, 3d and cube surfaces with one sample");
  if (format == nullptr || format->value_class != ValueClass::Float || !encodable(*format))
    return base::error("surface-mips",
                       fmt::format("{} has no mean: mips are made of uncompressed unorm, snorm and float formats",
                                   format != nullptr ? format->name : std::string_view("the format")));
  const std::uint32_t images = surface.type == SurfaceType::Dim3 ? 1 : surface.layers * surface.cells();
  for (std::uint32_t slice = 0; slice < images; ++slice) fill_chain(surface, slice);
  return base::Done{};
}

base::Result<Surface> with_mip_chain(const Surface& surface, const base::Limits& limits) {
  Surface full = surface;
  full.tile_mode = TileMode::Linear;
  full.memory = nullptr;
  full.base = 0;
  full.layout.clear();
  const std::uint32_t depth = surface.type == SurfaceType::Dim3 ? surface.depth : 1;
  full.levels = static_cast<std::uint32_t>(std::bit_width(std::max({surface.width, surface.height, depth})));
  full.mip_count = full.levels - 1 - std::min(full.surf_min_lod, full.levels - 1);
  if (const auto done = allocate(full, limits); !done.ok()) return done.failure();
  const std::uint32_t slices = surface.stored_slices(0);
  for (std::uint32_t slice = 0; slice < slices; ++slice) {
    const std::vector<std::uint8_t> picture = packed_slice(surface, 0, slice);
    const LevelLayout& at = full.layout[0];
    std::copy(picture.begin(), picture.end(),
              full.memory->begin() + static_cast<std::ptrdiff_t>(at.offset + slice * at.slice_pitch));
  }
  if (const auto done = generate_mips(full); !done.ok()) return done.failure();
  return full;
}

}  // namespace heddle::image
