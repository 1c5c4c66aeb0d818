// SPDX-License-Identifier: MIT
#pragma once
// KTX2's universal texels: UASTC and BasisLZ, which no hardware reads. They become R8G8B8A8, exactly as their formats
// say; UASTC also BC7.

#include "image/files/ktx2/ktx2_formats.hpp"

namespace heddle::image::ktx2 {

/// Of one slice.
[[nodiscard]] std::uint64_t uastc_slice_bytes(const LevelLayout& level);

/// Moves the blocks of one slice into a linear surface of R8G8B8A8 or BC7. How many of them are no blocks: their texels
/// are (255, 0, 255, 255).
[[nodiscard]] std::uint32_t put_uastc(Surface& surface, std::uint32_t level, std::uint32_t slice, Bytes blocks);

struct BasisLzFile {
  Bytes bytes;
  const std::string& name;
  Section global;
  std::vector<Level> levels;
  std::uint32_t faces = 1;
  bool second_slices = false;  ///< each image has one more slice of blocks: alpha, or green
};

/// Decodes all images into a linear surface of R8G8B8A8. Ids: ktx2-basis, ktx2-level.
[[nodiscard]] base::Result<base::Done> read_basis_lz(const BasisLzFile& file, Surface& surface);

}  // namespace heddle::image::ktx2
