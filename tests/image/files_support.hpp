// SPDX-License-Identifier: MIT
#pragma once
// What the tests of image files share: surfaces with random texels, reading and refusing, files of every kind.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "image/files/files.hpp"

namespace heddle::image::files_test {

using ByteList = std::vector<std::uint8_t>;

/// A surface with random texels.
Surface make(Format format, std::uint32_t width, std::uint32_t height, unsigned seed = 1);
Surface filled(Surface surface, unsigned seed);
void set_texel(Surface& surface, std::uint32_t x, std::uint32_t y, std::array<float, 4> rgba);

/// Reads a file that must be good, or must be refused: its first diagnostic.
Surface decoded(const ByteList& bytes, const LoadOptions& options = {});
base::Diagnostic refused(const ByteList& bytes, const base::Limits& limits = {});

/// A PNG of `raw` rows (big-endian samples); `transparent` adds tRNS.
ByteList make_png(int color_type, int depth, std::uint32_t width, std::uint32_t height, const ByteList& raw,
                  bool transparent = false);
/// The same PNG with one more chunk before its texels, checksum included.
ByteList with_chunk(const ByteList& png, std::string_view type, const ByteList& content);
ByteList interlaced_png();
/// masks: bits, red, green, blue, alpha; dx10: the five words of that header, or none; then `data` bytes 1, 8, 15 ...
ByteList dds(std::uint32_t width, std::uint32_t height, std::uint32_t depth, std::uint32_t mips,
             std::uint32_t pixel_flags, std::uint32_t code, std::array<std::uint32_t, 5> masks, std::uint32_t caps2,
             std::vector<std::uint32_t> dx10, std::size_t data);
inline constexpr std::uint32_t kDx10 = 0x30315844;

}  // namespace heddle::image::files_test
