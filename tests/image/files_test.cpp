// Image files: round trips, known bytes, what the readers refuse and where they say so.

#include "image/files/files.hpp"

#include <ImfChannelList.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfIO.h>
#include <ImfOutputFile.h>
#include <ImfStringAttribute.h>
#include <ImfTiledOutputFile.h>
#include <gtest/gtest.h>
#include <spng.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "base/half.hpp"
#include "image/files/descriptor.hpp"
#include "support/process.hpp"

namespace heddle::image {
namespace {

using ByteList = std::vector<std::uint8_t>;

Surface make(Format format, std::uint32_t width, std::uint32_t height, unsigned seed = 1) {
  Surface surface;
  surface.name = "made";
  surface.format = format;
  surface.width = width;
  surface.height = height;
  EXPECT_TRUE(allocate(surface).ok());
  std::mt19937 random(seed);
  for (auto& byte : *surface.memory) byte = static_cast<std::uint8_t>(random());
  return surface;
}

Surface filled(Surface surface, unsigned seed) {
  surface.name = "made";
  const auto done = allocate(surface);
  EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.diagnostics()[0].message);
  std::mt19937 random(seed);
  for (auto& byte : *surface.memory) byte = static_cast<std::uint8_t>(random());
  return surface;
}

Surface decoded(const ByteList& bytes, const LoadOptions& options = {}) {
  auto result = decode_image(bytes, "file", options);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.diagnostics()[0].message);
  return result.ok() ? std::move(result).value() : Surface{};
}

/// The only diagnostic of a refused file.
base::Diagnostic refused(const ByteList& bytes, const base::Limits& limits = {}) {
  const auto result = decode_image(bytes, "file", {}, limits);
  EXPECT_FALSE(result.ok());
  return result.ok() || result.diagnostics().empty() ? base::Diagnostic{} : result.diagnostics()[0];
}

void set_texel(Surface& surface, std::uint32_t x, std::uint32_t y, std::array<float, 4> rgba) {
  Texel texel;
  for (int i = 0; i < 4; ++i) texel.set(i, rgba[static_cast<std::size_t>(i)]);
  EXPECT_TRUE(store(surface, 0, 0, x, y, texel));
}

TEST(Files, KindsByNameAndBytes) {
  EXPECT_EQ(kind_of_path("a/b.PNG"), FileKind::Png);
  EXPECT_EQ(kind_of_path("x.ktx2"), FileKind::Ktx2);
  EXPECT_EQ(kind_of_path("png"), std::nullopt);
  EXPECT_EQ(kind_of_path("x.bin"), std::nullopt);
  EXPECT_EQ(kind_of_bytes(ByteList{'D', 'D', 'S', ' '}), FileKind::Dds);
  EXPECT_EQ(kind_of_bytes(ByteList{}), std::nullopt);
  EXPECT_EQ(refused({1, 2, 3}).id, "image-kind");
  EXPECT_EQ(refused({}).id, "image-kind");
}

TEST(Ktx2, EveryVulkanFormatComesBack) {
  unsigned formats = 0;
  for (const FormatInfo& format : all_formats()) {
    const bool scaled = format.channels[0].type == ChannelType::Uscaled || format.channels[0].type == ChannelType::Sscaled;
    const bool written = vulkan_format(format.format) && format.compression != Compression::Planar420 && !scaled;
    if (!decodable(format)) continue;
    const Surface surface = make(format.format, 14, 9);
    const auto bytes = encode_image(surface, FileKind::Ktx2);
    const bool luminance = format.format == Format::L8_UNORM_SRGB || format.format == Format::L8A8_UNORM_SRGB;
    ASSERT_EQ(bytes.ok(), written || luminance) << format.name;
    if (!bytes.ok()) continue;
    ++formats;
    const Surface back = decoded(*bytes);
    EXPECT_EQ(back.format, format.format) << format.name;
    EXPECT_EQ(*back.memory, *surface.memory) << format.name;
  }
  EXPECT_EQ(formats, 146u);
}

TEST(Ktx2, EveryShapeComesBack) {
  for (const bool zstd : {false, true}) {
    std::vector<Surface> shapes;
    const auto add = [&](auto change) {
      Surface surface;
      surface.format = shapes.size() % 2 == 0 ? Format::R8G8B8_UNORM : Format::BC7_UNORM;
      surface.width = 19;
      surface.height = 12;
      change(surface);
      surface.mip_count = surface.levels - 1;
      surface.rt_extent = surface.layers - 1;
      shapes.push_back(filled(std::move(surface), static_cast<unsigned>(shapes.size())));
    };
    for (int i = 0; i < 2; ++i) {
      add([](Surface& s) { s.levels = 5; });
      add([](Surface& s) { s.array = true, s.layers = s.view_layers = 3, s.levels = 2; });
      add([](Surface& s) { s.array = true, s.layers = s.view_layers = 1; });
      add([](Surface& s) { s.type = SurfaceType::Dim3, s.depth = 5, s.levels = 3; });
      add([](Surface& s) { s.type = SurfaceType::Cube, s.width = 12, s.layers = 6, s.levels = 4; });
      add([](Surface& s) { s.type = SurfaceType::Cube, s.width = 12, s.array = true, s.layers = 12, s.view_layers = 2; });
      add([](Surface& s) { s.type = SurfaceType::Dim1, s.height = 1, s.levels = 3; });
      add([](Surface& s) { s.type = SurfaceType::Dim1, s.height = 1, s.array = true, s.layers = s.view_layers = 4; });
      shapes.push_back(make(Format::R8_UNORM, 3, 3));
    }
    for (const Surface& surface : shapes) {
      const auto bytes = encode_image(surface, FileKind::Ktx2, {.zstd = zstd});
      ASSERT_TRUE(bytes.ok());
      const Surface back = decoded(*bytes);
      EXPECT_EQ(back.type, surface.type);
      EXPECT_EQ(back.width, surface.width);
      EXPECT_EQ(back.height, surface.height);
      EXPECT_EQ(back.depth, surface.depth);
      EXPECT_EQ(back.levels, surface.levels);
      EXPECT_EQ(back.layers, surface.layers);
      EXPECT_EQ(back.view_layers, surface.view_layers);
      EXPECT_EQ(back.array, surface.array);
      EXPECT_EQ(back.mip_count, surface.mip_count);
      EXPECT_EQ(back.rt_extent, surface.rt_extent);
      EXPECT_EQ(*back.memory, *surface.memory);
    }
  }
}

