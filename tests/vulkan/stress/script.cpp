// SPDX-License-Identifier: MIT
#include "vulkan/stress/script.hpp"

#include <algorithm>
#include <random>

namespace heddle::test {
namespace {

using Kind = StressCommand::Kind;

/// Not std::uniform_int_distribution, which differs between libraries.
struct Random {
  std::mt19937 engine;
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(engine() % std::max(1u, n)); }
  std::uint32_t between(std::uint32_t low, std::uint32_t high) { return low + below(high - low + 1); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
};

ImageSpec random_image(Random& r) {
  struct Choice {
    VkFormat format;
    std::uint32_t bytes;
  };
  constexpr std::array<Choice, 6> kFormats{{{VK_FORMAT_R32_UINT, 4},
                                            {VK_FORMAT_R8G8B8A8_UINT, 4},
                                            {VK_FORMAT_R16G16_SINT, 4},
                                            {VK_FORMAT_R8_UINT, 1},
                                            {VK_FORMAT_R16G16B16A16_UINT, 8},
                                            {VK_FORMAT_R32G32B32A32_UINT, 16}}};
  ImageSpec image;
  const Choice& choice = kFormats[r.below(kFormats.size())];
  image.format = choice.format;
  image.texel_bytes = choice.bytes;
  image.type = static_cast<VkImageType>(r.below(3));
  image.extent.width = r.between(1, 24);
  if (image.type != VK_IMAGE_TYPE_1D) image.extent.height = r.between(1, 20);
  if (image.type == VK_IMAGE_TYPE_3D)
    image.extent.depth = r.between(1, 6);
  else
    image.layers = r.between(1, 3);
  std::uint32_t most = 1;
  while (std::max({image.extent.width, image.extent.height, image.extent.depth}) >> most != 0) ++most;
  image.levels = r.between(1, most);
  return image;
}

TexelBox random_box(Random& r, const Script& script, std::uint32_t image) {
  const ImageSpec& spec = script.images[image];
  TexelBox box;
  box.image = image;
  box.level = r.below(spec.levels);
  box.layer = r.below(spec.layers);
  const VkExtent3D all = spec.level(box.level);
  const auto side = [&](std::uint32_t size, std::int32_t& offset, std::uint32_t& extent) {
    extent = r.between(1, size);
    offset = static_cast<std::int32_t>(r.below(size - extent + 1));
  };
  side(all.width, box.offset.x, box.extent.width);
  side(all.height, box.offset.y, box.extent.height);
  side(all.depth, box.offset.z, box.extent.depth);
  return box;
}

/// A place for the box in a buffer; the box becomes smaller where it does not fit.
void place_in_buffer(Random& r, const Script& script, StressCommand& c) {
  const std::uint32_t texel = script.images[c.box.image].texel_bytes;
  if (r.one_in(2)) {
    c.row = c.box.extent.width + r.below(4);
    c.rows = c.box.extent.height + r.below(3);
  }
  const std::uint32_t row = std::max(c.row, c.box.extent.width), rows = std::max(c.rows, c.box.extent.height);
  while (row * rows * c.box.extent.depth * texel > kStressWords * 4) --c.box.extent.depth;
  const std::uint32_t bytes = row * rows * c.box.extent.depth * texel, unit = std::max(4u, texel);
  c.source = r.below((kStressWords * 4 - bytes) / unit + 1) * unit;
}

/// Two boxes of one size in two images of one format; false: there are none.
bool random_boxes(Random& r, const Script& script, StressCommand& c) {
  const std::uint32_t from = r.below(static_cast<std::uint32_t>(script.images.size()));
  std::vector<std::uint32_t> others;
  for (std::uint32_t i = 0; i < script.images.size(); ++i)
    if (i != from && script.images[i].format == script.images[from].format &&
        script.images[i].type == script.images[from].type)
      others.push_back(i);
  if (others.empty()) return false;
  c.box = random_box(r, script, from);
  c.other = random_box(r, script, others[r.below(static_cast<std::uint32_t>(others.size()))]);
  VkExtent3D &a = c.box.extent, &b = c.other.extent;
  a = b = {std::min(a.width, b.width), std::min(a.height, b.height), std::min(a.depth, b.depth)};
  return true;
}

void random_buffers(Random& r, StressCommand& c) {
  c.from = r.below(kStressBuffers);
  c.to = (c.from + r.between(1, kStressBuffers - 1)) % kStressBuffers;
}

StressCommand random_command(Random& r, const Script& script) {
  StressCommand c;
  c.kind = static_cast<Kind>(r.below(14));
  if (c.kind > Kind::DrawIndexed) c.kind = r.one_in(2) ? Kind::Draw : Kind::DrawIndexed;
  c.value = static_cast<std::uint32_t>(r.engine());
  random_buffers(r, c);
  const auto image = [&] { return r.below(static_cast<std::uint32_t>(script.images.size())); };
  switch (c.kind) {
    case Kind::Fill:
    case Kind::CopyBuffer:
      c.size = 4 * r.between(1, kStressWords / 2);
      c.source = 4 * r.below(kStressWords - c.size / 4);
      c.target = 4 * r.below(kStressWords - c.size / 4);
      break;
    case Kind::Update:
      c.size = 4 * r.between(1, 32);
      c.target = 4 * r.below(kStressWords - c.size / 4);
      break;
    case Kind::ToImage:
    case Kind::FromImage:
      c.box = random_box(r, script, image());
      place_in_buffer(r, script, c);
      break;
    case Kind::CopyImage:
    case Kind::Blit:
      c.mirrored = r.one_in(2);
      if (!random_boxes(r, script, c)) c.kind = Kind::Fill, c.size = 64;
      break;
    case Kind::Clear:
      c.box = random_box(r, script, image());
      c.value &= 0x7f;  // every format holds it
      break;
    case Kind::Dispatch:
    case Kind::Indirect:
      c.shader = static_cast<Shader>(r.below(kShaders));
      c.groups = {r.between(1, 8), r.between(1, 2), 1};
      c.box = random_box(r, script, image());
      break;
    case Kind::Draw:
    case Kind::DrawIndexed:
      c.draws = r.below(kDrawKinds);
      c.vertices = r.between(3, 60);
      c.instances = r.between(1, 3);
      c.source = 4 * r.below(512);
      c.target = 4 * r.below(2048);
      c.clears = r.one_in(3);
      c.dynamic = r.one_in(2);
      c.mirrored = r.one_in(3);
      break;
  }
  return c;
}

}  // namespace

Script make_script(std::uint32_t seed) {
  Random r{std::mt19937(seed)};
  Script script;
  script.images.push_back({VK_FORMAT_R32_UINT, 4, VK_IMAGE_TYPE_2D, {r.between(4, 24), r.between(4, 24), 1}, 1, 1});
  for (std::uint32_t i = r.between(1, kMaxImages - 1); i > 0; --i) script.images.push_back(random_image(r));
  for (std::uint32_t i = r.between(4, 24); i > 0; --i) script.commands.push_back(random_command(r, script));
  return script;
}

std::string describe(const StressCommand& c) {
  constexpr std::array kNames{"fill",  "update", "copy",     "to image", "from image", "copy image",
                              "clear", "blit",   "dispatch", "indirect", "draw",       "draw indexed"};
  const auto box = [](const TexelBox& b) {
    return " [image " + std::to_string(b.image) + " level " + std::to_string(b.level) + " layer " +
           std::to_string(b.layer) + " at " + std::to_string(b.offset.x) + "," + std::to_string(b.offset.y) + "," +
           std::to_string(b.offset.z) + " size " + std::to_string(b.extent.width) + "," +
           std::to_string(b.extent.height) + "," + std::to_string(b.extent.depth) + "]";
  };
  std::string text = kNames[static_cast<std::size_t>(c.kind)];
  const auto add = [&](const char* name, std::uint32_t value) {
    text += std::string(" ") + name + " " + std::to_string(value);
  };
  add("from", c.from), add("to", c.to), add("source", c.source), add("target", c.target), add("size", c.size);
  add("value", c.value), add("row", c.row), add("rows", c.rows), add("mirrored", c.mirrored ? 1 : 0);
  add("shader", static_cast<std::uint32_t>(c.shader)), add("groups", c.groups[0] * c.groups[1]);
  add("draws", c.draws), add("vertices", c.vertices), add("instances", c.instances);
  add("clears", c.clears ? 1 : 0), add("dynamic", c.dynamic ? 1 : 0);
  return text + box(c.box) + box(c.other);
}

}  // namespace heddle::test
