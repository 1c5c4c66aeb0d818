// SPDX-License-Identifier: MIT
// KTX2 with UASTC and BasisLZ: texels against those of an independent transcoder (data/universal/README.md), one file
// whose texels are arithmetic, and damage.

#include <gtest/gtest.h>

#include <algorithm>

#include "base/byte_cursor.hpp"
#include "image/files/open_surface.hpp"
#include "ktx2_support.hpp"
#include "support/process.hpp"

namespace heddle::image {
namespace {

using namespace files_test;

std::string path_of(const std::string& name) { return std::string(HEDDLE_TEST_DIR) + "/image/data/universal/" + name; }
ByteList bytes_of(const std::string& name) { return test::read_bytes(path_of(name)); }

std::uint64_t number(const ByteList& bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value |= std::uint64_t{bytes.at(at + i)} << (8 * i);
  return value;
}
void set_number(ByteList& bytes, std::size_t at, std::uint64_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) bytes.at(at + i) = static_cast<std::uint8_t>(value >> (8 * i));
}
std::size_t global_of(const ByteList& file) { return number(file, 64, 8); }
/// Sets the channel of the descriptor's samples.
ByteList with_channels(ByteList file, std::vector<std::uint8_t> channels) {
  for (std::size_t i = 0; i < channels.size(); ++i) file.at(number(file, 48, 4) + 28 + 16 * i + 3) = channels[i];
  return file;
}

struct Read {
  Surface surface;
  std::vector<base::Diagnostic> notes;
};
Read read(const ByteList& file, const LoadOptions& options = {}) {
  base::Diagnostics notes;
  auto result = decode_image(file, "file", options, {}, &notes);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.diagnostics()[0].message);
  return {result.ok() ? std::move(*result) : Surface{}, notes.all()};
}

TEST(Ktx2Universal, TexelsAreThoseOfAnotherTranscoder) {
  struct Case {
    const char* name;
    Format format;
    SurfaceType type;
    std::uint32_t levels, layers;
  };
  constexpr Format kLinear = Format::R8G8B8A8_UNORM, kSrgb = Format::R8G8B8A8_UNORM_SRGB;
  constexpr SurfaceType kFlat = SurfaceType::Dim2, kCube = SurfaceType::Cube;
  const Case cases[] = {{"etc1s_alpha", kSrgb, kFlat, 4, 1},       {"etc1s_opaque", kLinear, kFlat, 1, 1},
                        {"etc1s_array", kSrgb, kFlat, 1, 3},       {"etc1s_cube", kSrgb, kCube, 4, 6},
                        {"etc1s_frames", kSrgb, kFlat, 5, 4},      {"etc1s_gray", kSrgb, kFlat, 1, 1},
                        {"etc1s_red_green", kLinear, kFlat, 1, 1}, {"uastc_alpha", kSrgb, kFlat, 4, 1},
                        {"uastc_opaque", kLinear, kFlat, 1, 1},    {"uastc_array", kSrgb, kFlat, 1, 3},
                        {"uastc_cube", kSrgb, kCube, 4, 6},        {"uastc_red_green", kLinear, kFlat, 1, 1},
                        {"uastc_modes", kLinear, kFlat, 1, 1}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const ByteList file = bytes_of(c.name + std::string(".ktx2"));
    const Read got = read(file);
    EXPECT_EQ(got.surface.format, c.format);
    EXPECT_EQ(got.surface.type, c.type);
    EXPECT_EQ(got.surface.levels, c.levels);
    EXPECT_EQ(got.surface.layers, c.layers);
    EXPECT_EQ(packed_texels(got.surface), bytes_of(c.name + std::string(".rgba")));
    EXPECT_TRUE(got.notes.empty());
    const Read blocks = read(file, {.bc7 = true});
    if (std::string_view(c.name).starts_with("etc1s")) {  // BC7 is defined for UASTC only
      EXPECT_EQ(blocks.surface.format, c.format);
      ASSERT_EQ(blocks.notes.size(), 1u);
      EXPECT_EQ(blocks.notes[0].id, "ktx2-format");
      continue;
    }
    EXPECT_EQ(blocks.surface.format, c.format == kSrgb ? Format::BC7_UNORM_SRGB : Format::BC7_UNORM);
    EXPECT_EQ(packed_texels(blocks.surface), bytes_of(c.name + std::string(".bc7")));
  }
}

