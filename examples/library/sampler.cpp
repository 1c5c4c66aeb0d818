// SPDX-License-Identifier: MIT
// heddle/sampler.hpp: the same sampler from options and from words; a border.
#include <heddle/sampler.hpp>
#include <heddle/texture.hpp>
#include <iostream>

int main() {
  heddle::SamplerOptions options;
  options.min = options.mag = heddle::Filter::Linear;
  options.address.fill(heddle::AddressMode::ClampToBorder);
  options.border = {1, 0, 0, 1};
  const auto made = heddle::Sampler::create(options);
  const auto parsed = heddle::Sampler::parse("linear,clamp_to_border,border=1:0:0:1");
  auto image = heddle::Image::create({.width = 4, .height = 4});
  if (!made.ok() || !parsed.ok() || !image.ok()) return 1;

  // On the left edge: half a black texel, half the border.
  const auto a = heddle::sample(*image, *made, {.u = 0, .v = 0.5f});
  const auto b = heddle::sample(*image, *parsed, {.u = 0, .v = 0.5f});
  if (!a.ok() || !b.ok()) return 1;
  std::cout << "red " << (*a)[0] << "\n";

  const auto wrong = heddle::Sampler::parse("linaer");
  std::cout << heddle::to_text(wrong.diagnostics());
  return !wrong.ok() && *a == *b && (*a)[0] == 0.5f ? 0 : 1;
}
