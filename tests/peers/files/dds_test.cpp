// SPDX-License-Identifier: MIT
// DDS against readers that others wrote: Pillow, ffmpeg, ImageMagick and OpenImageIO. Every format that two of them
// read alike, with random texels. Those that are not installed are left out; with fewer than two there is no test.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "image/files/files.hpp"
#include "image/surface.hpp"
#include "support/process.hpp"

namespace heddle::test {
namespace {

constexpr std::uint32_t kWidth = 16, kHeight = 12;
constexpr std::size_t kTexels = kWidth * kHeight;

using Bytes = std::vector<std::uint8_t>;

/// The texels of a file as R, G, B, A of 8 bits; nothing where the program fails or is not there.
struct Reader {
  char letter;
  const char* name;
  std::function<bool()> installed;
  std::function<Bytes(const std::string& file)> read;
};

Bytes output_of(const std::vector<std::string>& words) {
  const Outcome outcome = run(words);
  return outcome.exit_code == 0 ? Bytes(outcome.out.begin(), outcome.out.end()) : Bytes();
}

Bytes png_of(const std::string& file) {
  auto surface = image::load_image(file);
  return surface.ok() ? image::packed_texels(*surface) : Bytes();
}

const std::string kPython = "/usr/bin/python3";  // Debian's, which has Debian's packages

std::vector<Reader> readers() {
  return {
      {'P', "Pillow", [] { return run({kPython, "-c", "import PIL.Image"}).exit_code == 0; },
       [](const std::string& file) {
         return output_of({kPython, "-c",
                           "import sys\nfrom PIL import Image\n"
                           "sys.stdout.buffer.write(Image.open(sys.argv[1]).convert('RGBA').tobytes())",
                           file});
       }},
      {'F', "ffmpeg", [] { return have_program("ffmpeg"); },
       [](const std::string& file) {
         return output_of({"ffmpeg", "-v", "error", "-nostdin", "-i", file, "-f", "rawvideo", "-pix_fmt", "rgba", "-"});
       }},
      {'I', "ImageMagick", [] { return have_program("convert-im6.q16"); },
       [](const std::string& file) { return output_of({"convert-im6.q16", file + "[0]", "-depth", "8", "rgba:-"}); }},
      {'O', "OpenImageIO", [] { return have_program("oiiotool"); },
       [](const std::string& file) {
         return run({"oiiotool", file, "-d", "uint8", "-o", file + ".png"}).exit_code == 0 ? png_of(file + ".png")
                                                                                           : Bytes();
       }},
  };
}

struct Case {
  const char* name;
  std::uint32_t flags;
  std::array<std::uint32_t, 5> masks;  ///< bits, red, green, blue, alpha
  const char* code;                    ///< a FourCC, or none
  std::uint32_t dxgi;                  ///< DX10
  unsigned bits;                       ///< of a texel
  const char* readers;                 ///< those that agree about it: P F I O
  const char* channels = "RGBA";       ///< about which they do
  int tolerance = 0;                   ///< of 255: they round differently where the format leaves room
};

constexpr std::uint32_t kFourCc = 4, kRgb = 0x40, kRgba = 0x41, kLuminance = 0x20000, kLuminanceAlpha = 0x20001;

// Others know fewer formats: of alpha OpenImageIO multiplies the colors, Pillow's masks are 32 and 24 bits.
const Case kCases[] = {
    {"bc1", kFourCc, {}, "DXT1", 0, 4, "PFIO", "RGBA", 2},
    {"bc2", kFourCc, {}, "DXT3", 0, 8, "PFI", "RGBA", 2},
    {"bc3", kFourCc, {}, "DXT5", 0, 8, "PFI", "RGBA", 2},
    {"bc2_alpha", kFourCc, {}, "DXT3", 0, 8, "PFIO", "A"},
    {"bc3_alpha", kFourCc, {}, "DXT5", 0, 8, "PFIO", "A", 1},
    {"bc4_ati1", kFourCc, {}, "ATI1", 0, 4, "PFO", "R", 1},
    {"bc4_u", kFourCc, {}, "BC4U", 0, 4, "FO", "R", 1},
    {"bc4_dx10", kFourCc, {}, "DX10", 80, 4, "FO", "R", 1},
    {"bc5_dx10", kFourCc, {}, "DX10", 83, 8, "PF", "RG", 1},
    {"bc6h_unsigned", kFourCc, {}, "DX10", 95, 8, "PO", "RGB", 1},
    {"bc7", kFourCc, {}, "DX10", 98, 8, "P", "RGBA"},
    {"bc7_modes_0_to_3", kFourCc, {}, "DX10", 98, 8, "PO", "RGBA"},
    {"bgra8", kRgba, {32, 0xff0000, 0xff00, 0xff, 0xff000000}, "", 0, 32, "PFI"},
    {"rgba8", kRgba, {32, 0xff, 0xff00, 0xff0000, 0xff000000}, "", 0, 32, "PF"},
    {"bgrx8", kRgb, {32, 0xff0000, 0xff00, 0xff, 0}, "", 0, 32, "FIO"},
    {"bgr8", kRgb, {24, 0xff0000, 0xff00, 0xff, 0}, "", 0, 24, "PFIO"},
    {"rgb8", kRgb, {24, 0xff, 0xff00, 0xff0000, 0}, "", 0, 24, "PO"},
    {"b5g6r5", kRgb, {16, 0xf800, 0x7e0, 0x1f, 0}, "", 0, 16, "FIO", "RGBA", 1},
    {"b5g5r5x1", kRgb, {16, 0x7c00, 0x3e0, 0x1f, 0}, "", 0, 16, "FO", "RGBA", 1},
    {"b5g5r5a1", kRgba, {16, 0x7c00, 0x3e0, 0x1f, 0x8000}, "", 0, 16, "IO", "A"},
    {"b4g4r4a4", kRgba, {16, 0xf00, 0xf0, 0xf, 0xf000}, "", 0, 16, "IO", "A"},
    {"l8", kLuminance, {8, 0xff, 0, 0, 0}, "", 0, 8, "PFIO"},
    {"l8a8", kLuminanceAlpha, {16, 0xff, 0, 0, 0xff00}, "", 0, 16, "PF"},
    {"l16", kLuminance, {16, 0xffff, 0, 0, 0}, "", 0, 16, "FO", "RGBA", 1},
};

/// The file, with random texels.
Bytes file_of(const Case& c, unsigned seed) {
  Bytes bytes{'D', 'D', 'S', ' '};
  const auto word = [&](std::uint32_t value) {
    for (unsigned k = 0; k < 4; ++k) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * k)));
  };
  std::uint32_t code = 0;
  for (unsigned k = 0; k < 4 && c.code[0] != 0; ++k)
    code |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(c.code[k])) << (8 * k);
  for (const std::uint32_t value : {124u, 0x1007u, kHeight, kWidth, 0u, 0u, 1u}) word(value);
  for (unsigned k = 0; k < 11; ++k) word(0);
  for (const std::uint32_t value : {32u, c.flags, code}) word(value);
  for (const std::uint32_t mask : c.masks) word(mask);
  for (const std::uint32_t value : {0x1000u, 0u, 0u, 0u, 0u}) word(value);
  if (c.dxgi != 0)
    for (const std::uint32_t value : {c.dxgi, 3u, 0u, 1u, 0u}) word(value);
  std::mt19937 random(seed);
  for (std::size_t k = 0; k < kTexels * c.bits / 8; ++k) bytes.push_back(static_cast<std::uint8_t>(random() >> 11));
  // The lowest bit that is set is the mode of BC7: none is reserved, and OpenImageIO 2.4 reads some of mode 4
  // otherwise.
  constexpr std::size_t kHeader = 148, kBlock = 16;
  const std::uint8_t modes = std::string_view(c.readers).find('O') != std::string_view::npos ? 0x0f : 0xff;
  for (std::size_t at = kHeader; c.dxgi == 98 && at < bytes.size(); at += kBlock)
    if ((bytes[at] & modes) == 0) bytes[at] |= 1u;
  return bytes;
}

