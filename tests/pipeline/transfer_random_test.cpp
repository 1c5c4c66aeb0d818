// SPDX-License-Identifier: MIT
// The fast forms against the reference forms on random images, regions and formats, bit for bit.
// Rules: TRF-1 to TRF-20.
#include "support/number_variable.hpp"
#include "transfer_support.hpp"

#include <algorithm>
#include <cstdlib>

using namespace transfer_test;
using namespace heddle::pipeline::transfer;
using heddle::image::Compression;
using heddle::image::FormatInfo;

namespace {

/// HEDDLE_TRANSFER_SEED repeats one case.
std::optional<unsigned> given_seed() { return heddle::test::number_variable<unsigned>("HEDDLE_TRANSFER_SEED"); }
unsigned first_seed() { return given_seed().value_or(1); }
unsigned seeds(unsigned count) { return given_seed() ? 1 : count; }

template <typename Keep>
std::vector<const FormatInfo*> formats_where(Keep keep) {
  std::vector<const FormatInfo*> formats;
  for (const FormatInfo& format : heddle::image::all_formats())
    if (heddle::image::decodable(format) && format.compression != Compression::Planar420 &&
        format.compression != Compression::Ycrcb422 && keep(format))
      formats.push_back(&format);
  return formats;
}

class Dice {
 public:
  explicit Dice(unsigned seed) : random(seed) {}
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); }
  std::uint32_t size(std::uint32_t most) { return 1 + below(most); }
  const FormatInfo& of(const std::vector<const FormatInfo*>& formats) {
    return *formats[below(static_cast<std::uint32_t>(formats.size()))];
  }
  std::mt19937 random;
};

Surface random_image(Dice& dice, const FormatInfo& format, bool volume, std::uint32_t samples = 1) {
  Shape shape{.width = dice.size(70), .height = dice.size(40), .samples = samples};
  (volume ? shape.depth : shape.layers) = dice.size(4);
  if (samples == 1) shape.levels = dice.size(3);
  Surface image = make(format.format, shape, volume ? SurfaceType::Dim3 : SurfaceType::Dim2);
  randomize(image, dice.random);
  if (dice.below(8) == 0) image.null_texels = {{0, 0, 0, 0}};  // the form without rows
  return image;
}

/// A box inside the level, on blocks.
ImageBox random_box(Dice& dice, const Surface& image) {
  const FormatInfo& format = image.info();
  ImageBox box{.level = dice.below(image.levels)};
  const auto& at = image.layout[box.level];
  const auto span = [&](std::uint32_t size, std::uint32_t block, std::int32_t& offset, std::uint32_t& extent) {
    const std::uint32_t blocks = (size + block - 1) / block, first = dice.below(blocks);
    offset = static_cast<std::int32_t>(first * block);
    extent = std::min(dice.size(blocks - first) * block, size - first * block);
  };
  span(at.width, format.block_width, box.offset.x, box.extent.width);
  span(at.height, format.block_height, box.offset.y, box.extent.height);
  if (image.type == SurfaceType::Dim3) {
    span(at.slices, 1, box.offset.z, box.extent.depth);
  } else {
    box.first_layer = dice.below(image.layers);
    box.layers = dice.size(image.layers - box.first_layer);
  }
  return box;
}

struct Outcome {
  std::string id;
  std::vector<std::uint8_t> bytes;
  bool operator==(const Outcome&) const = default;
};
template <typename Call>
Outcome outcome(const Surface& to, Call call) {
  Surface copy = copy_of(to);
  const auto result = call(copy);
  return {id_of(result), bytes_of(copy)};
}

/// Compares both forms and counts calls that were carried out: a test of refusals alone would show nothing.
class Comparison {
 public:
  ~Comparison() {
    if (all_ > 1) EXPECT_GT(done_ * 3, all_) << done_ << " of " << all_;
  }
  template <typename Fast, typename Slow>
  void operator()(const Surface& to, Fast fast, Slow slow, const std::string& what) {
    const Outcome expected = outcome(to, slow);
    EXPECT_EQ(outcome(to, fast), expected) << what;
    ++all_;
    if (expected.id.empty()) ++done_;
  }

 private:
  unsigned done_ = 0, all_ = 0;
};

std::string named(unsigned seed, const FormatInfo& from, const FormatInfo& to) {
  return "HEDDLE_TRANSFER_SEED=" + std::to_string(seed) + ": " + std::string(from.name) + " to " + std::string(to.name);
}

