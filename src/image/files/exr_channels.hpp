#pragma once
// Which channels of an OpenEXR file make the texels of a surface.

#include <vector>

#include "image/files/exr_header.hpp"

namespace heddle::image {

struct ExrMapping {
  std::vector<const ExrChannel*> sources;  ///< for each channel of the surface, of the header; nullptr: a constant
  Format format = Format::R32_FLOAT;
  bool luminance_chroma = false;  ///< Y, RY, BY: R16G16B16A16_FLOAT, `sources` is empty
};

/// R alone, R and G, else R, G, B, A; Y as grey; Y with RY and BY; any other channel where it is the only one. Uint
/// channels beside half or float ones are read as floats. `notes` names what is left out. Id: exr-format.
[[nodiscard]] base::Result<ExrMapping> map_exr_channels(const ExrHeader& header, const std::string& name,
                                                        base::Diagnostics* notes);

}  // namespace heddle::image