TEST(Ktx2, FileHasTheSpecifiedBytes) {
  const auto bytes = encode_image(make(Format::R8G8B8A8_UNORM_SRGB, 2, 2), FileKind::Ktx2);
  ASSERT_TRUE(bytes.ok());
  base::ByteCursor cursor(*bytes, 12);
  const std::uint32_t header[] = {43, 1, 2, 2, 0, 0, 1, 1, 0, 104, 92, 196, 24, 0, 0, 0, 0};
  for (const std::uint32_t word : header) EXPECT_EQ(cursor.u32(), word);
  EXPECT_EQ(cursor.u64(), 220u);  // level 0: aligned to 4
  EXPECT_EQ(cursor.u64(), 16u);
  EXPECT_EQ(cursor.u64(), 16u);
  const std::uint32_t descriptor[] = {92, 0, 0x00580002, 0x00020101, 0, 4, 0, 0x00070000, 0, 0, 255, 0x01070008, 0, 0, 255, 0x02070010, 0, 0, 255, 0x1f070018, 0, 0, 255};
  for (const std::uint32_t word : descriptor) EXPECT_EQ(cursor.u32(), word);
  EXPECT_EQ(cursor.u32(), 17u);
  EXPECT_EQ(base::as_text(cursor.take(17)), std::string_view("KTXwriter\0heddle", 17));
  EXPECT_EQ(bytes->size(), 236u);
}

TEST(Ktx2, Descriptors) {
  const auto words = [](Format format) {
    const ByteList bytes = data_format_descriptor(*format_info(format));
    std::vector<std::uint32_t> result;
    base::ByteCursor cursor(bytes);
    while (!cursor.at_end()) result.push_back(cursor.u32());
    return result;
  };
  EXPECT_EQ(words(Format::R16_FLOAT), (std::vector<std::uint32_t>{44, 0, 0x00280002, 0x00010101, 0, 2, 0, 0xc00f0000, 0, 0xbf800000, 0x3f800000}));
  EXPECT_EQ(words(Format::R8_SNORM), (std::vector<std::uint32_t>{44, 0, 0x00280002, 0x00010101, 0, 1, 0, 0x40070000, 0, 0xffffff81, 0x7f}));
  EXPECT_EQ(words(Format::R8_SINT), (std::vector<std::uint32_t>{44, 0, 0x00280002, 0x00010101, 0, 1, 0, 0x40070000, 0, 0xffffffff, 1}));
  EXPECT_EQ(words(Format::BC3_UNORM_SRGB),
            (std::vector<std::uint32_t>{60, 0, 0x00380002, 0x00020182, 0x0303, 16, 0, 0x1f3f0000, 0, 0, 0xffffffff, 0x003f0040, 0, 0, 0xffffffff}));
  EXPECT_EQ(words(Format::ASTC_LDR_2D_8X5_U8SRGB), (std::vector<std::uint32_t>{44, 0, 0x00280002, 0x000201a2, 0x0407, 16, 0, 0x007f0000, 0, 0, 0xffffffff}));
  EXPECT_EQ(words(Format::B5G6R5_UNORM),
            (std::vector<std::uint32_t>{76, 0, 0x00480002, 0x00010101, 0, 2, 0, 0x02040000, 0, 0, 31, 0x01050005, 0, 0, 63, 0x0004000b, 0, 0, 31}));
  EXPECT_EQ(words(Format::R32_FLOAT_X8X24_TYPELESS),
            (std::vector<std::uint32_t>{60, 0, 0x00380002, 0x00010101, 0, 8, 0, 0xce1f0000, 0, 0xbf800000, 0x3f800000, 0x0d070020, 0, 0, 1}));
  EXPECT_EQ(type_size(*format_info(Format::R10G10B10A2_UNORM)), 4u);
  EXPECT_EQ(type_size(*format_info(Format::R16G16B16_UNORM)), 2u);
  EXPECT_EQ(type_size(*format_info(Format::A4B4G4R4_UNORM)), 2u);
  EXPECT_EQ(type_size(*format_info(Format::BC1_UNORM)), 1u);
}

TEST(Ktx2, VulkanOnlySrgbFormatsGetChannelSelects) {
  auto bytes = encode_image(make(Format::L8A8_UNORM_SRGB, 2, 1), FileKind::Ktx2);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ((*bytes)[12], 22);
  const Surface back = decoded(*bytes);
  EXPECT_EQ(back.format, Format::L8A8_UNORM_SRGB);
  EXPECT_EQ(back.swizzle, (std::array{ChannelSelect::Red, ChannelSelect::Alpha, ChannelSelect::Zero, ChannelSelect::One}));
}

