// SPDX-License-Identifier: MIT
// heddle/render_target.hpp: a pixel is blended over another, behind a depth test.
#include <heddle/render_target.hpp>
#include <iostream>

int main() {
  const auto color = heddle::Image::create({.width = 4, .height = 4});
  const auto depth = heddle::Image::create({.format = "R32_FLOAT", .width = 4, .height = 4});
  if (!color.ok() || !depth.ok()) return 1;
  heddle::RenderTargets targets{.color = {*color}, .depth = *depth, .stencil = {}};
  targets.depth.set_texel({.x = 1, .y = 2}, {1, 0, 0, 0});

  heddle::OutputState state;
  state.depth_test = state.depth_write = true;
  state.blend.push_back(
      {.enable = true, .src_color = heddle::BlendFactor::SrcAlpha, .dst_color = heddle::BlendFactor::InvSrcAlpha});
  heddle::Pixel pixel{.x = 1, .y = 2, .layer = 0, .colors = {{1, 0.5f, 0, 0.5f}}, .depth = 0.25f};
  if (const auto done = heddle::write_pixel(targets, pixel, state); !done.ok())
    return std::cerr << heddle::to_text(done.diagnostics()), 1;
  pixel.depth = 0.75f;  // behind it: dropped
  pixel.colors[0] = {0, 0, 1, 1};
  if (!heddle::write_pixel(targets, pixel, state).ok()) return 1;

  const heddle::Color result = color->texel({.x = 1, .y = 2});
  std::cout << "R " << result[0] << " G " << result[1] << " B " << result[2] << ", depth "
            << depth->texel({.x = 1, .y = 2})[0] << "\n";
  return result[2] == 0 && result[0] > 0.49f && result[0] < 0.51f && depth->texel({.x = 1, .y = 2})[0] == 0.25f ? 0 : 1;
}
