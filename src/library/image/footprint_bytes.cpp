// SPDX-License-Identifier: MIT
// Rules: FP-35.
#include "heddle/footprint_bytes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "image/byte_footprint.hpp"
#include "image/tiling.hpp"
#include "library/image/impl.hpp"

namespace heddle {
namespace {

std::vector<TouchedBytes> to_public(const std::vector<image::ByteFootprint::Piece>& pieces) {
  std::vector<TouchedBytes> list;
  for (const auto& piece : pieces) list.push_back({piece.offset, piece.bytes});
  return list;
}

}  // namespace

std::vector<std::string_view> tile_modes() {
  std::vector<std::string_view> names;
  for (const image::TileMode mode :
       {image::TileMode::Linear, image::TileMode::X, image::TileMode::Y, image::TileMode::W, image::TileMode::Tile4,
        image::TileMode::Tile64, image::TileMode::Ys, image::TileMode::Yf})
    names.push_back(image::hardware::tile_mode_name(mode));
  return names;
}

Result<FootprintBytes> footprint_bytes(const Image& image, std::span<const TexelPlace> texels,
                                       const FootprintBytesOptions& options) {
  if (image.empty()) return library::empty_image();
  const auto tile = image::hardware::find_tile_mode(options.tile);
  if (!tile)
    return library::wrong_argument(
        fmt::format("unknown tiling '{}'; one of: {}", options.tile, fmt::join(tile_modes(), " ")));
  std::vector<image::Surface::TexelIndex> list;
  list.reserve(texels.size());
  for (const TexelPlace& t : texels) list.push_back({t.level, t.slice, t.x, t.y});
  return library::map(
      image::byte_footprint(library::surface_of(image), list, {*tile, options.line_bytes, options.page_bytes}),
      [](image::ByteFootprint&& found) {
        return FootprintBytes{found.elements, found.bytes, found.surface_bytes, to_public(found.lines),
                              to_public(found.pages)};
      });
}

}  // namespace heddle