TEST(Ktx2, RefusalsNameTheField) {
  const auto good = encode_image(make(Format::R8G8B8A8_UNORM, 4, 4), FileKind::Ktx2);
  ASSERT_TRUE(good.ok());
  const auto with = [&](std::size_t at, std::uint64_t value, unsigned size = 4) {
    ByteList bytes = *good;
    for (unsigned i = 0; i < size; ++i) bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
    return refused(bytes);
  };
  const auto check = [](const base::Diagnostic& diagnostic, const char* id, std::uint64_t offset) {
    EXPECT_EQ(diagnostic.id, id) << diagnostic.message;
    EXPECT_EQ(diagnostic.place.offset, offset) << diagnostic.message;
    EXPECT_EQ(diagnostic.place.file, "file");
  };
  check(with(12, 0), "ktx2-format", 12);            // VK_FORMAT_UNDEFINED
  check(with(12, 1000156003), "ktx2-format", 12);   // two planes
  check(with(20, 0), "ktx2-header", 20);
  check(with(20, 0x7fffffff), "surface-size", 20);
  check(with(28, 3, 4), "ktx2-level", 80);          // 3D now: three times the bytes
  check(with(32, 0xffffffff), "ktx2-header", 32);
  check(with(36, 5), "ktx2-header", 36);
  check(with(40, 4), "ktx2-header", 40);            // a fourth level of 4x4
  check(with(44, 1), "ktx2-format", 44);            // BasisLZ
  check(with(44, 2), "ktx2-level", 220);            // not Zstandard data
  check(with(48, 0xfffffff0), "ktx2-header", 48);
  check(with(104, 0), "ktx2-header", 104);
  check(with(56, 0xfffffff0), "ktx2-header", 56);
  check(with(80, 0xffffffffffffff00, 8), "ktx2-level", 80);
  check(with(88, 63, 8), "ktx2-level", 80);
  base::Limits limits;
  limits.surface_bytes = 63;
  const auto limited = refused(*good, limits);
  EXPECT_EQ(limited.id, "limit-surface");
  EXPECT_TRUE(limited.is_limit);
}

ByteList make_png(int colour_type, int depth, std::uint32_t width, std::uint32_t height, const ByteList& raw, bool transparent = false) {
  spng_ctx* context = spng_ctx_new(SPNG_CTX_ENCODER);
  spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1);
  spng_ihdr header{};
  header.width = width;
  header.height = height;
  header.bit_depth = static_cast<std::uint8_t>(depth);
  header.color_type = static_cast<std::uint8_t>(colour_type);
  EXPECT_EQ(spng_set_ihdr(context, &header), 0);
  if (colour_type == SPNG_COLOR_TYPE_INDEXED) {
    spng_plte palette{};
    palette.n_entries = 4;
    for (unsigned i = 0; i < 4; ++i) palette.entries[i] = {static_cast<std::uint8_t>(10 * i), static_cast<std::uint8_t>(20 * i), static_cast<std::uint8_t>(30 * i), 255};
    spng_set_plte(context, &palette);
  }
  if (transparent) {
    spng_trns chunk{};
    if (colour_type == SPNG_COLOR_TYPE_INDEXED) {
      chunk.n_type3_entries = 2;
      chunk.type3_alpha[0] = 7;
      chunk.type3_alpha[1] = 99;
    }
    chunk.gray = 1;
    spng_set_trns(context, &chunk);
  }
  EXPECT_EQ(spng_encode_image(context, raw.data(), raw.size(), SPNG_FMT_RAW, SPNG_ENCODE_FINALIZE), 0);
  std::size_t size = 0;
  int code = 0;
  void* buffer = spng_get_png_buffer(context, &size, &code);
  const auto* first = static_cast<const std::uint8_t*>(buffer);
  ByteList bytes(first, first + size);
  std::free(buffer);
  spng_ctx_free(context);
  return bytes;
}

TEST(Png, EveryColourTypeAndDepthExpands) {
  using Row = std::vector<int>;
  const auto texels = [](const ByteList& bytes) {
    const Surface surface = decoded(bytes);
    EXPECT_EQ(surface.format, Format::R8G8B8A8_UNORM);
    return Row(surface.memory->begin(), surface.memory->end());
  };
  EXPECT_EQ(texels(make_png(0, 1, 3, 1, {0b10100000})), (Row{255, 255, 255, 255, 0, 0, 0, 255, 255, 255, 255, 255}));
  EXPECT_EQ(texels(make_png(0, 2, 3, 1, {0b00011100})), (Row{0, 0, 0, 255, 85, 85, 85, 255, 255, 255, 255, 255}));
  EXPECT_EQ(texels(make_png(0, 4, 2, 1, {0x1f})), (Row{17, 17, 17, 255, 255, 255, 255, 255}));
  EXPECT_EQ(texels(make_png(0, 8, 2, 1, {1, 200}, true)), (Row{1, 1, 1, 0, 200, 200, 200, 255}));
  EXPECT_EQ(texels(make_png(4, 8, 1, 1, {50, 60})), (Row{50, 50, 50, 60}));
  EXPECT_EQ(texels(make_png(2, 8, 1, 1, {1, 2, 3})), (Row{1, 2, 3, 255}));
  EXPECT_EQ(texels(make_png(6, 8, 1, 1, {1, 2, 3, 4})), (Row{1, 2, 3, 4}));
  EXPECT_EQ(texels(make_png(3, 2, 4, 1, {0b11100100})), (Row{30, 60, 90, 255, 20, 40, 60, 255, 10, 20, 30, 255, 0, 0, 0, 255}));
  EXPECT_EQ(texels(make_png(3, 8, 2, 1, {1, 2}, true)), (Row{10, 20, 30, 99, 20, 40, 60, 255}));
  const Surface wide = decoded(make_png(6, 16, 1, 1, {0x12, 0x34, 0, 1, 0xff, 0xff, 0x80, 0}));
  EXPECT_EQ(wide.format, Format::R16G16B16A16_UNORM);
  EXPECT_EQ(*wide.memory, (ByteList{0x34, 0x12, 1, 0, 0xff, 0xff, 0, 0x80}));
  const Surface grey16 = decoded(make_png(0, 16, 1, 1, {0x12, 0x34}));
  EXPECT_EQ(*grey16.memory, (ByteList{0x34, 0x12, 0x34, 0x12, 0x34, 0x12, 0xff, 0xff}));
}

