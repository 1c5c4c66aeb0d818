// SPDX-License-Identifier: MIT
#pragma once
// Small drawings for people: rectangles, lines and captions on an 8-bit RGB picture.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/image.hpp"

namespace heddle::tools {

using Rgb = std::array<std::uint8_t, 3>;

class Picture {
 public:
  Picture(std::uint32_t width, std::uint32_t height, Rgb background = {255, 255, 255});
  [[nodiscard]] std::uint32_t width() const { return width_; }
  [[nodiscard]] std::uint32_t height() const { return height_; }
  void set(std::int64_t x, std::int64_t y, Rgb color);  ///< outside: nothing
  void blend(std::int64_t x, std::int64_t y, Rgb color, double opacity);
  void fill(std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h, Rgb color, double opacity = 1);
  void frame(std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h, Rgb color, std::int64_t thickness = 1);
  /// Text with its upper-left corner at (x, y); letters are about 7 * scale pixels high. Returns its width.
  std::int64_t caption(std::int64_t x, std::int64_t y, std::string_view text, Rgb color, int scale = 2);
  static std::int64_t caption_width(std::string_view text, int scale = 2);
  /// The words of a text in lines of at most `width` pixels; a longer word has a line of its own.
  static std::vector<std::string> caption_lines(std::string_view text, std::int64_t width, int scale = 2);
  /// More rows at the bottom.
  void grow(std::uint32_t rows, Rgb background);
  [[nodiscard]] std::vector<std::uint8_t> rgba() const;
  /// Writes it. Ids: those of Image::create and Image::save.
  [[nodiscard]] Result<Done> save(const std::string& path) const;

 private:
  std::uint32_t width_, height_;
  std::vector<Rgb> pixels_;
};

/// Black, violet, red, orange, yellow, white for 0 ... 1.
[[nodiscard]] Rgb heat(double value);

}  // namespace heddle::tools
