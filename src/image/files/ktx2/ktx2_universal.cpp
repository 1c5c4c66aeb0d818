// SPDX-License-Identifier: MIT
#include "image/files/ktx2/ktx2_universal.hpp"

#include <algorithm>
#include <cstring>

#include "base/byte_cursor.hpp"
#include "image/files/ktx2/basis_lz.hpp"
#include "image/files/ktx2/uastc.hpp"

namespace heddle::image::ktx2 {
namespace {

constexpr std::uint64_t kUastcBytes = 16;

std::uint32_t blocks_of(std::uint32_t texels) { return (texels + 3) / 4; }

/// Where the 4x4 texels of a block go; those that lie outside of the level go nowhere.
class BlockTarget {
 public:
  BlockTarget(Surface& surface, std::uint32_t level, std::uint32_t slice)
      : at_(surface.layout[level]),
        first_(surface.memory->data() + surface.base + at_.offset + slice * at_.slice_pitch) {}

  template <typename TexelBytes>  // of texel i of the block, row by row
  void put(std::uint32_t column, std::uint32_t row, TexelBytes texel) {
    const std::uint32_t width = std::min(4u, at_.width - 4 * column), height = std::min(4u, at_.height - 4 * row);
    for (std::uint32_t y = 0; y < height; ++y)
      for (std::uint32_t x = 0; x < width; ++x) {
        const std::array<std::uint8_t, 4> bytes = texel(4 * y + x);
        std::memcpy(first_ + (4 * std::uint64_t{row} + y) * at_.row_pitch + 4 * (4 * std::uint64_t{column} + x),
                    bytes.data(), 4);
      }
  }
  std::uint8_t* element(std::uint32_t column, std::uint32_t row) {
    return first_ + row * at_.row_pitch + column * kUastcBytes;
  }

 private:
  const LevelLayout& at_;
  std::uint8_t* first_;
};

constexpr std::uint64_t kGlobalHead = 20, kImageEntry = 20, kEndOfFirstSlice = 4, kSecondSlice = 12;
constexpr std::uint32_t kRefersToFrameBefore = 2;

struct Image {
  std::uint32_t flags = 0;
  std::array<std::uint32_t, 2> offset{}, length{};
};

class BasisLzReader {
 public:
  BasisLzReader(const BasisLzFile& file, Surface& surface) : file_(file), surface_(surface) {}

  base::Result<base::Done> run() {
    if (auto read = read_global(); !read.ok()) return read;
    for (std::uint32_t level = 0; level < surface_.levels; ++level)
      if (auto read = read_level(level); !read.ok()) return read;
    return base::Done{};
  }

 private:
  base::Diagnostic wrong(std::string message, std::uint64_t at) const {
    return at_byte("ktx2-basis", std::move(message), file_.name, at);
  }

  /// Counts and lengths, an entry for each image, the codebooks and the tables.
  base::Result<base::Done> read_global() {
    const std::uint64_t start = file_.global.offset;
    base::ByteCursor cursor(file_.bytes.subspan(start, file_.global.length));
    const std::uint32_t endpoints = cursor.u16(), selectors = cursor.u16();
    const std::uint32_t lengths[] = {cursor.u32(), cursor.u32(), cursor.u32()};
    cursor.u32();  // extended data: ETC1S has none
    std::uint64_t images = 0;
    for (const LevelLayout& level : surface_.layout) images += level.slices;
    const std::uint64_t needed =
        kGlobalHead + kImageEntry * images + lengths[0] + std::uint64_t{lengths[1]} + lengths[2];
    if (cursor.failed() || needed > file_.global.length)
      return at_byte("ktx2-basis",
                     cursor.failed() ? "the global data of BasisLZ ends within its head"
                                     : fmt::format("the global data of BasisLZ has {} bytes, its {} images, codebooks "
                                                   "and tables need {}",
                                                   file_.global.length, images, needed),
                     file_.name, file_.global.at, 16);
    for (std::uint64_t i = 0; i < images; ++i) {
      Image image{cursor.u32(), {}, {}};
      for (std::size_t slice = 0; slice < 2; ++slice) {
        image.offset[slice] = cursor.u32();
        image.length[slice] = cursor.u32();
      }
      images_.push_back(image);
    }
    const auto part = [&](const char* what, std::size_t i, auto read) -> base::Result<base::Done> {
      const std::uint64_t at = start + cursor.position();
      const std::string_view problem = read(cursor.take(lengths[i]));
      if (problem.empty()) return base::Done{};
      return wrong(fmt::format("BasisLZ, {}: {}", what, problem), at);
    };
    if (auto done = part("codebook of end points", 0, [&](Bytes b) { return book_.read_endpoints(b, endpoints); });
        !done.ok())
      return done;
    if (auto done = part("codebook of selectors", 1, [&](Bytes b) { return book_.read_selectors(b, selectors); });
        !done.ok())
      return done;
    return part("tables", 2, [&](Bytes b) { return book_.read_tables(b); });
  }