TEST(Png, SrgbIsAnOption) {
  const ByteList bytes = make_png(2, 8, 1, 1, {1, 2, 3});
  EXPECT_EQ(decoded(bytes, {.srgb = true}).format, Format::R8G8B8A8_UNORM_SRGB);
  EXPECT_EQ(decoded(bytes, {.srgb = true}).memory->at(2), 3);
  EXPECT_EQ(decoded(make_png(0, 16, 1, 1, {1, 2}), {.srgb = true}).format, Format::R16G16B16A16_UNORM);
}

TEST(Png, InterlacedFile) {
  const Surface surface = decoded(test::read_bytes(std::string(HEDDLE_TEST_DIR) + "/image/data/interlaced.png"));
  ASSERT_EQ(surface.width, 11u);
  ASSERT_EQ(surface.height, 7u);
  for (std::uint32_t y = 0; y < 7; ++y)
    for (std::uint32_t x = 0; x < 11; ++x) EXPECT_EQ(surface.memory->at((y * 11 + x) * 4), (x * 20 + y * 3) & 255);
}

TEST(Png, StoredCodesComeBack) {
  for (const Format format : {Format::R8G8B8A8_UNORM, Format::R8G8B8A8_UNORM_SRGB, Format::R16G16B16A16_UNORM}) {
    const Surface surface = make(format, 37, 11);
    base::Diagnostics notes;
    const auto bytes = encode_image(surface, FileKind::Png, {}, &notes);
    ASSERT_TRUE(bytes.ok());
    EXPECT_TRUE(notes.empty());
    const Surface back = decoded(*bytes, {.srgb = format == Format::R8G8B8A8_UNORM_SRGB});
    EXPECT_EQ(back.format, format);
    EXPECT_EQ(*back.memory, *surface.memory);
  }
}

TEST(Png, OtherFormatsAreConvertedAndClamped) {
  const auto save = [](const Surface& surface, unsigned expected_notes) {
    base::Diagnostics notes;
    const auto bytes = encode_image(surface, FileKind::Png, {}, &notes);
    EXPECT_TRUE(bytes.ok());
    EXPECT_EQ(notes.all().size(), expected_notes) << surface.info().name;
    EXPECT_FALSE(notes.has_errors());
    return bytes.ok() ? decoded(*bytes) : Surface{};
  };
  Surface floats = make(Format::R32G32B32A32_FLOAT, 2, 1);
  set_texel(floats, 0, 0, {0.5f, 2.0f, -1.0f, 1.0f});
  set_texel(floats, 1, 0, {0.25f, NAN, 0.0f, 0.75f});
  EXPECT_EQ(*save(floats, 1).memory, (ByteList{128, 255, 0, 255, 64, 0, 0, 191}));
  Surface red = make(Format::R8_UNORM, 2, 1);
  *red.memory = {3, 250};
  EXPECT_EQ(*save(red, 0).memory, (ByteList{3, 3, 3, 255, 250, 250, 250, 255}));
  Surface two = make(Format::R8G8_UNORM, 1, 1);
  *two.memory = {3, 250};
  EXPECT_EQ(*save(two, 0).memory, (ByteList{3, 250, 0, 255}));
  Surface integers = make(Format::R8G8B8A8_SINT, 1, 1);
  *integers.memory = {5, 0x80, 127, 1};
  EXPECT_EQ(*save(integers, 1).memory, (ByteList{5, 0, 127, 1}));
  Surface words = make(Format::R32_UINT, 1, 1);
  *words.memory = {1, 2, 3, 0};
  EXPECT_EQ(save(words, 1).memory->at(1), 0xff);
  Surface ten = make(Format::R10G10B10A2_UNORM, 1, 1);
  *ten.memory = {0xff, 0x03, 0x00, 0xc0};
  const Surface wide = save(ten, 0);
  EXPECT_EQ(wide.format, Format::R16G16B16A16_UNORM);
  EXPECT_EQ(*wide.memory, (ByteList{0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff}));
  Surface mips;
  mips.width = mips.height = 4;
  mips.levels = 2;
  mips = filled(std::move(mips), 1);
  EXPECT_EQ(save(mips, 1).width, 4u);
  const auto second = encode_image(mips, FileKind::Png, {.level = 1});
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(decoded(*second).width, 2u);
  EXPECT_EQ(encode_image(mips, FileKind::Png, {.level = 2}).diagnostics().at(0).id, "image-slice");
}

TEST(Files, EveryDecodableFormatIsWrittenToEachKind) {
  for (const FormatInfo& format : all_formats()) {
    if (!decodable(format)) continue;
    const Surface surface = make(format.format, 12, 10);
    for (const FileKind kind : {FileKind::Png, FileKind::Exr, FileKind::Pfm}) {
      const auto bytes = encode_image(surface, kind);
      ASSERT_TRUE(bytes.ok()) << format.name;
      const Surface back = decoded(*bytes);
      EXPECT_EQ(back.width, 12u) << format.name;
      EXPECT_EQ(back.height, 10u) << format.name;
    }
  }
}

ByteList dds(std::uint32_t width, std::uint32_t height, std::uint32_t depth, std::uint32_t mips, std::uint32_t pixel_flags, std::uint32_t code,
             std::array<std::uint32_t, 5> masks, std::uint32_t caps2, std::vector<std::uint32_t> dx10, std::size_t data) {
  base::ByteWriter writer;
  writer.bytes(std::string_view("DDS "));
  for (const std::uint32_t word : {124u, 0x1007u, height, width, 0u, depth, mips}) writer.u32(word);
  for (int i = 0; i < 11; ++i) writer.u32(0);
  writer.u32(32);
  writer.u32(pixel_flags);
  writer.u32(code);
  for (const std::uint32_t mask : masks) writer.u32(mask);
  writer.u32(0x1000);
  writer.u32(caps2);
  for (int i = 0; i < 3; ++i) writer.u32(0);
  for (const std::uint32_t word : dx10) writer.u32(word);
  for (std::size_t i = 0; i < data; ++i) writer.u8(i * 7 + 1);
  return writer.take();
}
constexpr std::uint32_t kDx10 = 0x30315844;

