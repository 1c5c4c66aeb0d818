// SPDX-License-Identifier: MIT
#pragma once
// Transfers between images and memory: copies, blits, resolves, clears, fills (TRF-1 to TRF-21). Nothing here knows an
// interface: an image is an image::Surface, a buffer a span of bytes.
//
// An image of several planes, or of depth and stencil, is one surface for each plane or aspect: a transfer of an aspect
// is a transfer of its surface. Regions count texels of one level, layers count array layers (cubes: faces), a layer of
// a multisampled surface has all its samples. Every function checks first and changes nothing when it refuses; ids:
// transfer-region (a region that leaves an image or a buffer, or is not aligned to blocks), transfer-format (formats
// that do not go together), transfer-memory (a surface without its memory).
//
// The functions of namespace `reference` do the same, texel by texel, straight from the rules; results are equal bit
// for bit.

#include <array>
#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "image/surface.hpp"
#include "pipeline/transfer/resolve_mode.hpp"

namespace heddle::pipeline::transfer {

/// In texels; of 3D images z counts slices, else it is 0.
struct Offset {
  std::int32_t x = 0, y = 0, z = 0;
};
struct Extent {
  std::uint32_t width = 1, height = 1, depth = 1;
};

/// Where a region starts. 3D images have one layer, 0.
struct ImageOrigin {
  std::uint32_t level = 0, first_layer = 0;
  Offset offset;
};
/// A region of one level.
struct ImageBox {
  std::uint32_t level = 0, first_layer = 0, layers = 1;
  Offset offset;
  Extent extent;
};
/// All of a level's texels, in `layers` layers from `first_layer` on.
[[nodiscard]] ImageBox whole_level(const image::Surface& surface, std::uint32_t level, std::uint32_t first_layer,
                                   std::uint32_t layers);

/// TRF-21: an extent that ends inside a block, brought to the block's end or to the level's; else, and where the box
/// begins inside one, the box as it is.
[[nodiscard]] ImageBox whole_blocks(const image::Surface& surface, const ImageBox& box);

/// Where the texels of a region lie in a buffer (TRF-2).
struct BufferLayout {
  std::uint64_t offset = 0;        ///< bytes
  std::uint32_t row_length = 0;    ///< texels from row to row; less than the region's width: that
  std::uint32_t image_height = 0;  ///< rows of texels from slice to slice; less than the region's height: that
};

/// How much of the machine a call may use.
struct Work {
  unsigned workers = 1;  ///< threads; small regions stay on the caller's
};

/// TRF-2. The image has one sample.
[[nodiscard]] base::Result<base::Done> copy_to_image(std::span<const std::uint8_t> buffer, const BufferLayout& layout,
                                                     image::Surface& image, const ImageBox& box, Work work = {});
[[nodiscard]] base::Result<base::Done> copy_to_buffer(const image::Surface& image, const ImageBox& box,
                                                      std::span<std::uint8_t> buffer, const BufferLayout& layout,
                                                      Work work = {});

/// TRF-3 to TRF-5: elements as they are, between formats with elements of the same size. The extent counts texels of
/// `from`. Slices of a 3D image and layers of another are the same thing: `box.extent.depth` of a 3D source, else
/// `box.layers` of them are copied. Same number of samples.
[[nodiscard]] base::Result<base::Done> copy_image(const image::Surface& from, const ImageBox& box, image::Surface& to,
                                                  const ImageOrigin& at, Work work = {});

/// One side of a blit: two opposite corners in texels, between texels; a first corner that is greater than the second
/// on an axis mirrors it.
struct BlitBox {
  std::uint32_t level = 0, first_layer = 0, layers = 1;
  std::array<Offset, 2> corners;
};
/// TRF-6 to TRF-13: scales, filters (Nearest or Linear), converts. One sample.
[[nodiscard]] base::Result<base::Done> blit(const image::Surface& from, const BlitBox& source, image::Surface& to,
                                            const BlitBox& destination, image::Filter filter, Work work = {});

/// TRF-14 to TRF-16: many samples to one. `to` has the format of `from`.
[[nodiscard]] base::Result<base::Done> resolve(const image::Surface& from, const ImageBox& box, image::Surface& to,
                                               const ImageOrigin& at, ResolveMode mode, Work work = {});
/// TRF-14: Average, or SampleZero of integers.
[[nodiscard]] ResolveMode default_resolve_mode(const image::FormatInfo& format);

/// TRF-17: words as the format's value class has them; every sample.
[[nodiscard]] base::Result<base::Done> clear(image::Surface& image, const ImageBox& box, const image::Texel& value,
                                             Work work = {});
/// TRF-18: of a depth surface, of a stencil surface.
[[nodiscard]] base::Result<base::Done> clear_depth(image::Surface& image, const ImageBox& box, float depth,
                                                   Work work = {});
[[nodiscard]] base::Result<base::Done> clear_stencil(image::Surface& image, const ImageBox& box, std::uint32_t stencil,
                                                     Work work = {});

/// TRF-19: the word over and over, least significant byte first; what remains of a size that is no multiple of 4 is
/// left as it is.
void fill(std::span<std::uint8_t> memory, std::uint32_t word, Work work = {});
/// TRF-20: `to` has at least the size of `from`. Also for updates of buffers.
void copy_bytes(std::span<const std::uint8_t> from, std::span<std::uint8_t> to, Work work = {});

namespace reference {

[[nodiscard]] base::Result<base::Done> copy_to_image(std::span<const std::uint8_t> buffer, const BufferLayout& layout,
                                                     image::Surface& image, const ImageBox& box);
[[nodiscard]] base::Result<base::Done> copy_to_buffer(const image::Surface& image, const ImageBox& box,
                                                      std::span<std::uint8_t> buffer, const BufferLayout& layout);
[[nodiscard]] base::Result<base::Done> copy_image(const image::Surface& from, const ImageBox& box, image::Surface& to,
                                                  const ImageOrigin& at);
[[nodiscard]] base::Result<base::Done> blit(const image::Surface& from, const BlitBox& source, image::Surface& to,
                                            const BlitBox& destination, image::Filter filter);
[[nodiscard]] base::Result<base::Done> resolve(const image::Surface& from, const ImageBox& box, image::Surface& to,
                                               const ImageOrigin& at, ResolveMode mode);
[[nodiscard]] base::Result<base::Done> clear(image::Surface& image, const ImageBox& box, const image::Texel& value);
void fill(std::span<std::uint8_t> memory, std::uint32_t word);

}  // namespace reference
}  // namespace heddle::pipeline::transfer
