// SPDX-License-Identifier: MIT
// Deep OpenEXR: samples laid over each other, by arithmetic; hostile numbers of samples.

#include <ImfChannelList.h>
#include <ImfDeepFrameBuffer.h>
#include <ImfDeepScanLineOutputFile.h>
#include <ImfDeepTiledOutputFile.h>
#include <ImfHeader.h>
#include <ImfPartType.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "exr_support.hpp"

namespace heddle::image {
namespace {

using namespace files_test;

using Sample = std::map<std::string, float>;       // channel -> value
using Samples = std::vector<std::vector<Sample>>;  // of each texel

/// Texels in rows of `width`; every sample has the channels of the first one.
ByteList deep_file(int width, const Samples& texels, const std::vector<std::string>& channels, bool tiled,
                   Imf::Compression compression, int x0 = 0, int y0 = 0) {
  const int height = static_cast<int>(texels.size()) / width;
  const Imath::Box2i window({x0, y0}, {x0 + width - 1, y0 + height - 1});
  Imf::Header header(window, window);
  header.compression() = compression;
  header.setType(tiled ? Imf::DEEPTILE : Imf::DEEPSCANLINE);
  if (tiled) header.setTileDescription(Imf::TileDescription(2, 2, Imf::ONE_LEVEL));
  std::vector<unsigned> counts;
  for (const auto& samples : texels) counts.push_back(static_cast<unsigned>(samples.size()));
  Imf::DeepFrameBuffer frame;
  const auto origin = [&](auto* first) {
    return reinterpret_cast<char*>(first - x0 - static_cast<std::ptrdiff_t>(width) * y0);
  };
  const auto across = static_cast<std::size_t>(width);
  frame.insertSampleCountSlice(
      Imf::Slice(Imf::UINT, origin(counts.data()), sizeof(unsigned), sizeof(unsigned) * across));
  std::map<std::string, std::vector<std::vector<float>>> values;
  std::map<std::string, std::vector<float*>> pointers;
  for (const std::string& name : channels) {
    header.channels().insert(name, Imf::Channel(Imf::FLOAT));
    auto& of_channel = values[name];
    for (const auto& samples : texels) {
      auto& list = of_channel.emplace_back();
      for (const Sample& sample : samples) list.push_back(sample.at(name));
    }
    for (auto& list : of_channel) pointers[name].push_back(list.data());
    frame.insert(name, Imf::DeepSlice(Imf::FLOAT, origin(pointers[name].data()), sizeof(float*),
                                      sizeof(float*) * across, sizeof(float)));
  }
  MemoryFile file;
  if (tiled) {
    Imf::DeepTiledOutputFile out(file, header, 0);
    out.setFrameBuffer(frame);
    out.writeTiles(0, out.numXTiles(0) - 1, 0, out.numYTiles(0) - 1, 0);
  } else {
    Imf::DeepScanLineOutputFile out(file, header, 0);
    out.setFrameBuffer(frame);
    out.writePixels(height);
  }
  return file.bytes;
}

const std::vector<std::string> kColor{"A", "B", "G", "R", "Z"};

Sample sample(float z, float r, float g, float b, float a) {
  return {{"Z", z}, {"R", r}, {"G", g}, {"B", b}, {"A", a}};
}

/// Six texels: none, one, two in the wrong order, one hidden, three, four of equal depth.
Samples six() {
  return {
      {},
      {sample(1, 0.5f, 0.25f, 0, 0.5f)},
      {sample(9, 1, 0, 0, 1), sample(2, 0, 0.5f, 0, 0.5f)},
      {sample(3, 0, 0, 1, 1), sample(4, 1, 1, 1, 1)},
      {sample(3, 0, 0, 0.25f, 0.25f), sample(1, 0.5f, 0, 0, 0.5f), sample(2, 0, 0.5f, 0, 0.5f)},
      {sample(1, 0.5f, 0, 0, 0.5f), sample(1, 0, 0.5f, 0, 0.5f), sample(1, 0, 0, 0.5f, 0.5f), sample(1, 1, 1, 1, 1)}};
}

Surface read(const ByteList& bytes, std::size_t expected_notes = 1) {
  base::Diagnostics notes;
  auto result = decode_image(bytes, "file", {}, {}, &notes);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.diagnostics()[0].message);
  EXPECT_EQ(notes.all().size(), expected_notes);
  return result.ok() ? std::move(result).value() : Surface{};
}

// IMF-8: each sample adds what the ones before it leave open: color += (1 - alpha) * its color, which alpha has been
// multiplied into.
TEST(ExrDeep, SamplesAreLaidOverEachOther_IMF8) {
  const std::array<float, 4> expected[] = {
      {0, 0, 0, 0}, {0.5f, 0.25f, 0, 0.5f},          {0.5f, 0.5f, 0, 1},
      {0, 0, 1, 1}, {0.5f, 0.25f, 0.0625f, 0.8125f}, {0.5f + 0.125f, 0.25f + 0.125f, 0.125f + 0.125f, 1}};
  for (const bool tiled : {false, true})
    for (const Imf::Compression compression : {Imf::NO_COMPRESSION, Imf::RLE_COMPRESSION, Imf::ZIPS_COMPRESSION})
      for (const int corner : {0, -7, 5})
        for (const int width : {2, 3}) {
          const Surface surface = read(deep_file(width, six(), kColor, tiled, compression, corner, corner + 1));
          ASSERT_EQ(surface.format, Format::R32G32B32A32_FLOAT);
          ASSERT_EQ(surface.width, static_cast<std::uint32_t>(width));
          for (std::uint32_t i = 0; i < 6; ++i)
            for (int c = 0; c < 4; ++c)
              EXPECT_EQ(fetch(surface, 0, 0, i % surface.width, i / surface.width).texel.f(c),
                        expected[i][static_cast<std::size_t>(c)])
                  << i << c << tiled;
        }
}

TEST(ExrDeep, WithoutAlphaTheNearestSampleIsSeen) {
  const Samples texels{{{{"R", 1}, {"Z", 5}}, {{"R", 2}, {"Z", 3}}, {{"R", 3}, {"Z", 4}}}, {}};
  const Surface surface = read(deep_file(2, texels, {"R", "Z"}, false, Imf::RLE_COMPRESSION));
  ASSERT_EQ(surface.format, Format::R32_FLOAT);
  EXPECT_EQ(fetch(surface, 0, 0, 0, 0).texel.f(0), 2);
  EXPECT_EQ(fetch(surface, 0, 0, 1, 0).texel.f(0), 0);
}

TEST(ExrDeep, DamagedFilesEndInAMessageOrAPicture) {
  std::mt19937 random(11);
  base::Limits limits;
  limits.surface_bytes = 1 << 16;
  for (const bool tiled : {false, true}) {
    const ByteList file = deep_file(3, six(), kColor, tiled, Imf::ZIPS_COMPRESSION);
    for (std::size_t size = 0; size < file.size(); size += 3) {
      const ByteList cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_FALSE(decode_image(cut, "file", {}, limits).ok()) << size;
    }
    for (int n = 0; n < 2000; ++n) {
      ByteList damaged = file;
      for (unsigned k = 0; k < 1 + random() % 3; ++k)
        damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random() % 3 == 0 ? 0xff : random());
      const auto image = decode_image(damaged, "file", {}, limits);
      if (!image.ok()) EXPECT_FALSE(image.diagnostics().empty());
    }
  }
}

}  // namespace
}  // namespace heddle::image