TEST(Dds, CubeWithMipsIsReordered) {
  // 4x4 BC1 faces with 3 levels of one block each: 6 faces * 3 * 8 bytes.
  const ByteList bytes = dds(4, 4, 0, 3, 4, kDx10, {}, 0, {71, 3, 4, 1, 0}, 6 * 3 * 8);
  const Surface surface = decoded(bytes);
  EXPECT_EQ(surface.type, SurfaceType::Cube);
  EXPECT_EQ(surface.layers, 6u);
  EXPECT_EQ(surface.levels, 3u);
  for (std::uint32_t face = 0; face < 6; ++face)
    for (std::uint32_t level = 0; level < 3; ++level) {
      const auto at = element_offset(surface, level, face, 0, 0);
      ASSERT_TRUE(at.has_value());
      EXPECT_EQ(surface.memory->at(*at), bytes[148 + (face * 3 + level) * 8]);
    }
}

TEST(Dds, ArraysVolumesAndLines) {
  const Surface array = decoded(dds(3, 2, 0, 1, 4, kDx10, {}, 0, {28, 3, 0, 4, 0}, 3 * 2 * 4 * 4));
  EXPECT_TRUE(array.array);
  EXPECT_EQ(array.view_layers, 4u);
  const Surface volume = decoded(dds(4, 4, 4, 3, 4, kDx10, {}, 0, {61, 4, 0, 1, 0}, 64 + 8 + 1));
  EXPECT_EQ(volume.type, SurfaceType::Dim3);
  EXPECT_EQ(volume.depth, 4u);
  EXPECT_EQ(volume.memory->size(), 73u);
  EXPECT_EQ(volume.memory->at(64), static_cast<std::uint8_t>(64 * 7 + 1));
  const Surface line = decoded(dds(5, 1, 0, 1, 4, kDx10, {}, 0, {41, 2, 0, 1, 0}, 20));
  EXPECT_EQ(line.type, SurfaceType::Dim1);
  const Surface legacy_volume = decoded(dds(2, 2, 2, 1, 0x20000, 0, {8, 0xff, 0, 0, 0}, 0x200000, {}, 8));
  EXPECT_EQ(legacy_volume.type, SurfaceType::Dim3);
  EXPECT_EQ(legacy_volume.format, Format::L8_UNORM);
  const Surface legacy_cube = decoded(dds(2, 2, 0, 2, 4, 0x31545844, {}, 0xfe00, {}, 6 * 2 * 8));
  EXPECT_EQ(legacy_cube.type, SurfaceType::Cube);
  EXPECT_EQ(legacy_cube.format, Format::BC1_UNORM);
}

TEST(Dds, LegacyMasks) {
  const auto format = [](std::uint32_t flags, std::array<std::uint32_t, 5> masks) { return decoded(dds(1, 1, 0, 0, flags, 0, masks, 0, {}, 16)).format; };
  EXPECT_EQ(format(0x41, {32, 0xff0000, 0xff00, 0xff, 0xff000000}), Format::B8G8R8A8_UNORM);
  EXPECT_EQ(format(0x40, {32, 0xff0000, 0xff00, 0xff, 0}), Format::B8G8R8X8_UNORM);
  EXPECT_EQ(format(0x41, {16, 0xf00, 0xf0, 0xf, 0xf000}), Format::B4G4R4A4_UNORM);
  EXPECT_EQ(format(0x40, {16, 0xf800, 0x7e0, 0x1f, 0}), Format::B5G6R5_UNORM);
  EXPECT_EQ(format(0x20001, {16, 0xff, 0, 0, 0xff00}), Format::L8A8_UNORM);
  EXPECT_EQ(format(0x2, {8, 0, 0, 0, 0xff}), Format::A8_UNORM);
  EXPECT_EQ(format(0x80000, {16, 0xff, 0xff00, 0, 0}), Format::R8G8_SNORM);
  const Surface bgr = decoded(dds(2, 1, 0, 0, 0x40, 0, {24, 0xff0000, 0xff00, 0xff, 0}, 0, {}, 6));
  EXPECT_EQ(bgr.format, Format::R8G8B8_UNORM);
  EXPECT_EQ(*bgr.memory, (ByteList{15, 8, 1, 36, 29, 22}));
  EXPECT_EQ(refused(dds(1, 1, 0, 0, 0x40, 0, {32, 1, 2, 4, 8}, 0, {}, 16)).id, "dds-format");
}

TEST(Dds, RefusalsNameTheField) {
  EXPECT_EQ(refused(dds(4, 4, 0, 1, 4, kDx10, {}, 0, {28, 3, 0, 1, 0}, 63)).id, "dds-data");
  EXPECT_EQ(refused(dds(4, 4, 0, 1, 4, kDx10, {}, 0, {28, 3, 0, 1, 0}, 63)).place.offset, 148u);
  EXPECT_EQ(refused(dds(4, 4, 0, 1, 4, kDx10, {}, 0, {27, 3, 0, 1, 0}, 64)).place.offset, 128u);
  EXPECT_EQ(refused(dds(4, 4, 0, 9, 4, kDx10, {}, 0, {28, 3, 0, 1, 0}, 64)).place.offset, 28u);
  EXPECT_EQ(refused(dds(0, 4, 0, 1, 4, kDx10, {}, 0, {28, 3, 0, 1, 0}, 64)).id, "dds-header");
  EXPECT_EQ(refused(dds(4, 4, 0, 1, 4, kDx10, {}, 0, {28, 3, 0, 0xffffffff, 0}, 64)).id, "dds-header");
  EXPECT_EQ(refused(dds(4, 4, 0, 1, 4, 0x12345678, {}, 0, {}, 64)).id, "dds-format");
  EXPECT_EQ(refused(dds(4, 4, 0, 1, 4, 0x31545844, {}, 0x600, {}, 64)).id, "dds-format");
  EXPECT_EQ(refused(dds(0xffffffff, 0xffffffff, 0, 1, 4, kDx10, {}, 0, {2, 3, 0, 1, 0}, 64)).id, "surface-size");
}