/// An image and a place in it where a box of `like` has room; sometimes any image.
std::pair<Surface, ImageOrigin> random_target(Dice& dice, const Surface& like, const ImageBox& box,
                                              const FormatInfo& format, std::uint32_t samples) {
  if (dice.below(8) == 0) {
    Surface image = random_image(dice, format, false, samples);
    const ImageBox place = random_box(dice, image);
    return {image, {place.level, place.first_layer, place.offset}};
  }
  const auto blocks = [](std::uint32_t texels, std::uint32_t block) { return (texels + block - 1) / block; };
  const std::uint32_t x = dice.below(4), y = dice.below(4), z = dice.below(2);
  const std::uint32_t slices = like.type == SurfaceType::Dim3 ? box.extent.depth : box.layers;
  Shape shape{.width = (x + blocks(box.extent.width, like.info().block_width) + dice.below(3)) * format.block_width,
              .height = (y + blocks(box.extent.height, like.info().block_height) + dice.below(3)) * format.block_height,
              .samples = samples};
  const bool volume = samples == 1 && dice.below(3) == 0;
  (volume ? shape.depth : shape.layers) = z + slices;
  Surface image = make(format.format, shape, volume ? SurfaceType::Dim3 : SurfaceType::Dim2);
  randomize(image, dice.random);
  ImageOrigin at{.offset = {static_cast<std::int32_t>(x * format.block_width),
                            static_cast<std::int32_t>(y * format.block_height), 0}};
  if (volume)
    at.offset.z = static_cast<std::int32_t>(z);
  else
    at.first_layer = z;
  return {image, at};
}

TEST(TransferRandom, BuffersAndImages) {
  Comparison compare;
  const auto formats = formats_where([](const FormatInfo&) { return true; });
  for (unsigned seed = first_seed(), end = seed + seeds(400); seed < end; ++seed) {
    Dice dice(seed);
    Surface image = random_image(dice, dice.of(formats), dice.below(4) == 0);
    const ImageBox box = random_box(dice, image);
    std::vector<std::uint8_t> buffer(dice.size(60000));
    for (std::uint8_t& byte : buffer) byte = static_cast<std::uint8_t>(dice.random());
    const BufferLayout layout{dice.below(64), dice.below(3) * dice.below(90), dice.below(3) * dice.below(50)};
    compare(
        image, [&](Surface& to) { return copy_to_image(buffer, layout, to, box, {2}); },
        [&](Surface& to) { return reference::copy_to_image(buffer, layout, to, box); },
        named(seed, image.info(), image.info()));
    std::vector<std::uint8_t> fast = buffer, slow = buffer;
    EXPECT_EQ(id_of(copy_to_buffer(image, box, fast, layout, {2})),
              id_of(reference::copy_to_buffer(image, box, slow, layout)));
    EXPECT_EQ(fast, slow) << "HEDDLE_TRANSFER_SEED=" << seed;
  }
}

TEST(TransferRandom, Images) {
  Comparison compare;
  const auto formats = formats_where([](const FormatInfo&) { return true; });
  for (unsigned seed = first_seed(), end = seed + seeds(400); seed < end; ++seed) {
    Dice dice(seed);
    const FormatInfo& format = dice.of(formats);
    const bool many = dice.below(4) == 0 && format.compression == Compression::None;
    const std::uint32_t samples = many ? 4 : 1;
    Surface from = random_image(dice, format, !many && dice.below(3) == 0, samples);
    const auto same_size = formats_where([&](const FormatInfo& f) {
      return f.bits_per_element == format.bits_per_element && (!many || f.compression == Compression::None);
    });
    const ImageBox box = random_box(dice, from);
    const auto target = random_target(dice, from, box, dice.of(same_size), samples);
    compare(
        target.first, [&](Surface& copy) { return copy_image(from, box, copy, target.second, {2}); },
        [&](Surface& copy) { return reference::copy_image(from, box, copy, target.second); },
        named(seed, format, target.first.info()));
  }
}

BlitBox random_side(Dice& dice, const Surface& image) {
  const std::uint32_t level = dice.below(image.levels);
  const auto& at = image.layout[level];
  BlitBox side{.level = level};
  const auto corner = [&](std::uint32_t size, std::int32_t& a, std::int32_t& b) {
    a = static_cast<std::int32_t>(dice.below(size + 1)), b = static_cast<std::int32_t>(dice.below(size + 1));
    if (a == b) a = 0, b = static_cast<std::int32_t>(size);
  };
  corner(at.width, side.corners[0].x, side.corners[1].x);
  corner(at.height, side.corners[0].y, side.corners[1].y);
  side.corners[1].z = 1;
  if (image.type == SurfaceType::Dim3) corner(at.slices, side.corners[0].z, side.corners[1].z);
  return side;
}