TEST(Ktx2Universal, VolumesAndZlib) {
  // The three layers of an array as three slices of a volume of one level.
  for (const char* name : {"etc1s_array", "uastc_array"}) {
    ByteList file = bytes_of(name + std::string(".ktx2"));
    set_number(file, 28, 3, 4);
    set_number(file, 32, 0, 4);
    const Read volume = read(file);
    EXPECT_EQ(volume.surface.type, SurfaceType::Dim3);
    EXPECT_EQ(packed_texels(volume.surface), bytes_of(name + std::string(".rgba")));
  }
  const ByteList plain = bytes_of("uastc_opaque.ktx2");
  const std::size_t at = number(plain, 80, 8);
  const ByteList blocks(plain.begin() + static_cast<std::ptrdiff_t>(at), plain.end());
  const Ktx2File zlib{.vk_format = 0,
                      .width = 13,
                      .height = 9,
                      .scheme = 3,
                      .levels = {zlib_packed(blocks)},
                      .uncompressed = {blocks.size()},
                      .model = 166};
  EXPECT_EQ(packed_texels(read(zlib.bytes()).surface), bytes_of("uastc_opaque.rgba"));
}

TEST(Ktx2Universal, OtherChannelsAreSaid) {
  const auto note = [](const ByteList& file) {
    const Read got = read(file);
    EXPECT_EQ(got.surface.format, Format::R8G8B8A8_UNORM);
    EXPECT_EQ(got.notes.size(), 1u);
    return got.notes.empty() ? std::string() : got.notes[0].message;
  };
  const ByteList etc1s = bytes_of("etc1s_red_green.ktx2"), uastc = bytes_of("uastc_red_green.ktx2");
  EXPECT_EQ(note(with_channels(etc1s, {3, 4})),
            "the texels are red, which R, G and B hold, and green, which A holds: read as R8G8B8A8_UNORM");
  EXPECT_EQ(note(with_channels(bytes_of("etc1s_opaque.ktx2"), {3})),
            "the texels are red, which R, G and B hold: read as R8G8B8A8_UNORM");
  EXPECT_EQ(note(with_channels(uastc, {5})),
            "the texels are red, which R, G and B hold, and green, which A holds: read as R8G8B8A8_UNORM");
  EXPECT_EQ(note(with_channels(uastc, {4})), "the texels are red, which R, G and B hold: read as R8G8B8A8_UNORM");
  EXPECT_EQ(note(with_channels(uastc, {6})), "the texels are red and green: read as R8G8B8A8_UNORM");
}

TEST(Ktx2Universal, MembersChooseBc7) {
  base::Diagnostics notes;
  SurfaceMembers members;
  members.format = Format::BC7_UNORM;
  const auto open = [&](const char* name) {
    return open_surface(path_of(name), members, false, "[images.wall]", "wall", {}, &notes);
  };
  const auto surface = open("uastc_modes.ktx2");
  ASSERT_TRUE(surface.ok()) << surface.diagnostics()[0].message;
  EXPECT_EQ(packed_texels(*surface), bytes_of("uastc_modes.bc7"));
  const auto other = open("etc1s_opaque.ktx2");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.diagnostics()[0].id, "surface-file");
}

TEST(Ktx2Universal, BitsThatAreNoBlockAreMagenta) {
  ByteList file = bytes_of("uastc_opaque.ktx2");
  const std::size_t at = number(file, 80, 8);
  file[at + 16] = 0x45;                                                   // the mode that is not used, block 1
  file[at + 48] = 0x1d, file[at + 50] = static_cast<std::uint8_t>(0xe0);  // mode 2, pattern 30 of 30 or above: block 3
  file[at + 51] = 1;
  const Read got = read(file);
  ASSERT_EQ(got.notes.size(), 1u);
  EXPECT_EQ(got.notes[0].id, "ktx2-basis");
  EXPECT_EQ(got.notes[0].severity, base::Severity::Warning);
  EXPECT_EQ(got.notes[0].place.offset, at);
  EXPECT_NE(got.notes[0].message.find("2 of the 12 blocks of level 0"), std::string::npos) << got.notes[0].message;
  const Texel texel = fetch(got.surface, 0, 0, 4, 0).texel;
  EXPECT_EQ((std::array{texel.f(0), texel.f(1), texel.f(2), texel.f(3)}), (std::array{1.0f, 0.0f, 1.0f, 1.0f}));
  const Read blocks = read(file, {.bc7 = true});
  EXPECT_EQ(fetch(blocks.surface, 0, 0, 12, 3).texel, texel);
}

/// Bits of a stream, the lowest of each byte first.
class Bits {
 public:
  Bits& put(std::uint32_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i, ++at_) {
      if (at_ % 8 == 0) bytes_.push_back(0);
      bytes_.back() = static_cast<std::uint8_t>(bytes_.back() | (value >> i & 1) << (at_ % 8));
    }
    return *this;
  }
  /// A table of one symbol (code 0), or two (codes 0 and 1), both of one bit. Lengths are written one by one, with a
  /// code of a bit for 0 and 1.
  Bits& table(std::vector<std::uint32_t> symbols) {
    const std::uint32_t count = symbols.back() + 1;
    put(count, 14).put(19, 5);
    constexpr unsigned kPlaceOf0 = 4, kPlaceOf1 = 18;
    for (unsigned i = 0; i < 19; ++i) put(i == kPlaceOf0 || i == kPlaceOf1 ? 1 : 0, 3);
    for (std::uint32_t s = 0; s < count; ++s)
      put(std::find(symbols.begin(), symbols.end(), s) != symbols.end() ? 1 : 0, 1);
    return *this;
  }
  [[nodiscard]] const ByteList& bytes() const { return bytes_; }

 private:
  ByteList bytes_;
  unsigned at_ = 0;
};