TEST(Exr, FloatFormatsComeBackBitForBit) {
  for (const Format format : {Format::R32G32B32A32_FLOAT, Format::R32G32_FLOAT, Format::R32_FLOAT, Format::R16G16B16A16_FLOAT, Format::R16G16_FLOAT, Format::R16_FLOAT,
                              Format::R32G32B32A32_UINT, Format::R32_UINT}) {
    Surface surface = make(format, 33, 17);
    if (surface.info().channels[0].bits == 16)  // a NaN loses nothing but its signalling bit
      for (std::size_t i = 1; i < surface.memory->size(); i += 2) (*surface.memory)[i] &= 0xbf;
    const auto bytes = encode_image(surface, FileKind::Exr);
    ASSERT_TRUE(bytes.ok());
    const Surface back = decoded(*bytes);
    EXPECT_EQ(back.format, format);
    EXPECT_EQ(*back.memory, *surface.memory);
  }
}

TEST(Exr, OtherFormatsBecomeTheNearestExactOne) {
  Surface rgb = make(Format::R11G11B10_FLOAT, 3, 2);
  *rgb.memory = ByteList(rgb.memory->size(), 0x31);
  const auto bytes = encode_image(rgb, FileKind::Exr);
  ASSERT_TRUE(bytes.ok());
  const Surface back = decoded(*bytes);
  EXPECT_EQ(back.format, Format::R16G16B16A16_FLOAT);  // a missing alpha is 1
  for (std::uint32_t x = 0; x < 3; ++x) EXPECT_EQ(fetch(back, 0, 0, x, 1).texel, fetch(rgb, 0, 0, x, 1).texel);
  const Surface grey = make(Format::L16A16_UNORM, 2, 2);
  const auto grey_bytes = encode_image(grey, FileKind::Exr);
  ASSERT_TRUE(grey_bytes.ok());
  const Surface grey_back = decoded(*grey_bytes);
  EXPECT_EQ(grey_back.format, Format::R32G32B32A32_FLOAT);
  EXPECT_EQ(fetch(grey_back, 0, 0, 1, 1).texel, fetch(grey, 0, 0, 1, 1).texel);
}

/// A header of our own, to be wrong in chosen ways.
ByteList exr_header(std::array<std::int32_t, 4> window, std::uint32_t version = 2, std::int32_t sampling = 1) {
  base::ByteWriter writer;
  const auto attribute = [&](std::string_view name, std::string_view type, std::uint32_t size) {
    writer.bytes(name);
    writer.u8(0);
    writer.bytes(type);
    writer.u8(0);
    writer.u32(size);
  };
  writer.u32(20000630);
  writer.u32(version);
  attribute("channels", "chlist", 19);
  writer.bytes(std::string_view("R\0", 2));
  writer.u32(2);
  writer.u32(0);
  writer.u32(static_cast<std::uint32_t>(sampling));
  writer.u32(static_cast<std::uint32_t>(sampling));
  writer.u8(0);
  for (const std::string_view name : {"dataWindow", "displayWindow"}) {
    attribute(name, "box2i", 16);
    for (const std::int32_t v : window) writer.u32(static_cast<std::uint32_t>(v));
  }
  attribute("compression", "compression", 1);
  writer.u8(0);
  attribute("lineOrder", "lineOrder", 1);
  writer.u8(0);
  attribute("pixelAspectRatio", "float", 4);
  writer.u32(0x3f800000);
  attribute("screenWindowCenter", "v2f", 8);
  writer.u64(0);
  attribute("screenWindowWidth", "float", 4);
  writer.u32(0x3f800000);
  writer.u8(0);
  return writer.take();
}

TEST(Exr, WindowsNeedNotStartAtZero) {
  ByteList bytes = exr_header({-5, -7, -4, -6});  // 2 x 2 at (-5, -7)
  const std::size_t table = bytes.size();
  base::ByteWriter rest;
  rest.u64(table + 16);
  rest.u64(table + 16 + 16);
  for (std::int32_t y = -7; y <= -6; ++y) {
    rest.u32(static_cast<std::uint32_t>(y));
    rest.u32(8);
    rest.u32(base::bits_of(static_cast<float>(y)));
    rest.u32(base::bits_of(static_cast<float>(y) * 10));
  }
  bytes.insert(bytes.end(), rest.data().begin(), rest.data().end());
  const Surface surface = decoded(bytes);
  EXPECT_EQ(surface.format, Format::R32_FLOAT);
  EXPECT_EQ(fetch(surface, 0, 0, 0, 0).texel.f(0), -7.0f);
  EXPECT_EQ(fetch(surface, 0, 0, 1, 1).texel.f(0), -60.0f);
}

