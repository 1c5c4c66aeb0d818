// SPDX-License-Identifier: MIT
#include "machine/pixels.hpp"

#include <gtest/gtest.h>

namespace heddle::machine {
namespace {

// PIX-14, RTW-3: sspi [8:6], back [15], layer [26:16], viewport [30:27].
TEST(PixelHeader, EachFieldHasItsBits) {
  EXPECT_EQ(PixelHeader{}.pack(), 0u);
  EXPECT_EQ((PixelHeader{.sspi = 7}.pack()), 0x1c0u);
  EXPECT_EQ((PixelHeader{.back = true}.pack()), 0x8000u);
  EXPECT_EQ((PixelHeader{.layer = 0x7ff}.pack()), 0x07ff0000u);
  EXPECT_EQ((PixelHeader{.viewport = 15}.pack()), 0x78000000u);
}

TEST(PixelHeader, WhatIsPackedIsUnpacked) {
  for (const PixelHeader& header : {PixelHeader{.sspi = 5, .layer = 0x555, .viewport = 9, .back = true},
                                    PixelHeader{.sspi = 2, .layer = 0x2aa, .viewport = 6, .back = false}}) {
    EXPECT_EQ(PixelHeader::unpack(header.pack()), header);
    EXPECT_EQ(PixelHeader::unpack(header.pack() | 0x80007e3fu), header) << "other bits say nothing";
  }
}

// No field reaches into its neighbor.
TEST(PixelHeader, ValuesAreCutToTheirFields) {
  EXPECT_EQ((PixelHeader{.sspi = 8}.pack()), 0u);
  EXPECT_EQ((PixelHeader{.layer = 0x801}.pack()), 0x10000u);
  EXPECT_EQ((PixelHeader{.viewport = 17}.pack()), 0x08000000u);
}

}  // namespace
}  // namespace heddle::machine
