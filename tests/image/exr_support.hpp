// SPDX-License-Identifier: MIT
#pragma once
// OpenEXR files that the library writes for tests.

#include <ImfChromaticities.h>
#include <ImfHeader.h>
#include <ImfIO.h>
#include <ImfPixelType.h>
#include <ImfRgba.h>

#include "files_support.hpp"

namespace heddle::image::files_test {

class MemoryFile : public Imf::OStream {
 public:
  MemoryFile() : OStream("test") {}
  void write(const char from[], int count) override;
  std::uint64_t tellp() override { return at_; }
  void seekp(std::uint64_t position) override { at_ = static_cast<std::size_t>(position); }

  ByteList bytes;

 private:
  std::size_t at_ = 0;
};

/// A 45 x 37 file of one channel Z = 0, 1, 2 ... that the library wrote: tiled with mips, or scan lines; `compression`
/// as in the file.
ByteList library_exr(bool tiled, int compression);

/// 16 x 12 texels (0.8, 0.4 + 0.001 x, 0.1, 0.5) as luminance and chroma.
ByteList luminance_chroma(Imf::RgbaChannels channels, const Imf::Chromaticities* primaries = nullptr);

struct TestChannel {
  const char* name;
  Imf::PixelType type;
  int sampling;
};
/// Every channel holds x + 10 * y + 100 * (its number), at every `sampling`-th texel; the window begins at (x0, y0).
ByteList channels_file(const std::vector<TestChannel>& channels, int x0, int y0, int width, int height);

}  // namespace heddle::image::files_test