/// A file written by the library: tiled with mips, or scan lines, with attributes that say nothing about texels.
ByteList library_exr(bool tiled, Imf::Compression compression) {
  class Output : public Imf::OStream {
   public:
    Output() : OStream("test") {}
    void write(const char from[], int count) override {
      if (bytes.size() < at + static_cast<std::size_t>(count)) bytes.resize(at + static_cast<std::size_t>(count));
      std::memcpy(bytes.data() + at, from, static_cast<std::size_t>(count));
      at += static_cast<std::size_t>(count);
    }
    std::uint64_t tellp() override { return at; }
    void seekp(std::uint64_t position) override { at = static_cast<std::size_t>(position); }
    ByteList bytes;
    std::size_t at = 0;
  } output;
  Imf::Header header(45, 37);
  header.compression() = compression;
  header.insert("comments", Imf::StringAttribute("nothing about texels"));
  header.insert("zoom", Imf::StringAttribute(""));
  header.channels().insert("Z", Imf::Channel(Imf::FLOAT));
  std::vector<float> values(45 * 37);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  Imf::FrameBuffer frame;
  frame.insert("Z", Imf::Slice(Imf::FLOAT, reinterpret_cast<char*>(values.data()), 4, 4 * 45));
  if (tiled) {
    header.setTileDescription(Imf::TileDescription(16, 8, Imf::MIPMAP_LEVELS));
    Imf::TiledOutputFile file(output, header, 0);
    for (int level = 0; level < file.numLevels(); ++level) {
      file.setFrameBuffer(frame);
      file.writeTiles(0, file.numXTiles(level) - 1, 0, file.numYTiles(level) - 1, level);
    }
  } else {
    Imf::OutputFile file(output, header, 0);
    file.setFrameBuffer(frame);
    file.writePixels(37);
  }
  return output.bytes;
}

TEST(Exr, FilesOfTheLibrary) {
  for (const bool tiled : {false, true})
    for (const Imf::Compression compression : {Imf::NO_COMPRESSION, Imf::RLE_COMPRESSION, Imf::ZIP_COMPRESSION, Imf::PIZ_COMPRESSION}) {
      const Surface surface = decoded(library_exr(tiled, compression));
      ASSERT_EQ(surface.format, Format::R32_FLOAT);
      for (std::uint32_t y = 0; y < 37; ++y)
        for (std::uint32_t x = 0; x < 45; ++x) ASSERT_EQ(fetch(surface, 0, 0, x, y).texel.f(0), static_cast<float>(y * 45 + x));
    }
}

TEST(Exr, RefusesBeforeAllocating) {
  EXPECT_EQ(refused(exr_header({0, 0, 0x7ffffffe, 0x7ffffffe})).id, "exr-header");
  EXPECT_EQ(refused(exr_header({-0x7fffffff, 0, 0x7fffffff, 1})).id, "exr-header");
  EXPECT_EQ(refused(exr_header({5, 5, 4, 4})).id, "exr-header");
  EXPECT_EQ(refused(exr_header({0, 0, 15, 999999})).id, "exr-header");  // more chunks than bytes
  EXPECT_EQ(refused(exr_header({0, 0, 3, 3}, 2 | 0x800)).id, "exr-format");  // deep
  EXPECT_EQ(refused(exr_header({0, 0, 3, 3}, 3)).place.offset, 4u);
  EXPECT_EQ(refused(exr_header({0, 0, 3, 3}, 2, 2)).id, "exr-format");
  EXPECT_EQ(refused(exr_header({0, 0, 3, 3})).id, "exr-data");  // no chunks follow
  base::Limits limits;
  limits.surface_bytes = 10;
  EXPECT_EQ(refused(exr_header({0, 0, 3, 3}), limits).id, "limit-surface");
}

TEST(Pfm, BothOrdersAndBothKinds) {
  base::ByteWriter big;
  big.bytes(std::string_view("Pf\n2 2\n1.0\n"));
  for (const std::uint8_t byte : {0x3f, 0x80, 0, 0, 0x40, 0, 0, 0, 0xbf, 0x80, 0, 0, 0x7f, 0xc0, 0, 1}) big.u8(byte);
  const Surface grey = decoded(big.data());
  EXPECT_EQ(grey.format, Format::R32_FLOAT);
  EXPECT_EQ(fetch(grey, 0, 0, 0, 1).texel.f(0), 1.0f);  // the first row is the lowest
  EXPECT_EQ(fetch(grey, 0, 0, 1, 0).texel.bits[0], 0x7fc00001u);
  const Surface colour = make(Format::R32G32B32A32_FLOAT, 5, 4);
  base::Diagnostics notes;
  const auto bytes = encode_image(colour, FileKind::Pfm, {}, &notes);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(notes.all().size(), 1u);  // alpha is left out
  const Surface back = decoded(*bytes);
  EXPECT_EQ(back.format, Format::R32G32B32A32_FLOAT);
  for (std::uint32_t y = 0; y < 4; ++y)
    for (std::uint32_t x = 0; x < 5; ++x) {
      for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(fetch(back, 0, 0, x, y).texel.bits[c], fetch(colour, 0, 0, x, y).texel.bits[c]);
      EXPECT_EQ(fetch(back, 0, 0, x, y).texel.f(3), 1.0f);
    }
}

TEST(Pfm, Refusals) {
  const auto text = [](std::string_view t) { return ByteList(t.begin(), t.end()); };
  EXPECT_EQ(refused(text("PFx")).id, "pfm-header");
  EXPECT_EQ(refused(text("PF")).id, "pfm-header");
  EXPECT_EQ(refused(text("PF\n0 1\n-1\n")).place.offset, 3u);
  EXPECT_EQ(refused(text("PF\n1 x\n-1\n")).place.offset, 5u);
  EXPECT_EQ(refused(text("PF\n1 99999999999\n-1\n")).id, "pfm-header");
  EXPECT_EQ(refused(text("PF\n1 1\n0\n")).id, "pfm-header");
  EXPECT_EQ(refused(text("PF\n1 1\nnan\n")).id, "pfm-header");
  EXPECT_EQ(refused(text("PF\n1 1\n-1")).id, "pfm-header");
  EXPECT_EQ(refused(text("PF\n1 1\n-1\n12345678901")).id, "pfm-data");
  EXPECT_EQ(refused(text("PF\n4000000000 4000000000\n-1\n12345678901")).id, "pfm-data");
}