  base::Result<base::Done> read_level(std::uint32_t level) {
    const Level& index = file_.levels[level];
    const LevelLayout& layout = surface_.layout[level];
    if (index.offset > file_.bytes.size() || file_.bytes.size() - index.offset < index.length)
      return outside_the_file(index, level, file_.bytes.size(), file_.name);
    // The layers are the frames of an animation: each face goes on from its last one.
    std::vector<std::array<Etc1sSlice, 2>> frames(file_.faces);
    for (auto& frame : frames) frame.fill({blocks_of(layout.width), blocks_of(layout.height), {}});
    for (std::uint32_t s = 0; s < layout.slices; ++s, ++next_image_) {
      const Image& image = images_[next_image_];
      auto& frame = frames[s % file_.faces];
      const bool refers = (image.flags & kRefersToFrameBefore) != 0;
      if (refers && (s < file_.faces || surface_.type == SurfaceType::Dim3))
        return wrong(fmt::format("image {} of level {} is a P-frame without a frame before it", s, level),
                     entry_at(next_image_));
      for (std::size_t part = 0; part < (file_.second_slices ? 2 : 1); ++part)
        if (auto done = read_slice(level, s, part, refers, frame[part]); !done.ok()) return done;
      put(level, s, frame);
    }
    return base::Done{};
  }

  std::uint64_t entry_at(std::uint64_t image) const { return file_.global.offset + kGlobalHead + kImageEntry * image; }

  base::Result<base::Done> read_slice(std::uint32_t level, std::uint32_t s, std::size_t part, bool refers,
                                      Etc1sSlice& slice) {
    const Image& image = images_[next_image_];
    const Level& index = file_.levels[level];
    const std::uint64_t offset = image.offset[part], length = image.length[part];
    if (length == 0 || offset > index.length || index.length - offset < length)
      return wrong(fmt::format("slice {} of image {} of level {} ({} bytes at {}) lies outside the level of {} bytes",
                               part, s, level, length, offset, index.length),
                   entry_at(next_image_) + (part == 0 ? kEndOfFirstSlice : kSecondSlice));
    const std::string_view problem = book_.decode(file_.bytes.subspan(index.offset + offset, length), refers, slice);
    if (problem.empty()) return base::Done{};
    return wrong(fmt::format("slice {} of image {} of level {}: {}", part, s, level, problem), index.offset + offset);
  }

  /// Red, green and blue of the first slice; alpha is green of the second one.
  void put(std::uint32_t level, std::uint32_t s, const std::array<Etc1sSlice, 2>& slices) {
    BlockTarget target(surface_, level, s);
    const Etc1sSlice& colors = slices[0];
    std::array<BasisLz::Color, 16> color, alpha;
    for (BasisLz::Color& texel : alpha) texel.fill(255);
    for (std::uint32_t row = 0; row < colors.rows; ++row)
      for (std::uint32_t column = 0; column < colors.columns; ++column) {
        const std::size_t at = std::size_t{row} * colors.columns + column;
        color = book_.texels(colors.blocks[at]);
        if (file_.second_slices) alpha = book_.texels(slices[1].blocks[at]);
        target.put(column, row, [&](std::size_t i) {
          return std::array<std::uint8_t, 4>{color[i][0], color[i][1], color[i][2], alpha[i][1]};
        });
      }
  }

  const BasisLzFile& file_;
  Surface& surface_;
  BasisLz book_;
  std::vector<Image> images_;
  std::size_t next_image_ = 0;
};

}  // namespace

std::uint64_t uastc_slice_bytes(const LevelLayout& level) {
  return kUastcBytes * blocks_of(level.width) * blocks_of(level.height);
}

std::uint32_t put_uastc(Surface& surface, std::uint32_t level, std::uint32_t slice, Bytes blocks) {
  const LevelLayout& at = surface.layout[level];
  const bool bc7 = surface.info().block_width == 4;
  UastcBlock none;
  none.ends[0] = none.ends[1] = {255, 0, 255, 255};
  BlockTarget target(surface, level, slice);
  std::uint32_t broken = 0;
  const std::uint8_t* from = blocks.data();
  for (std::uint32_t row = 0; row < blocks_of(at.height); ++row)
    for (std::uint32_t column = 0; column < blocks_of(at.width); ++column, from += kUastcBytes) {
      const auto read = read_uastc(from);
      const UastcBlock& block = read ? *read : none;
      broken += read ? 0 : 1;
      if (bc7) {
        uastc_to_bc7(block, target.element(column, row));
        continue;
      }
      const auto texels = uastc_texels(block);
      target.put(column, row, [&](std::size_t i) { return texels[i]; });
    }
  return broken;
}

base::Result<base::Done> read_basis_lz(const BasisLzFile& file, Surface& surface) {
  return BasisLzReader(file, surface).run();
}

}  // namespace heddle::image::ktx2
