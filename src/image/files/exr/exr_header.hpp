// SPDX-License-Identifier: MIT
#pragma once
// The headers of an OpenEXR file, read by ourselves: sizes are checked against the file, and what the library gets to
// see is rebuilt.

#include <cstdint>
#include <string>
#include <vector>

#include "image/files/codec.hpp"

namespace heddle::image {

struct ExrChannel {
  std::string name;
  std::uint32_t type = 0;                       ///< 0 uint, 1 half, 2 float
  std::int32_t x_sampling = 1, y_sampling = 1;  ///< texels from one sample to the next; divide the data window's sizes
};

struct ExrHeader {
  // Of the first part:
  std::int64_t min_x = 0, min_y = 0, width = 0, height = 0;  ///< data window
  std::vector<ExrChannel> channels;
  std::size_t window_at = 0, channels_at = 0;  ///< bytes of the file where they stand
  bool has_levels = false;                     ///< tiles of several levels
  bool deep = false, tiled = false;
  std::size_t parts = 1;  ///< of the file
  /// Takes the place of the file's first bytes, same size: the attributes that matter, as checked; the others are one
  /// opaque blob.
  std::vector<std::uint8_t> head;
};

/// Ids: exr-header, exr-format.
[[nodiscard]] base::Result<ExrHeader> read_exr_header(Bytes bytes, const std::string& name);

}  // namespace heddle::image