TEST(Files, SaveAndLoadByName) {
  const test::TemporaryFolder folder;
  const Surface surface = make(Format::R8G8B8A8_UNORM, 6, 5);
  for (const char* name : {"a.png", "a.ktx2", "a.exr", "a.pfm"}) {
    const std::string path = (folder / name).string();
    ASSERT_TRUE(save_image(path, surface).ok()) << name;
    const auto back = load_image(path);
    ASSERT_TRUE(back.ok()) << name;
    EXPECT_EQ(back->name, path);
    EXPECT_EQ(back->width, 6u);
  }
  EXPECT_EQ(save_image((folder / "a.dds").string(), surface).diagnostics().at(0).id, "image-kind");
  EXPECT_EQ(save_image((folder / "a.txt").string(), surface).diagnostics().at(0).id, "image-kind");
  EXPECT_TRUE(base::is_file_error(save_image((folder / "none/a.png").string(), surface).diagnostics().at(0)));
  EXPECT_TRUE(base::is_file_error(load_image((folder / "none.png").string()).diagnostics().at(0)));
}

TEST(Files, PackedTexelsUndoTiling) {
  Surface linear = make(Format::R8G8B8A8_UNORM, 70, 40);
  Surface tiled;
  tiled.format = linear.format;
  tiled.width = 70;
  tiled.height = 40;
  tiled.tile_mode = TileMode::Y;
  ASSERT_TRUE(allocate(tiled).ok());
  for (std::uint32_t y = 0; y < 40; ++y)
    for (std::uint32_t x = 0; x < 70; ++x) ASSERT_TRUE(store(tiled, 0, 0, x, y, fetch(linear, 0, 0, x, y).texel));
  EXPECT_EQ(packed_texels(tiled), *linear.memory);
  EXPECT_EQ(packed_texels(linear), *linear.memory);
}

/// One good file of each kind; some of them large enough to have several levels, chunks and rows.
std::vector<ByteList> seeds() {
  std::vector<ByteList> files;
  const Surface small = make(Format::R8G8B8A8_UNORM, 9, 7);
  files.push_back(*encode_image(small, FileKind::Png));
  files.push_back(make_png(3, 4, 5, 3, {0x12, 0x30, 0x10, 0x01, 0x23, 0x30, 0x11, 0x11, 0x10}, true));
  files.push_back(test::read_bytes(std::string(HEDDLE_TEST_DIR) + "/image/data/interlaced.png"));
  Surface mips;
  mips.format = Format::ASTC_LDR_2D_4X4_FLT16;
  mips.width = 16;
  mips.height = 8;
  mips.levels = 4;
  mips = filled(std::move(mips), 3);
  files.push_back(*encode_image(mips, FileKind::Ktx2));
  files.push_back(*encode_image(mips, FileKind::Ktx2, {.zstd = true}));
  files.push_back(dds(4, 4, 0, 3, 4, kDx10, {}, 0, {71, 3, 4, 1, 0}, 6 * 3 * 8));
  files.push_back(dds(2, 2, 2, 1, 0x20000, 0, {8, 0xff, 0, 0, 0}, 0x200000, {}, 8));
  files.push_back(*encode_image(make(Format::R16G16B16A16_FLOAT, 8, 40), FileKind::Exr));
  files.push_back(*encode_image(make(Format::R32_UINT, 3, 3), FileKind::Exr));
  files.push_back(*encode_image(make(Format::R32_FLOAT, 3, 3), FileKind::Pfm));
  files.push_back(library_exr(true, Imf::ZIP_COMPRESSION));
  return files;
}

base::Limits tight() {
  base::Limits limits;
  limits.surface_bytes = 1 << 20;
  return limits;
}

TEST(Files, TruncationsAreRefusedWithAPlace) {
  for (const ByteList& file : seeds()) {
    const Surface whole = decoded(file);
    for (std::size_t size = 0; size < file.size(); ++size) {
      const ByteList cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
      const auto result = decode_image(cut, "file", {}, tight());
      if (result.ok()) {  // only what follows the texels is missing: the end mark of a PNG, the smaller levels of an EXR
        EXPECT_EQ(*result->memory, *whole.memory);
        continue;
      }
      ASSERT_FALSE(result.diagnostics().empty());
      EXPECT_EQ(result.diagnostics()[0].place.file, "file");
      EXPECT_LE(result.diagnostics()[0].place.offset, file.size());
    }
  }
}

TEST(Files, MutationsNeverDoHarm) {
  const unsigned seed = 20240607, rounds = test::test_all() ? 20000 : 1500;
  std::mt19937 random(seed);
  unsigned accepted = 0;
  for (const ByteList& file : seeds())
    for (unsigned round = 0; round < rounds; ++round) {
      ByteList bytes = file;
      const unsigned changes = 1 + random() % 4;
      for (unsigned i = 0; i < changes; ++i) {
        const std::size_t at = random() % bytes.size();
        switch (random() % 5) {
          case 0: bytes[at] = static_cast<std::uint8_t>(random()); break;
          case 1: bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ 1u << (random() % 8)); break;
          case 2: bytes[at] = random() % 2 != 0 ? 0xff : 0; break;
          case 3: bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at)); break;
          default: bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), static_cast<std::uint8_t>(random())); break;
        }
        if (bytes.empty()) bytes.push_back(0);
      }
      SCOPED_TRACE(testing::Message() << "seed " << seed << " round " << round);
      const auto result = decode_image(bytes, "file", {}, tight());
      if (!result.ok()) {
        ASSERT_FALSE(result.diagnostics().empty());
        continue;
      }
      ++accepted;
      ASSERT_LE(result->memory->size(), tight().surface_bytes);
      (void)fetch(*result, 0, 0, 0, 0);
    }
  EXPECT_GT(accepted, 0u);
}

}  // namespace
}  // namespace heddle::image
