// SPDX-License-Identifier: MIT
// heddle/texture.hpp: gather, sample, load and queries, and which texels they read.
#include <heddle/texture.hpp>
#include <iostream>

int main() {
  auto image = heddle::Image::create({.format = "R32_FLOAT", .width = 4, .height = 4});
  const auto sampler = heddle::Sampler::parse("linear,repeat,mip=linear");
  if (!image.ok() || !sampler.ok()) return 1;
  for (std::uint32_t i = 0; i < 16; ++i) image->set_texel({.x = i % 4, .y = i / 4}, {static_cast<float>(i), 0, 0, 1});

  // Between the texels 5, 6, 9 and 10.
  std::vector<heddle::TexelRead> reads;
  heddle::GatherOptions options;
  options.reads = &reads;
  const auto four = heddle::gather(*image, *sampler, {.u = 0.5f, .v = 0.5f}, options);
  const auto color = heddle::sample(*image, *sampler, {.u = 0.5f, .v = 0.5f});
  const auto one = heddle::load(*image, {.x = 3, .y = 2});
  if (!four.ok() || !color.ok() || !one.ok()) return 1;
  std::cout << "gathered " << (*four)[0] << " " << (*four)[1] << " " << (*four)[2] << " " << (*four)[3] << ", sampled "
            << (*color)[0] << ", loaded " << (*one)[0] << ", " << reads.size() << " texels read\n";

  std::vector<heddle::Point> points(1000, {.u = 0.5f, .v = 0.5f});
  std::vector<heddle::Color> colors(points.size());
  if (!heddle::sample(*image, *sampler, points, colors).ok() || colors.back() != *color) return 1;

  // An operation by its name, over the lanes of one instruction: eight coordinates, of which four are sampled.
  heddle::LaneOperation operation{.name = "sample_lz", .lanes = 8, .active = 0x0F, .parameters = {}};
  std::vector<std::uint32_t> u;
  for (int k = 0; k < 8; ++k) u.push_back(__builtin_bit_cast(std::uint32_t, 0.125f + 0.25f * static_cast<float>(k)));
  operation.parameters = {{"u", u}, {"v", {__builtin_bit_cast(std::uint32_t, 0.125f)}}};
  const auto lanes = heddle::execute(*image, *sampler, operation);
  const auto block = heddle::sample_unorm(*image, *sampler, {.u = 0.125f, .v = 0.125f, .du = 0.25f, .dv = 0.25f});
  if (!lanes.ok() || !block.ok()) return std::cerr << heddle::to_text(lanes.diagnostics()), 1;
  std::cout << "lane 2 sampled " << __builtin_bit_cast(float, lanes->channels[0][2]) << "; a block has "
            << block->bytes.size() << " bytes\n";

  const auto size = heddle::query_size(*image);
  const auto lod = heddle::query_lod(*image, *sampler, {.dx = {0.5f, 0, 0}, .dy = {0, 0.5f, 0}});
  if (!size.ok() || !lod.ok()) return 1;
  std::cout << size->width << " x " << size->height << ", level of detail " << lod->unclamped << "\n";
  return *four == heddle::Color::of({9, 10, 6, 5}) && (*color)[0] == 7.5f && (*one)[0] == 11 && reads.size() == 4 &&
                 size->levels == 1 && lod->unclamped == 1 && __builtin_bit_cast(float, lanes->channels[0][2]) == 2
             ? 0
             : 1;
}