/// One picture of 4x4 with two slices, bit by bit.
struct TinyFile {
  Bits endpoints, selectors, tables, color, alpha;
  std::uint16_t endpoint_count = 2, selector_count = 1;
  std::uint32_t flags = 0;

  TinyFile() {
    // Deltas of colors in the middle range are 0 or 4, others 0; of tables 1 or 2.
    endpoints.table({0}).table({0, 4}).table({0}).table({1, 2}).put(0, 1);
    endpoints.put(0, 1).put(1, 1).put(0, 1).put(1, 1);  // table 1, color 20 16 20
    endpoints.put(1, 1).put(1, 1).put(1, 1).put(0, 1);  // table 3, color 24 20 20
    selectors.put(4, 3).put(0xe4, 8).put(0x1b, 8).put(0, 8).put(0xff, 8);
    tables.table({3}).table({0, 1}).table({0}).table({0}).put(0, 13);
    color.put(0, 1).put(0, 1).put(0, 1);  // entry 0 of both
    alpha.put(0, 1).put(1, 1).put(0, 1);  // end points 1
  }
  [[nodiscard]] ByteList bytes() const {
    Ktx2File file{.vk_format = 0, .width = 4, .height = 4, .scheme = 1, .levels = {color.bytes()}, .model = 163};
    file.levels[0].insert(file.levels[0].end(), alpha.bytes().begin(), alpha.bytes().end());
    file.uncompressed = {0};
    base::ByteWriter global;
    global.u16(endpoint_count);
    global.u16(selector_count);
    for (const Bits* part : {&endpoints, &selectors, &tables}) global.u32(part->bytes().size());
    global.u32(0);
    for (const std::size_t word :
         {std::size_t{flags}, std::size_t{0}, color.bytes().size(), color.bytes().size(), alpha.bytes().size()})
      global.u32(word);
    for (const Bits* part : {&endpoints, &selectors, &tables}) global.bytes(part->bytes());
    file.channels = {0, 15};
    file.global = global.data();
    return file.bytes();
  }
};

TEST(Ktx2Universal, OneBlockByArithmetic) {
  const Read got = read(TinyFile().bytes());
  EXPECT_EQ(got.surface.format, Format::R8G8B8A8_UNORM);
  // 20 and 16 of 31 are 165 and 132 of 255; tables 1 and 3 add these. Alpha is green of the second slice: 165.
  constexpr int kFirst[] = {-17, -5, 5, 17}, kSecond[] = {-42, -13, 13, 42};
  constexpr int kSelectors[16] = {0, 1, 2, 3, 3, 2, 1, 0, 0, 0, 0, 0, 3, 3, 3, 3};
  ByteList expected;
  for (const int s : kSelectors)
    for (const int value : {165 + kFirst[s], 132 + kFirst[s], 165 + kFirst[s], 165 + kSecond[s]})
      expected.push_back(static_cast<std::uint8_t>(value));
  EXPECT_EQ(packed_texels(got.surface), expected);
}

