// SPDX-License-Identifier: MIT
// The inputs that are more than a picture: a cube map, mip levels of their own colors, a video frame.

#include <cstddef>
#include <vector>

#include "drawings.hpp"

namespace examples {
namespace {

using heddle::image::Surface;

void put(Surface& surface, std::uint32_t level, std::uint32_t slice, std::uint32_t x, std::uint32_t y, const Color& c) {
  heddle::image::Texel texel;
  const std::array<double, 4> values{c.r, c.g, c.b, c.a};
  for (std::uint32_t i = 0; i < 4; ++i) texel.set(i, static_cast<float>(values[i]));
  heddle::image::store(surface, level, slice, x, y, texel);
}

/// What lies in a direction: an evening sky with a sun over a plain of checkered stone. Linear light, brighter than 1
/// at the sun.
Color surroundings(double x, double y, double z) {
  const double length = std::sqrt(x * x + y * y + z * z);
  x /= length, y /= length, z /= length;
  const double sun = (0.48 * x + 0.42 * y - 0.77 * z);
  if (y >= 0) {
    Color c = mix({1.05, 0.66, 0.40}, {0.10, 0.22, 0.55}, power(std::min(1.0, y * 1.5), 0.55));
    const double scale = 1.6 / (y + 0.18);
    const double cloud =
        smooth_step(0.50, 0.80, fractal(x * scale + 40, z * scale + 40, 512, 301)) * smooth_step(0.02, 0.16, y);
    c = mix(c, mix({0.85, 0.74, 0.72}, {1.5, 1.1, 0.8}, std::max(0.0, sun)), 0.8 * cloud);
    const double glow = power(std::max(0.0, sun), 24);
    c = c + Color{1.6, 1.0, 0.5} * (0.7 * glow);
    return sun > 0.994 ? Color{9, 7.5, 5} : c;
  }
  const double t = -1.0 / std::min(y, -0.004), px = x * t * 0.9, pz = z * t * 0.9;
  const bool dark = (static_cast<int>(std::floor(px)) + static_cast<int>(std::floor(pz))) % 2 != 0;
  const double away = smooth_step(2.0, 22.0, length_of(px, pz));
  const double marble = fractal(px * 3 + 300, pz * 3 + 300, 1024, 88);
  const Color stone = (dark ? Color{0.10, 0.13, 0.16} : Color{0.72, 0.66, 0.56}) * (0.7 + 0.5 * marble);
  return mix(stone, {0.70, 0.46, 0.32}, away);
}

/// The direction of a point of a cube's face, s and t in -1...1 (faces +X -X +Y -Y +Z -Z).
std::array<double, 3> direction(std::uint32_t face, double s, double t) {
  switch (face) {
    case 0:
      return {1, -t, -s};
    case 1:
      return {-1, -t, s};
    case 2:
      return {s, 1, t};
    case 3:
      return {s, -1, -t};
    case 4:
      return {s, -t, 1};
    default:
      return {-s, -t, -1};
  }
}

}  // namespace

bool save_environment(const std::string& path) {
  constexpr std::uint32_t kFace = 512;
  Surface cube;
  cube.type = heddle::image::SurfaceType::Cube;
  cube.format = heddle::image::Format::R11G11B10_FLOAT;
  cube.width = cube.height = kFace;
  cube.layers = 6;
  cube.levels = 10;
  cube.mip_count = cube.levels - 1;
  if (!heddle::image::allocate(cube).ok()) return false;
  for (std::uint32_t face = 0; face < 6; ++face)
    for (std::uint32_t y = 0; y < kFace; ++y)
      for (std::uint32_t x = 0; x < kFace; ++x) {
        Color sum{0, 0, 0, 1};
        for (const double at : {0.25, 0.75}) {
          const auto d = direction(face, (x + at) / kFace * 2 - 1, (y + at) / kFace * 2 - 1);
          sum = sum + surroundings(d[0], d[1], d[2]) * 0.5;
        }
        put(cube, 0, face, x, y, sum);
      }
  return heddle::image::generate_mips(cube).ok() && save(path, cube);
}

bool save_tinted_levels(const std::string& path) {
  Surface surface;
  surface.width = surface.height = 512;
  surface.levels = 10;
  surface.mip_count = surface.levels - 1;
  if (!heddle::image::allocate(surface).ok()) return false;
  constexpr std::array<Color, 10> kTints{Color{0.93, 0.90, 0.84}, Color{0.87, 0.25, 0.22}, Color{0.95, 0.58, 0.17},
                                         Color{0.96, 0.84, 0.26}, Color{0.36, 0.71, 0.30}, Color{0.17, 0.66, 0.66},
                                         Color{0.22, 0.42, 0.83}, Color{0.46, 0.28, 0.74}, Color{0.78, 0.32, 0.66},
                                         Color{0.35, 0.32, 0.34}};
  for (std::uint32_t level = 0; level < surface.levels; ++level) {
    const std::uint32_t size = 512u >> level;
    for (std::uint32_t y = 0; y < size; ++y)
      for (std::uint32_t x = 0; x < size; ++x) {
        double light = 0;  // four squares a side, ruled with thin lines; averaged over the texel
        constexpr int kSteps = 4;
        for (int j = 0; j < kSteps; ++j)
          for (int i = 0; i < kSteps; ++i) {
            const double u = (x + (i + 0.5) / kSteps) / size, v = (y + (j + 0.5) / kSteps) / size;
            const bool dark = (static_cast<int>(u * 8) + static_cast<int>(v * 8)) % 2 != 0;
            const double fu = u * 8 - std::floor(u * 8), fv = v * 8 - std::floor(v * 8),
                         line = std::min({fu, fv, 1 - fu, 1 - fv});
            light += (line < 0.04 ? 0.15 : dark ? 0.45 : 1.0) / (kSteps * kSteps);
          }
        put(surface, level, 0, x, y, kTints[level] * light);
      }
  }
  return save(path, surface);
}

/// BT.709, limited range: the luma of every pixel, then a pair U, V for each 2 x 2.
bool save_nv12(const std::string& path, const Surface& picture) {
  const std::uint32_t width = picture.width, height = picture.height;
  std::string bytes(std::size_t{width} * height * 3 / 2, '\0');
  const auto rgb = [&](std::uint32_t x, std::uint32_t y, std::size_t c) {
    return (*picture.memory)[(std::size_t{y} * width + x) * 4 + c] / 255.0;
  };
  const auto code = [](double value, double low, double span) {
    return static_cast<char>(std::lround(std::clamp(low + span * value, 0.0, 255.0)));
  };
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x)
      bytes[std::size_t{y} * width + x] =
          code(0.2126 * rgb(x, y, 0) + 0.7152 * rgb(x, y, 1) + 0.0722 * rgb(x, y, 2), 16, 219);
  for (std::uint32_t y = 0; y < height; y += 2)
    for (std::uint32_t x = 0; x < width; x += 2) {
      std::array<double, 3> mean{};
      for (std::uint32_t j = 0; j < 2; ++j)
        for (std::uint32_t i = 0; i < 2; ++i)
          for (std::size_t c = 0; c < 3; ++c) mean[c] += rgb(x + i, y + j, c) / 4;
      const double luma = 0.2126 * mean[0] + 0.7152 * mean[1] + 0.0722 * mean[2];
      const std::size_t at = std::size_t{width} * height + std::size_t{y / 2} * width + x;
      bytes[at] = code((mean[2] - luma) / 1.8556, 128, 224);
      bytes[at + 1] = code((mean[0] - luma) / 1.5748, 128, 224);
    }
  return write(path, bytes);
}

}  // namespace examples