Bytes own(const Bytes& file, const char* name) {
  const auto surface = image::decode_image(file, name);
  EXPECT_TRUE(surface.ok()) << name;
  Bytes texels;
  if (!surface.ok()) return texels;
  for (std::uint32_t y = 0; y < kHeight; ++y)
    for (std::uint32_t x = 0; x < kWidth; ++x) {
      const image::Texel texel = image::fetch(*surface, 0, 0, x, y).texel;
      for (int c = 0; c < 4; ++c)
        texels.push_back(static_cast<std::uint8_t>(std::lround(std::clamp(texel.f(c), 0.0f, 1.0f) * 255)));
    }
  return texels;
}

int greatest_difference(const Bytes& a, const Bytes& b, const char* channels) {
  int greatest = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (std::string_view(channels).find("RGBA"[k % 4]) != std::string_view::npos)
      greatest = std::max(greatest, std::abs(int{a[k]} - int{b[k]}));
  return greatest;
}

TEST(Dds, ReadsAsOthersDo) {
  std::vector<Reader> there;
  for (Reader& reader : readers())
    if (reader.installed()) there.push_back(std::move(reader));
  if (there.size() < 2) GTEST_SKIP() << "two of python3-pil, ffmpeg, imagemagick and openimageio-tools are needed";
  const TemporaryFolder folder;
  unsigned compared = 0, seed = 1;
  for (const Case& c : kCases) {
    const Bytes file = file_of(c, seed++);
    const std::string path = (folder / (std::string(c.name) + ".dds")).string();
    write_text(path, std::string(file.begin(), file.end()));
    const Bytes expected = own(file, c.name);
    for (const Reader& reader : there) {
      if (std::string_view(c.readers).find(reader.letter) == std::string_view::npos) continue;
      const Bytes texels = reader.read(path);
      ASSERT_EQ(texels.size(), kTexels * 4) << c.name << ": " << reader.name;
      EXPECT_LE(greatest_difference(expected, texels, c.channels), c.tolerance) << c.name << ": " << reader.name;
      ++compared;
    }
  }
  EXPECT_GE(compared, 2 * there.size());
}

}  // namespace
}  // namespace heddle::test
