// SPDX-License-Identifier: MIT
// heddle/footprint.hpp: which texels a trilinear sample reads; a map of all that were asked for.
#include <heddle/footprint.hpp>
#include <iostream>

int main() {
  const auto base = heddle::Image::create({.width = 256, .height = 256});
  const auto image = base.ok() ? base->with_mips() : base;
  const auto sampler = heddle::Sampler::parse("trilinear,clamp_to_edge");
  if (!image.ok() || !sampler.ok()) return 1;
  auto map = heddle::FootprintMap::create(*image, 1);
  if (!map.ok()) return std::cerr << heddle::to_text(map.diagnostics()), 1;

  for (int i = 0; i < 32; ++i) {
    heddle::FootprintRequest request;
    request.coordinate = {static_cast<float>(i) / 32, 0.5f, 0};
    request.lod = 0.5f;
    const auto answer = heddle::footprint(*image, *sampler, request);
    if (!answer.ok()) return std::cerr << heddle::to_text(answer.diagnostics()), 1;
    map->insert(*answer);
  }
  heddle::FootprintRequest request;
  request.coordinate = {0.5f, 0.5f, 0};
  const auto texels = heddle::footprint_texels(*image, *sampler, request);
  if (!texels.ok()) return 1;
  std::cout << texels->texels.size() << " texels of level " << texels->lod << "; " << map->touched_groups(0).size()
            << " groups of level 0 are touched\n";
  return texels->texels.size() == 4 && map->touched(0, {128, 128, 0}) && !map->touched(0, {128, 4, 0}) ? 0 : 1;
}
