// SPDX-License-Identifier: MIT
// Any bytes as a PNG file: a surface within the limits, or a message. Checksums are made right first: a mutation hardly
// ever keeps them, and a file with wrong ones is refused before its texels are decoded.

#include <zlib.h>

#include <vector>

#include "image_file.hpp"

namespace {

std::uint32_t big_endian(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

void repair_checksums(std::vector<std::uint8_t>& file) {
  for (std::size_t at = 8; at + 12 <= file.size();) {
    const std::size_t length = big_endian(file.data() + at);
    if (length > file.size() - at - 12) return;
    const auto checksum = static_cast<std::uint32_t>(crc32(0, file.data() + at + 4, static_cast<uInt>(length + 4)));
    for (unsigned i = 0; i < 4; ++i) file[at + 8 + length + i] = static_cast<std::uint8_t>(checksum >> (24 - 8 * i));
    at += 12 + length;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint8_t> file(data, data + size);
  repair_checksums(file);
  const int result = heddle::fuzz::read_image(file.data(), file.size(), heddle::image::FileKind::Png);
  return result == 0 ? heddle::fuzz::read_image(data, size, heddle::image::FileKind::Png) : result;
}
