// SPDX-License-Identifier: MIT
#pragma once
// Which channels of an OpenEXR file make the texels of a surface.

#include <vector>

#include "image/files/exr/exr_header.hpp"

namespace heddle::image {

/// How luminance and chroma become colors.
enum class ExrChroma : std::uint8_t {
  None,
  Filtered,  ///< half the columns and rows: by the library
  Plain      ///< any other: `sources` are RY, Y, BY, A, each sample for its rectangle of texels
};

struct ExrMapping {
  std::vector<const ExrChannel*> sources;  ///< for each channel of the surface, of the header; nullptr: a constant
  Format format = Format::R32_FLOAT;
  ExrChroma chroma = ExrChroma::None;                  ///< Filtered: R16G16B16A16_FLOAT, `sources` is empty
  std::string layer;                                   ///< its name, where the channels belong to one
  const ExrChannel *front = nullptr, *back = nullptr;  ///< deep images: Z and ZBack of the layer
};

/// R alone, R and G, else R, G, B, A (A alone: colors are 0); Y as gray; Y with RY and BY; any other channel where it
/// is the only one; without any of them those of the first layer that has them (IMF-10). Uint channels beside half or
/// float ones are read as floats. `notes` names what is left out. Id: exr-format.
[[nodiscard]] base::Result<ExrMapping> map_exr_channels(const ExrHeader& header, const std::string& name,
                                                        base::Diagnostics* notes);

}  // namespace heddle::image
