// SPDX-License-Identifier: MIT
#pragma once
// KTX2 files made byte by byte.

#include "files_support.hpp"

namespace heddle::image::files_test {

/// A KTX2 file of our own: one level after the other, the largest first, as `levels` holds them.
struct Ktx2File {
  std::uint32_t vk_format = 37, width = 1, height = 1, depth = 0, layers = 0, faces = 1, scheme = 0;
  std::vector<ByteList> levels{};
  std::vector<std::uint64_t> uncompressed{};  ///< where it differs from the level's size
  std::uint8_t model = 1;
  std::vector<std::uint8_t> channels{};  ///< a sample of the descriptor for each
  ByteList keys{};                       ///< key/value data, behind the descriptor
  ByteList global{};                     ///< supercompression global data, before the levels

  [[nodiscard]] ByteList bytes() const;
};

/// The bytes as a ZLIB stream.
ByteList zlib_packed(const ByteList& bytes);

}  // namespace heddle::image::files_test
