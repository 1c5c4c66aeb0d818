// SPDX-License-Identifier: MIT
// heddle/image.hpp: an image with levels is drawn, saved and loaded.
#include <heddle/image.hpp>
#include <iostream>

int main() {
  auto image = heddle::Image::create({.format = "r8g8b8a8_unorm", .width = 64, .height = 32});
  if (!image.ok()) return std::cerr << heddle::to_text(image.diagnostics()), 1;
  for (std::uint32_t y = 0; y < image->height(); ++y)
    for (std::uint32_t x = 0; x < image->width(); ++x)
      image->set_texel({.x = x, .y = y}, {static_cast<float>(x) / 63, static_cast<float>(y) / 31, 0, 1});

  const auto levels = image->with_mips();
  if (!levels.ok() || levels->levels() != 7) return 1;
  if (const auto saved = levels->save("image.ktx2", {.zstd = true}); !saved.ok())
    return std::cerr << heddle::to_text(saved.diagnostics()), 1;

  const auto again = heddle::Image::load("image.ktx2");
  if (!again.ok()) return std::cerr << heddle::to_text(again.diagnostics()), 1;
  const heddle::Color last = again->texel({.level = 6});
  std::cout << again->format() << ", " << again->levels() << " levels; the last texel is " << last[0] << " " << last[1]
            << "\n";
  return again->packed() == levels->packed() ? 0 : 1;
}
