// SPDX-License-Identifier: MIT
// heddle/arrays.hpp: an image is sampled at a million points; the operation is prepared once.
#include <heddle/arrays.hpp>
#include <iostream>
#include <vector>

int main() {
  auto image = heddle::Image::create({.format = "R32_FLOAT", .width = 256, .height = 256});
  if (!image.ok()) return 1;
  for (std::uint32_t y = 0; y < 256; ++y)
    for (std::uint32_t x = 0; x < 256; ++x) image->set_texel({.x = x, .y = y}, {static_cast<float>(x), 0, 0, 1});
  const auto operation = heddle::ArrayOperation::prepare(*image, *heddle::Sampler::parse("linear,repeat"),
                                                         {.name = "sample_lz", .parameters = {"u", "v"}});
  if (!operation.ok()) {
    std::cout << heddle::to_text(operation.diagnostics());
    return 1;
  }

  // Points lie as pairs; results are single floats.
  std::vector<float> points(2'000'000), red(1'000'000);
  for (std::size_t k = 0; k < red.size(); ++k) {
    points[2 * k] = static_cast<float>(k % 256) / 256 + 0.5f / 256;
    points[2 * k + 1] = 0.25f;
  }
  const heddle::ArrayInput inputs[] = {{points.data(), 8}, {points.data() + 1, 8}};
  const auto done = operation->run(red.size(), inputs, {{red.data()}, 4}, /*threads=*/0);
  std::cout << "element 77: " << red[77] << "\n";
  return done.ok() && red[77] == 77.0f && red[256 + 9] == 9.0f ? 0 : 1;
}
