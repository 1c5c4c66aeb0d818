// SPDX-License-Identifier: MIT
// heddle/feedback.hpp: which regions of an image's levels samples read, as Direct3D 12's sampler feedback says it.
#include <heddle/feedback.hpp>
#include <iostream>

int main() {
  const auto base = heddle::Image::create({.width = 64, .height = 64});
  const auto image = base.ok() ? base->with_mips() : base;
  const auto sampler = heddle::Sampler::parse("linear,mip=nearest,clamp_to_edge");
  if (!image.ok() || !sampler.ok()) return 1;
  auto feedback = heddle::Feedback::create(*image, {.region = {16, 16}});
  if (!feedback.ok()) return std::cerr << heddle::to_text(feedback.diagnostics()), 1;

  for (int i = 0; i < 8; ++i) {
    const auto done = feedback->sample(*sampler, {.u = static_cast<float>(i) / 8, .v = 0.1f});
    if (!done.ok()) return std::cerr << heddle::to_text(done.diagnostics()), 1;
  }
  const heddle::FeedbackGrid grid = feedback->maps().used.front();
  for (std::uint32_t row = 0; row < grid.rows; ++row) {
    for (std::uint32_t column = 0; column < grid.columns; ++column)
      std::cout << (grid.cells[row * grid.columns + column] != 0 ? '#' : '.');
    std::cout << "\n";
  }
  return grid.cells[0] == 255 && grid.cells[grid.columns] == 0 ? 0 : 1;
}