TEST(Ktx2Universal, BrokenStreamsAreRefused) {
  const auto problem = [](const TinyFile& file) {
    const base::Diagnostic d = refused(file.bytes());
    EXPECT_EQ(d.id, "ktx2-basis");
    return d.message;
  };
  const auto with = [](auto change) {
    TinyFile file;
    change(file);
    return file;
  };
  EXPECT_EQ(problem(with([](TinyFile& f) { f.endpoint_count = 0; })),
            "BasisLZ, codebook of end points: it has no entries");
  EXPECT_EQ(problem(with([](TinyFile& f) { f.endpoint_count = 60000; })),
            "BasisLZ, codebook of end points: it ends too early, or has a code that its tables don't");
  EXPECT_EQ(problem(with([](TinyFile& f) { f.selectors = Bits().put(1, 8).put(0, 32); })),
            "BasisLZ, codebook of selectors: its first two bits are not 0");
  // Three codes of one bit; a run that goes on past the table; a repetition of nothing.
  const std::string broken = "BasisLZ, tables: a Huffman table is broken";
  EXPECT_EQ(problem(with([](TinyFile& f) {
              f.tables = Bits().put(3, 14).put(5, 5).put(0, 3).put(1, 3).put(1, 3).put(1, 3).put(0, 32);
            })),
            broken);
  EXPECT_EQ(problem(with([](TinyFile& f) { f.tables = Bits().put(3, 14).put(2, 5).put(0, 3).put(1, 3).put(0, 32); })),
            broken);
  EXPECT_EQ(problem(with([](TinyFile& f) { f.tables = Bits().put(3, 14).put(3, 5).put(0, 6).put(1, 3).put(0, 32); })),
            broken);
  EXPECT_EQ(problem(with([](TinyFile& f) { f.tables = Bits().put(3, 14).put(22, 5).put(0, 64); })), broken);
  const std::string slice = "slice 0 of image 0 of level 0: ";
  // The prediction of the first block names the left one; an entry that the codebook doesn't have; a code of the other
  // bit, which nothing has.
  EXPECT_EQ(
      problem(with([](TinyFile& f) { f.tables = Bits().table({0}).table({0, 1}).table({0}).table({0}).put(0, 13); })),
      slice + "a block refers to one outside of the picture");
  EXPECT_EQ(problem(with([](TinyFile& f) {
              f.tables = Bits().table({3}).table({0, 5}).table({0}).table({0}).put(0, 13);
              f.color = Bits().put(0, 1).put(1, 1).put(0, 1);
            })),
            slice + "a block names an entry that a codebook doesn't have");
  EXPECT_EQ(problem(with([](TinyFile& f) { f.color = Bits().put(1, 8); })),
            slice + "it ends too early, or has a code that its tables don't");
  EXPECT_EQ(problem(with([](TinyFile& f) { f.flags = 2; })),
            "image 0 of level 0 is a P-frame without a frame before it");
  EXPECT_NE(problem(with([](TinyFile& f) { f.alpha = Bits(); })).find("slice 1 of image 0 of level 0 (0 bytes"),
            std::string::npos);
}

TEST(Ktx2Universal, PlacesOfDamage) {
  const ByteList good = bytes_of("etc1s_alpha.ktx2");
  const std::size_t global = global_of(good);
  const auto check = [&](std::size_t at, std::uint64_t value, std::size_t count, std::string_view id,
                         std::uint64_t place) {
    ByteList file = good;
    set_number(file, at, value, count);
    const base::Diagnostic d = refused(file);
    EXPECT_EQ(d.id, id) << d.message;
    EXPECT_EQ(d.place.offset, place) << d.message;
  };
  check(global + 4, 0xffffffff, 4, "ktx2-basis", 64);                // longer end points than the global data
  check(72, 19, 8, "ktx2-basis", 64);                                // global data of 19 bytes
  check(global + 20 + 4, 0xffffff00, 4, "ktx2-basis", global + 24);  // a slice outside of its level
  check(global + 40 + 16, 0, 4, "ktx2-basis", global + 40 + 12);     // no second slice where the descriptor says so
  check(80, 1 << 20, 8, "ktx2-level", 80);
  check(global + 80, 2, 4, "ktx2-basis", global + 80);  // image flags of level 3: a P-frame
}

TEST(Ktx2Universal, OtherKindsAreRefusedByName) {
  const auto check = [](const Ktx2File& file, std::string_view what, std::uint64_t at) {
    const base::Diagnostic d = refused(file.bytes());
    EXPECT_EQ(d.id, "ktx2-format");
    EXPECT_EQ(d.place.offset, at) << d.message;
    EXPECT_NE(d.message.find(what), std::string::npos) << d.message;
  };
  check({.vk_format = 0, .scheme = 1, .levels = {{1}}, .model = 166}, "color model 163 (ETC1S)", 44);
  check({.vk_format = 37, .scheme = 1, .levels = {{1}}, .model = 1}, "not VkFormat 37 with color model 1", 44);
  check({.vk_format = 0, .levels = {ByteList(8)}, .model = 163}, "without BasisLZ", 44);
  check({.vk_format = 0, .levels = {ByteList(16)}, .model = 167}, "UASTC HDR", 12);
  check({.vk_format = 0, .scheme = 4, .levels = {ByteList(16)}, .model = 168}, "UASTC HDR 6x6 intermediate", 44);
  check({.vk_format = 0, .scheme = 5, .levels = {ByteList(16)}, .model = 169}, "XUASTC LDR", 44);
  check({.vk_format = 0, .scheme = 6, .levels = {ByteList(16)}, .model = 170}, "XUBC7", 44);
  check({.vk_format = 37, .scheme = 9, .levels = {ByteList(4)}}, "scheme 9", 44);
  // Levels of UASTC have 16 bytes for each block, also where texels are missing.
  const base::Diagnostic d =
      refused(Ktx2File{.vk_format = 0, .width = 5, .levels = {ByteList(31)}, .model = 166}.bytes());
  EXPECT_EQ(d.message, "level 0 has 31 bytes, its size asks for 32");
}

}  // namespace
}  // namespace heddle::image
