// SPDX-License-Identifier: MIT
// OpenEXR files with channels other than R, G, B, A of one type: luminance and chroma, subsampled, mixed, several
// parts.

#include <ImfChannelList.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfMultiPartOutputFile.h>
#include <ImfOutputPart.h>
#include <ImfPartType.h>
#include <gtest/gtest.h>

#include <string_view>

#include "exr_support.hpp"

namespace heddle::image {
namespace {

using namespace files_test;

Surface read(const ByteList& bytes, std::size_t expected_notes) {
  base::Diagnostics notes;
  auto result = decode_image(bytes, "file", {}, {}, &notes);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.diagnostics()[0].message);
  EXPECT_EQ(notes.all().size(), expected_notes);
  for (const base::Diagnostic& note : notes.all()) EXPECT_EQ(note.id, "exr-format");
  return result.ok() ? std::move(result).value() : Surface{};
}

TEST(ExrChannels, LuminanceAndChromaBecomeColor) {
  // Other primaries than the usual ones: Y is another sum of R, G and B.
  const Imf::Chromaticities wide({0.708f, 0.292f}, {0.170f, 0.797f}, {0.131f, 0.046f}, {0.3127f, 0.3290f});
  for (const Imf::Chromaticities* primaries : {static_cast<const Imf::Chromaticities*>(nullptr), &wide})
    for (const bool alpha : {false, true}) {
      const Surface surface = read(luminance_chroma(alpha ? Imf::WRITE_YCA : Imf::WRITE_YC, primaries), 0);
      ASSERT_EQ(surface.format, Format::R16G16B16A16_FLOAT);
      ASSERT_EQ(surface.width, 16u);
      for (const std::uint32_t x : {0u, 7u, 15u}) {
        const Texel texel = fetch(surface, 0, 0, x, 5).texel;
        EXPECT_NEAR(texel.f(0), 0.8f, 0.01f);
        EXPECT_NEAR(texel.f(1), 0.4f + 0.001f * static_cast<float>(x), 0.01f);
        EXPECT_NEAR(texel.f(2), 0.1f, 0.01f);
        EXPECT_EQ(texel.f(3), alpha ? 0.5f : 1.0f);
      }
    }
}

TEST(ExrChannels, PrimariesThatMakeNoColorAreRefused) {
  const Imf::Chromaticities usual;
  ByteList bytes = luminance_chroma(Imf::WRITE_YC, &usual);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t at = text.rfind("chromaticities") + 15 + 4;  // the type's name ends with 0, then the size
  for (std::size_t i = 0; i < 32; ++i) bytes[at + i] = 0;
  const base::Diagnostic d = refused(bytes);
  EXPECT_EQ(d.id, "exr-data");
  EXPECT_NE(d.message.find("chromaticities"), std::string::npos) << d.message;
}

TEST(ExrChannels, MixedTypesBecomeFloats) {
  const Surface surface =
      read(channels_file({{"R", Imf::HALF, 1}, {"G", Imf::FLOAT, 1}, {"B", Imf::UINT, 1}}, 0, 0, 4, 3), 1);
  ASSERT_EQ(surface.format, Format::R32G32B32A32_FLOAT);
  const Texel texel = fetch(surface, 0, 0, 3, 2).texel;
  EXPECT_EQ(texel.f(0), 23);
  EXPECT_EQ(texel.f(1), 123);
  EXPECT_EQ(texel.f(2), 223);
  EXPECT_EQ(texel.f(3), 1);
  // An integer channel that no texel needs does not change the format.
  const Surface halves =
      read(channels_file({{"R", Imf::HALF, 1}, {"G", Imf::HALF, 1}, {"id", Imf::UINT, 1}}, 0, 0, 4, 3), 1);
  EXPECT_EQ(halves.format, Format::R16G16_FLOAT);
  EXPECT_EQ(fetch(halves, 0, 0, 1, 1).texel.f(1), 111);
}

TEST(ExrChannels, SubsampledChannelsAreRepeated) {
  for (const int corner : {0, -8}) {
    const Surface surface =
        read(channels_file({{"R", Imf::FLOAT, 1}, {"G", Imf::FLOAT, 2}, {"B", Imf::HALF, 4}}, corner, corner, 8, 4), 0);
    ASSERT_EQ(surface.format, Format::R32G32B32A32_FLOAT);
    for (std::uint32_t y = 0; y < 4; ++y)
      for (std::uint32_t x = 0; x < 8; ++x) {
        const Texel texel = fetch(surface, 0, 0, x, y).texel;
        EXPECT_EQ(texel.f(0), static_cast<float>(x + 10 * y));
        EXPECT_EQ(texel.f(1), static_cast<float>(x / 2 * 2 + 10 * (y / 2 * 2) + 100));
        EXPECT_EQ(texel.f(2), static_cast<float>(x / 4 * 4 + 200));
        EXPECT_EQ(texel.f(3), 1);
      }
  }
}

TEST(ExrChannels, WhatIsLeftOutIsSaid) {
  const Surface gray = read(channels_file({{"Y", Imf::FLOAT, 1}, {"Z", Imf::FLOAT, 1}}, 0, 0, 4, 3), 1);
  EXPECT_EQ(gray.format, Format::R32_FLOAT);
  EXPECT_EQ(fetch(gray, 0, 0, 2, 1).texel.f(0), 12);
  const Surface levels = read(library_exr(true, 0), 1);
  EXPECT_EQ(levels.levels, 1u);
  MemoryFile file;
  {
    std::vector<Imf::Header> headers;
    for (const char* name : {"left", "right"}) {
      Imf::Header header(4, 2);
      header.setName(name);
      header.setType(Imf::SCANLINEIMAGE);
      header.channels().insert("R", Imf::Channel(Imf::FLOAT));
      headers.push_back(header);
    }
    Imf::MultiPartOutputFile out(file, headers.data(), 2, false, 0);
    for (int part = 0; part < 2; ++part) {
      std::vector<float> values(8, static_cast<float>(part + 1));
      Imf::OutputPart p(out, part);
      Imf::FrameBuffer frame;
      frame.insert("R", Imf::Slice(Imf::FLOAT, reinterpret_cast<char*>(values.data()), 4, 16));
      p.setFrameBuffer(frame);
      p.writePixels(2);
    }
  }
  const Surface first = read(file.bytes, 1);
  EXPECT_EQ(fetch(first, 0, 0, 3, 1).texel.f(0), 1);
}

// IMF-10.
TEST(ExrChannels, AlphaAloneIsNoColor_IMF10) {
  for (const Imf::PixelType type : {Imf::HALF, Imf::FLOAT}) {
    const Surface surface = read(channels_file({{"A", type, 1}}, 0, 0, 4, 3), 0);
    ASSERT_EQ(surface.format, type == Imf::HALF ? Format::R16G16B16A16_FLOAT : Format::R32G32B32A32_FLOAT);
    const Texel texel = fetch(surface, 0, 0, 3, 2).texel;
    EXPECT_EQ(texel.f(0), 0);
    EXPECT_EQ(texel.f(1), 0);
    EXPECT_EQ(texel.f(2), 0);
    EXPECT_EQ(texel.f(3), 23);
  }
  const Surface matte = read(channels_file({{"A", Imf::HALF, 1}, {"Z", Imf::FLOAT, 1}}, 0, 0, 4, 3), 1);
  EXPECT_EQ(fetch(matte, 0, 0, 1, 0).texel.f(0), 0);
  EXPECT_EQ(fetch(matte, 0, 0, 1, 0).texel.f(3), 1);
  EXPECT_EQ(fetch(read(channels_file({{"matte.A", Imf::HALF, 1}}, 0, 0, 4, 3), 1), 0, 0, 2, 0).texel.f(3), 2);
}

// IMF-10: the layer whose channels come first; channels without a layer go before all.
TEST(ExrChannels, LayersAreReadWhereNothingElseIs_IMF10) {
  const Surface surface = read(channels_file({{"depth.Z", Imf::FLOAT, 1},
                                              {"diffuse.B", Imf::HALF, 1},
                                              {"diffuse.G", Imf::HALF, 1},
                                              {"diffuse.R", Imf::HALF, 1},
                                              {"specular.R", Imf::HALF, 1}},
                                             0, 0, 4, 3),
                               2);
  const Texel texel = fetch(surface, 0, 0, 1, 0).texel;
  EXPECT_EQ(texel.f(0), 301);
  EXPECT_EQ(texel.f(1), 201);
  EXPECT_EQ(texel.f(2), 101);
  EXPECT_EQ(texel.f(3), 1);
  const Surface whole = read(channels_file({{"R", Imf::HALF, 1}, {"a.R", Imf::HALF, 1}}, 0, 0, 4, 3), 1);
  EXPECT_EQ(fetch(whole, 0, 0, 1, 0).texel.f(0), 1);
}

// Y = x + 10 y, (R - Y) / Y and (B - Y) / Y: R = (RY + 1) Y, and Y is 0.2126 R + 0.7152 G + 0.0722 B for the usual
// primaries.
TEST(ExrChannels, ChromaOfEverySamplingBecomesColor) {
  for (const int sampling : {1, 4}) {
    const Surface surface = read(
        channels_file({{"BY", Imf::HALF, sampling}, {"RY", Imf::HALF, sampling}, {"Y", Imf::FLOAT, 1}}, 0, 0, 8, 4),
        sampling == 1 ? 0 : 1);
    ASSERT_EQ(surface.format, Format::R32G32B32A32_FLOAT);
    for (std::uint32_t y = 0; y < 4; ++y)
      for (std::uint32_t x = 0; x < 8; ++x) {
        const auto step = static_cast<std::uint32_t>(sampling);
        const double chroma = x / step * step + 10 * (y / step * step);
        const double luminance = 200 + x + 10 * y, red = (chroma + 100 + 1) * luminance,
                     blue = (chroma + 1) * luminance;
        const Texel texel = fetch(surface, 0, 0, x, y).texel;
        EXPECT_NEAR(texel.f(0), red, 1e-5 * red);
        EXPECT_NEAR(texel.f(2), blue, 1e-5 * blue + 1e-3);
        EXPECT_NEAR(texel.f(1), (luminance - 0.2126 * red - 0.0722 * blue) / 0.7152, 1e-3 * red);
        EXPECT_EQ(texel.f(3), 1);
      }
  }
}

TEST(ExrChannels, ChromaWithoutLuminance) {
  // The library writes chroma alone as well: R - Y and B - Y of a luminance that nobody knows.
  const Surface surface = read(luminance_chroma(Imf::WRITE_C), 1);
  ASSERT_EQ(surface.format, Format::R16G16B16A16_FLOAT);
  // Of (0.8, 0.4, 0.1): Y is 0.46338, so R is 0.8 / 0.46338 * 0.5, and B 0.1 / 0.46338 * 0.5.
  const Texel texel = fetch(surface, 0, 0, 1, 5).texel;
  EXPECT_NEAR(texel.f(0), 0.863, 0.02);
  EXPECT_NEAR(texel.f(2), 0.108, 0.02);
}

}  // namespace
}  // namespace heddle::image
