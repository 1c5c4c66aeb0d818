// SPDX-License-Identifier: MIT
#include "tools/pictures/picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-function"
#else
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#include <stb/stb_easy_font.h>
#if defined(__clang__)
#pragma clang diagnostic pop
#else
#pragma GCC diagnostic pop
#endif

namespace heddle::tools {

Picture::Picture(std::uint32_t width, std::uint32_t height, Rgb background)
    : width_(width), height_(height), pixels_(std::size_t{width} * height, background) {}

void Picture::set(std::int64_t x, std::int64_t y, Rgb color) { blend(x, y, color, 1); }

void Picture::blend(std::int64_t x, std::int64_t y, Rgb color, double opacity) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
  Rgb& p = pixels_[static_cast<std::size_t>(y) * width_ + static_cast<std::size_t>(x)];
  for (std::size_t c = 0; c < 3; ++c) p[c] = static_cast<std::uint8_t>(std::lround(p[c] + (color[c] - p[c]) * opacity));
}

void Picture::fill(std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h, Rgb color, double opacity) {
  for (std::int64_t j = std::max<std::int64_t>(y, 0); j < std::min<std::int64_t>(y + h, height_); ++j)
    for (std::int64_t i = std::max<std::int64_t>(x, 0); i < std::min<std::int64_t>(x + w, width_); ++i)
      blend(i, j, color, opacity);
}

void Picture::frame(std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h, Rgb color, std::int64_t thickness) {
  fill(x, y, w, thickness, color);
  fill(x, y + h - thickness, w, thickness, color);
  fill(x, y, thickness, h, color);
  fill(x + w - thickness, y, thickness, h, color);
}

std::int64_t Picture::caption(std::int64_t x, std::int64_t y, std::string_view text, Rgb color, int scale) {
  std::string copy(text);
  std::vector<unsigned char> vertices(copy.size() * 300 + 1024);
  const int quads = stb_easy_font_print(0, 0, copy.data(), nullptr, vertices.data(), static_cast<int>(vertices.size()));
  for (int q = 0; q < quads; ++q) {
    float corner[4][2];
    for (int v = 0; v < 4; ++v) std::memcpy(corner[v], vertices.data() + (q * 4 + v) * 16, sizeof corner[v]);
    fill(x + std::lround(corner[0][0] * static_cast<float>(scale)),
         y + std::lround(corner[0][1] * static_cast<float>(scale)),
         std::lround((corner[2][0] - corner[0][0]) * static_cast<float>(scale)),
         std::lround((corner[2][1] - corner[0][1]) * static_cast<float>(scale)), color);
  }
  return caption_width(text, scale);
}

std::int64_t Picture::caption_width(std::string_view text, int scale) {
  std::string copy(text);
  return std::int64_t{stb_easy_font_width(copy.data())} * scale;
}

std::vector<std::string> Picture::caption_lines(std::string_view text, std::int64_t width, int scale) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const std::string longer = lines.empty() ? std::string(word) : lines.back() + ' ' + std::string(word);
    if (!lines.empty() && caption_width(longer, scale) <= width)
      lines.back() = longer;
    else
      lines.emplace_back(word);
  }
  return lines;
}

void Picture::grow(std::uint32_t rows, Rgb background) {
  height_ += rows;
  pixels_.resize(std::size_t{width_} * height_, background);
}

std::vector<std::uint8_t> Picture::rgba() const {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(4 * pixels_.size());
  for (const Rgb& pixel : pixels_) bytes.insert(bytes.end(), {pixel[0], pixel[1], pixel[2], 255});
  return bytes;
}

Result<Done> Picture::save(const std::string& path) const {
  auto image = Image::create({.width = width_, .height = height_});
  if (!image.ok()) return image.diagnostics();
  if (auto done = image->set_packed(rgba()); !done.ok()) return done;
  return image->save(path);
}

Rgb heat(double value) {
  static constexpr double kStops[6][3] = {{8, 6, 24},     {84, 16, 110},  {188, 38, 70},
                                          {244, 120, 24}, {250, 206, 60}, {255, 252, 220}};
  const double t = std::clamp(value, 0.0, 1.0) * 5;
  const auto i = std::min<std::size_t>(static_cast<std::size_t>(t), 4);
  Rgb out{};
  for (std::size_t c = 0; c < 3; ++c)
    out[c] = static_cast<std::uint8_t>(
        std::lround(kStops[i][c] + (kStops[i + 1][c] - kStops[i][c]) * (t - static_cast<double>(i))));
  return out;
}

}  // namespace heddle::tools