TEST(TransferRandom, Blits) {
  Comparison compare;
  const auto formats = formats_where([](const FormatInfo&) { return true; });
  for (unsigned seed = first_seed(), end = seed + seeds(1500); seed < end; ++seed) {
    Dice dice(seed);
    const FormatInfo& format = dice.of(formats);
    const auto targets = formats_where(
        [&](const FormatInfo& f) { return heddle::image::encodable(f) && f.value_class == format.value_class; });
    const bool volumes = dice.below(4) == 0;
    Surface from = random_image(dice, format, volumes);
    Surface to = random_image(dice, dice.below(4) == 0 ? format : dice.of(targets), volumes);
    const BlitBox source = random_side(dice, from), destination = random_side(dice, to);
    const auto filter = dice.below(2) == 0 ? heddle::image::Filter::Nearest : heddle::image::Filter::Linear;
    compare(
        to, [&](Surface& copy) { return blit(from, source, copy, destination, filter, {2}); },
        [&](Surface& copy) { return reference::blit(from, source, copy, destination, filter); },
        named(seed, format, to.info()));
  }
}

TEST(TransferRandom, ResolvesAndClears) {
  Comparison compare;
  const auto formats = formats_where([](const FormatInfo& f) { return heddle::image::encodable(f); });
  for (unsigned seed = first_seed(), end = seed + seeds(600); seed < end; ++seed) {
    Dice dice(seed);
    const FormatInfo& format = dice.of(formats);
    Surface from = random_image(dice, format, false, 1u << dice.below(5));
    const ImageBox box = random_box(dice, from);
    const auto target = random_target(dice, from, box, format, 1);
    const auto mode = static_cast<ResolveMode>(dice.below(4));
    compare(
        target.first, [&](Surface& copy) { return resolve(from, box, copy, target.second, mode, {2}); },
        [&](Surface& copy) { return reference::resolve(from, box, copy, target.second, mode); },
        named(seed, format, format));
    Texel value;
    for (std::uint32_t& word : value.bits)
      word = dice.below(2) == 0 ? static_cast<std::uint32_t>(dice.random()) : 0x3f000000u + dice.below(0x1000000);
    compare(
        from, [&](Surface& copy) { return clear(copy, box, value, {2}); },
        [&](Surface& copy) { return reference::clear(copy, box, value); }, named(seed, format, format));
  }
}

// Large enough for several threads and for stores past the caches.
TEST(TransferRandom, LargeImages) {
  std::mt19937 random(7);
  for (const Format format : {Format::R8_UNORM, Format::R8G8B8A8_UNORM, Format::R32G32B32_FLOAT}) {
    Surface from = make(format, {.width = 1201, .height = 900}), to = make(format, {.width = 1401, .height = 803});
    randomize(from, random);
    const BlitBox source{.corners = {Offset{1, 2, 0}, Offset{1200, 893, 1}}},
        destination{.corners = {Offset{1399, 1, 0}, Offset{3, 803, 1}}};
    for (const auto filter : {heddle::image::Filter::Nearest, heddle::image::Filter::Linear}) {
      EXPECT_EQ(outcome(to, [&](Surface& copy) { return blit(from, source, copy, destination, filter, {2}); }),
                outcome(to, [&](Surface& copy) { return reference::blit(from, source, copy, destination, filter); }));
    }
    for (const ImageBox& box : {whole_level(to, 0, 0, 1), ImageBox{.offset = {7, 9, 0}, .extent = {1300, 700, 1}}}) {
      Texel value;
      value.set(0, 0.3f), value.set(1, 0.6f), value.set(2, 0.2f), value.set(3, 1.0f);
      EXPECT_EQ(outcome(to, [&](Surface& copy) { return clear(copy, box, value, {2}); }),
                outcome(to, [&](Surface& copy) { return reference::clear(copy, box, value); }));
    }
    const ImageBox part{.offset = {3, 1, 0}, .extent = {1190, 800, 1}};
    EXPECT_EQ(
        outcome(to, [&](Surface& copy) { return copy_image(from, part, copy, {.offset = {100, 2, 0}}, {2}); }),
        outcome(to, [&](Surface& copy) { return reference::copy_image(from, part, copy, {.offset = {100, 2, 0}}); }));
  }
}

}  // namespace
