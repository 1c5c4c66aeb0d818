// SPDX-License-Identifier: MIT
// heddle/bounds.hpp: what any device may answer to a bilinear sample, and whether Heddle's own answer is among it.
#include <heddle/bounds.hpp>
#include <iostream>

int main() {
  auto image = heddle::Image::create({.format = "R32_FLOAT", .width = 2, .height = 1});
  const auto sampler = heddle::Sampler::parse("linear,clamp_to_edge");
  if (!image.ok() || !sampler.ok()) return 1;
  if (!image->set_texel({.x = 1}, heddle::Color::of({1, 0, 0, 1}))) return 1;

  const heddle::Point at{.u = 0.4f, .v = 0.5f};
  const auto bounds = heddle::sample_bounds(*image, *sampler, at);
  const auto own = heddle::sample(*image, *sampler, at);
  if (!bounds.ok() || !own.ok()) return std::cerr << heddle::to_text(bounds.diagnostics()), 1;
  const heddle::BoundInterval& red = (*bounds)[0].intervals.front();
  std::cout << "red is " << red.low << " to " << red.high << " (" << bounds->rule() << "); here it is " << (*own)[0]
            << "\n";
  return bounds->judge(*own) != heddle::BoundsVerdict::Outside &&
                 bounds->judge(heddle::Color::of({0.5f, 0, 0, 1})) == heddle::BoundsVerdict::Outside
             ? 0
             : 1;
}
