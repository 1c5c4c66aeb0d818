// SPDX-License-Identifier: MIT
// heddle/image.hpp: texels of all types of images, files, views; wrong arguments.
#include "heddle/image.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "library/ids.hpp"
#include "support/process.hpp"

namespace heddle {
namespace {

using test::id_of;

TEST(LibraryImage, SizesAreThoseOfTheOptions) {
  const auto image = Image::create(
      {.type = ImageType::Dim3, .format = "r16g16_sfloat", .width = 8, .height = 4, .depth = 2, .levels = 3});
  ASSERT_TRUE(image.ok()) << to_text(image.diagnostics());
  EXPECT_EQ(image->format(), "R16G16_FLOAT");
  EXPECT_EQ(image->type(), ImageType::Dim3);
  EXPECT_EQ(image->width(1), 4u);
  EXPECT_EQ(image->height(2), 1u);
  EXPECT_EQ(image->depth(1), 1u);
  EXPECT_EQ(image->width(3), 0u);
  EXPECT_EQ(image->levels(), 3u);
  EXPECT_FALSE(image->is_array());
  const auto cubes = Image::create({.type = ImageType::Cube, .width = 4, .height = 4, .layers = 2});
  ASSERT_TRUE(cubes.ok()) << to_text(cubes.diagnostics());
  EXPECT_EQ(cubes->layers(), 2u);
  EXPECT_TRUE(cubes->is_array());
  EXPECT_EQ(cubes->packed().size(), 2u * 6 * 4 * 4 * 4);
  EXPECT_EQ(to_string(ImageType::Cube), "cube");
}

TEST(LibraryImage, TexelsAreEncodedAndDecoded) {
  auto image = Image::create({.width = 4, .height = 4, .layers = 2, .levels = 2});
  ASSERT_TRUE(image.ok());
  EXPECT_TRUE(image->set_texel({.x = 1, .y = 1, .slice = 1, .level = 1}, {1, 0.5f, 0, 1}));
  const Color color = image->texel({.x = 1, .y = 1, .slice = 1, .level = 1});
  EXPECT_EQ(color.number_class, NumberClass::Float);
  EXPECT_EQ(color[0], 1.0f);
  EXPECT_EQ(color[1], 128.0f / 255);
  EXPECT_FALSE(image->set_texel({.x = 2, .y = 0, .slice = 0, .level = 1}, {1, 1, 1, 1}));
  EXPECT_FALSE(image->set_texel({.x = 0, .y = 0, .slice = 2}, {1, 1, 1, 1}));
  EXPECT_EQ(image->texel({.x = 4}), Color());
}

TEST(LibraryImage, NumbersAreConvertedToTheFormatsClass) {
  auto unsigned_image = Image::create({.format = "R32_UINT", .width = 1, .height = 1});
  auto signed_image = Image::create({.format = "R32_SINT", .width = 1, .height = 1});
  ASSERT_TRUE(unsigned_image.ok() && signed_image.ok());
  EXPECT_TRUE(unsigned_image->set_texel({}, {-1, 0, 0, 0}));
  EXPECT_EQ(unsigned_image->texel({}).words[0], 0u);
  EXPECT_TRUE(unsigned_image->set_texel({}, {5e9f, 0, 0, 0}));
  EXPECT_EQ(unsigned_image->texel({}).words[0], UINT32_MAX);
  EXPECT_TRUE(signed_image->set_texel({}, {-7.9f, 0, 0, 0}));
  EXPECT_EQ(signed_image->texel({})[0], -7.0f);
  EXPECT_TRUE(signed_image->set_texel({}, {-5e9f, 0, 0, 0}));
  EXPECT_EQ(static_cast<std::int32_t>(signed_image->texel({}).words[0]), INT32_MIN);
}

TEST(LibraryImage, BuffersHaveElements) {
  auto buffer = Image::create({.type = ImageType::Buffer, .format = "R32_FLOAT", .width = 5});
  ASSERT_TRUE(buffer.ok()) << to_text(buffer.diagnostics());
  EXPECT_EQ(buffer->width(), 5u);
  EXPECT_TRUE(buffer->set_texel({.x = 4}, {2.5f, 0, 0, 0}));
  EXPECT_EQ(buffer->texel({.x = 4})[0], 2.5f);
  EXPECT_FALSE(buffer->set_texel({.x = 5}, {1, 0, 0, 0}));
  EXPECT_EQ(buffer->packed().size(), 20u);
}

TEST(LibraryImage, AHandleNamesTheSameTexelsACopyDoesNot) {
  auto image = Image::create({.width = 2, .height = 1});
  ASSERT_TRUE(image.ok());
  Image same = *image;
  const Image other = image->copy();
  same.set_texel({}, {1, 0, 0, 0});
  EXPECT_EQ(image->texel({})[0], 1.0f);
  EXPECT_EQ(other.texel({})[0], 0.0f);
}

TEST(LibraryImage, PackedBytesAreReplacedAsAWhole) {
  auto image = Image::create({.format = "R8_UINT", .width = 2, .height = 2});
  ASSERT_TRUE(image.ok());
  const std::vector<std::uint8_t> bytes{1, 2, 3, 4};
  ASSERT_TRUE(image->set_packed(bytes).ok());
  EXPECT_EQ(image->packed(), bytes);
  EXPECT_EQ(image->texel({.x = 1, .y = 1}).words[0], 4u);
  EXPECT_EQ(id_of(image->set_packed(std::span(bytes).first(3))), "usage-argument");
}

TEST(LibraryImage, MipsAndSwizzles) {
  auto image = Image::create({.format = "R32G32_FLOAT", .width = 2, .height = 2});
  ASSERT_TRUE(image.ok());
  for (std::uint32_t i = 0; i < 4; ++i) image->set_texel({.x = i % 2, .y = i / 2}, {static_cast<float>(i), 8, 0, 0});
  const auto mips = image->with_mips();
  ASSERT_TRUE(mips.ok());
  EXPECT_EQ(mips->levels(), 2u);
  EXPECT_EQ(mips->texel({.level = 1})[0], 1.5f);
  const auto integers = Image::create({.format = "R32_UINT", .width = 2, .height = 2});
  EXPECT_EQ(id_of(integers->with_mips()), "surface-mips");
  const auto swizzled = image->with_swizzle("GR01");
  ASSERT_TRUE(swizzled.ok());
  image->set_texel({}, {3, 4, 0, 0});  // the same texels
  EXPECT_EQ(swizzled->packed(), image->packed());
  for (const char* word : {"RGB", "RGBX", ""}) EXPECT_EQ(id_of(image->with_swizzle(word)), "usage-argument") << word;
}

TEST(LibraryImage, FilesAreWrittenAndRead) {
  const test::TemporaryFolder folder;
  auto image = Image::create({.width = 3, .height = 2});
  ASSERT_TRUE(image.ok());
  image->set_texel({.x = 2, .y = 1}, {1, 0, 1, 1});
  for (const std::string name : {"a.png", "a.ktx2"}) {
    const std::string path = (folder / name).string();
    ASSERT_TRUE(image->save(path).ok());
    const auto again = Image::load(path);
    ASSERT_TRUE(again.ok()) << to_text(again.diagnostics());
    EXPECT_EQ(again->packed(), image->packed());
    const auto bytes = test::read_bytes(path);
    const auto decoded = Image::decode(bytes, name, {.srgb = name == "a.png", .mips = true});
    ASSERT_TRUE(decoded.ok()) << to_text(decoded.diagnostics());
    EXPECT_EQ(decoded->levels(), 2u);
    EXPECT_EQ(decoded->format(), name == "a.png" ? "R8G8B8A8_UNORM_SRGB" : "R8G8B8A8_UNORM");
    EXPECT_FALSE(Image::decode(std::span(bytes).first(20), name).ok());
  }
  EXPECT_EQ(image_file_kind("a/B.PnG"), ImageFile::Png);
  EXPECT_EQ(image_file_kind("picture"), std::nullopt);
}

TEST(LibraryImage, NotesOfSavingSayWhatWasClamped) {
  const test::TemporaryFolder folder;
  auto image = Image::create({.format = "R32G32B32A32_FLOAT", .width = 1, .height = 1});
  ASSERT_TRUE(image.ok());
  image->set_texel({}, {7, 0, 0, 1});
  Diagnostics notes;
  ASSERT_TRUE(image->save((folder / "a.png").string(), {.notes = &notes}).ok());
  EXPECT_FALSE(notes.empty());
  EXPECT_FALSE(has_errors(notes));
}

TEST(LibraryImage, WrongArgumentsOfCreate) {
  const auto format = Image::create({.format = "R8G8B8A8_UNROM", .width = 4, .height = 4});
  ASSERT_EQ(id_of(format), "usage-argument");
  EXPECT_THAT(to_text(format.diagnostics()), testing::HasSubstr("R8G8B8A8_UNORM"));
  EXPECT_NE(id_of(Image::create({.width = 0})), "ok");
  EXPECT_NE(id_of(Image::create({.width = 4, .height = 4, .levels = 9})), "ok");
  EXPECT_NE(id_of(Image::create({.width = 4, .height = 4, .samples = 3})), "ok");
  EXPECT_EQ(id_of(Image::create({.type = ImageType::Cube, .width = 1, .height = 1, .layers = UINT32_MAX})),
            "usage-argument");
  Limits small;
  small.surface_bytes = 100;
  const auto large = Image::create({.width = 64, .height = 64}, small);
  EXPECT_EQ(id_of(large), "limit-surface");
  EXPECT_TRUE(reached_limit(large.diagnostics()));
}

TEST(LibraryImage, WrongFiles) {
  EXPECT_EQ(id_of(Image::load("/nowhere/a.png")), "file-open");
  EXPECT_EQ(id_of(Image::decode(std::vector<std::uint8_t>{1, 2, 3}, "a.bin")), "image-kind");
  const auto image = Image::create({.width = 1, .height = 1});
  EXPECT_EQ(id_of(image->save("/nowhere/a.png")), "file-write");
  EXPECT_EQ(id_of(image->save("a.xyz")), "image-kind");
  const test::TemporaryFolder folder;
  EXPECT_EQ(id_of(image->save((folder / "a.png").string(), {.slice = 1})), "image-slice");
}

TEST(LibraryImage, EmptyImagesAreRefused) {
  Image none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.width() + none.height() + none.depth() + none.layers() + none.levels() + none.samples(), 0u);
  EXPECT_EQ(none.format(), "");
  EXPECT_TRUE(none.packed().empty());
  EXPECT_TRUE(none.copy().empty());
  EXPECT_FALSE(none.set_texel({}, {1, 1, 1, 1}));
  EXPECT_EQ(none.texel({}), Color());
  EXPECT_EQ(id_of(none.with_mips()), "usage-argument");
  EXPECT_EQ(id_of(none.with_swizzle("RGBA")), "usage-argument");
  EXPECT_EQ(id_of(none.save("a.png")), "usage-argument");
  EXPECT_EQ(id_of(none.set_packed({})), "usage-argument");
}

TEST(LibraryImage, WrapsBytesOfTheCaller) {
  auto bytes = std::make_shared<std::vector<std::uint8_t>>(4 * 2 * 4);
  const std::weak_ptr<std::vector<std::uint8_t>> watched = bytes;
  (*bytes)[4] = 255;
  {
    auto image = Image::wrap({.width = 4, .height = 2}, *bytes, bytes);
    ASSERT_TRUE(image.ok()) << to_text(image.diagnostics());
    EXPECT_EQ(image->texel({.x = 1})[0], 1.0f);
    image->set_texel({.x = 3, .y = 1}, {0, 0, 0, 1});
    EXPECT_EQ((*bytes)[31], 255);
    std::uint8_t* first = bytes->data();
    bytes.reset();
    EXPECT_FALSE(watched.expired());
    const auto memory = image->level_memory();
    ASSERT_TRUE(memory);
    EXPECT_EQ(memory->first, first);
    EXPECT_EQ(memory->row_pitch, 16u);
    EXPECT_EQ(memory->columns * memory->rows * memory->slices, 8u);
  }
  EXPECT_TRUE(watched.expired());
  std::vector<std::uint8_t> few(31);
  EXPECT_EQ(id_of(Image::wrap({.width = 4, .height = 2}, few, nullptr)), "usage-argument");
}

TEST(LibraryImage, ViewsNameTheSameTexels) {
  auto image = Image::create({.format = "R8_UINT", .width = 4, .height = 4, .layers = 3, .levels = 2});
  ASSERT_TRUE(image.ok());
  std::vector<std::uint8_t> texels(3 * (16 + 4));
  for (std::size_t k = 0; k < texels.size(); ++k) texels[k] = static_cast<std::uint8_t>(k);
  ASSERT_TRUE(image->set_packed(texels).ok());
  auto part = image->view({.first_level = 1, .first_layer = 1, .layers = 2});
  ASSERT_TRUE(part.ok()) << to_text(part.diagnostics());
  EXPECT_EQ(part->width(), 2u);
  EXPECT_EQ(part->layers(), 2u);
  EXPECT_EQ(part->levels(), 1u);
  EXPECT_EQ(part->packed(), (std::vector<std::uint8_t>{52, 53, 54, 55, 56, 57, 58, 59}));
  auto middle = image->view({.first_layer = 1, .layers = 1});  // level 1 lies apart
  ASSERT_TRUE(middle.ok());
  EXPECT_EQ(middle->packed().size(), 20u);
  EXPECT_EQ(middle->packed()[16], 52);
  std::vector<std::uint8_t> nines(20, 9);
  ASSERT_TRUE(middle->set_packed(nines).ok());
  EXPECT_EQ(image->texel({.x = 3, .y = 3, .slice = 1}).words[0], 9u);
  EXPECT_EQ(image->texel({.x = 3, .y = 3, .slice = 2}).words[0], 47u);
  const auto signs = image->view({.format = "R8_SINT"});
  ASSERT_TRUE(signs.ok());
  EXPECT_EQ(signs->number_class(), NumberClass::Sint);
  EXPECT_EQ(id_of(image->view({.format = "R16_UINT"})), "usage-argument");
  EXPECT_EQ(id_of(image->view({.format = "R8_UNIT"})), "usage-argument");
  EXPECT_EQ(id_of(image->view({.first_level = 2})), "usage-argument");
  EXPECT_EQ(id_of(image->view({.first_layer = 1, .layers = 3})), "usage-argument");
  EXPECT_EQ(id_of(Image().view({})), "usage-argument");
}

TEST(LibraryImage, LevelsAreDecodedAsTheirTexels) {
  for (const std::string_view name : format_names()) {
    const auto format = describe_format(name);
    ASSERT_TRUE(format);
    auto image = Image::create({.format = std::string(name), .width = 12, .height = 12});
    EXPECT_EQ(image.ok(), format->readable) << name;
    if (!image.ok()) continue;
    std::vector<std::uint8_t> bytes(image->packed().size());
    for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = static_cast<std::uint8_t>(k * 37 + 11);
    ASSERT_TRUE(image->set_packed(bytes).ok()) << name;
    std::vector<std::uint32_t> words(12 * 12 * 4);
    ASSERT_TRUE(image->decode_level(0, words).ok()) << name;
    for (std::uint32_t y = 0; y < 12; ++y)
      for (std::uint32_t x = 0; x < 12; ++x) {
        const auto texel = image->texel({.x = x, .y = y}).words;
        ASSERT_TRUE(std::equal(texel.begin(), texel.end(), words.begin() + (y * 12 + x) * 4)) << name << x << "," << y;
      }
    EXPECT_EQ(id_of(image->decode_level(1, words)), "usage-argument");
    EXPECT_EQ(id_of(image->decode_level(0, std::span(words).first(4))), "usage-argument");
  }
}

TEST(LibraryImage, FormatsInWords) {
  const auto format = describe_format("vk_format_r8g8b8a8_srgb");
  ASSERT_TRUE(format);
  EXPECT_EQ(format->name, "R8G8B8A8_UNORM_SRGB");
  EXPECT_TRUE(format->srgb && format->readable && format->writable && format->sampleable);
  ASSERT_EQ(format->channels.size(), 4u);
  EXPECT_EQ(format->channels[1].start, 8u);
  EXPECT_EQ(format->channels[1].kind, ChannelKind::Unorm);
  EXPECT_EQ(describe_format("BC7_UNORM")->block_width, 4u);
  EXPECT_FALSE(describe_format("R7_UNORM"));
}

}  // namespace
}  // namespace heddle
