// SPDX-License-Identifier: MIT
// Writing KTX2: the texels as they are, level by level.

#include <zstd.h>

#include <memory>
#include <numeric>

#include "base/byte_cursor.hpp"
#include "image/files/codec.hpp"
#include "image/files/ktx2/descriptor.hpp"
#include "image/files/ktx2/ktx2_formats.hpp"

namespace heddle::image {
namespace {

using namespace ktx2;

constexpr std::string_view kWriter("KTXwriter\0heddle\0", 17);

void pad_to(base::ByteWriter& writer, std::uint64_t multiple) {
  while (writer.size() % multiple != 0) writer.u8(0);
}

struct FreeZstd {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

base::Result<std::uint32_t> choose_vulkan_format(const Surface& surface, base::Diagnostics* notes) {
  const FormatInfo& format = surface.info();
  const bool scaled =
      format.channels[0].type == ChannelType::Uscaled || format.channels[0].type == ChannelType::Sscaled;
  if (surface.format == Format::L8_UNORM_SRGB) {
    const std::uint32_t red = *vulkan_format(Format::R8_UNORM_SRGB);
    say(notes, base::remark(
                   "ktx2-format",
                   fmt::format("{}: {} is written as VkFormat {}, which has the same texels with other channel selects",
                               surface.name, format.name, red)));
    return red;
  }
  const auto vk_format = vulkan_format(surface.format);
  if (!vk_format || format.compression == Compression::Planar420 || scaled)
    return base::error("ktx2-format",
                       fmt::format("{}: {} has no VkFormat that KTX2 allows", surface.name, format.name));
  return *vk_format;
}

/// Identifier, header, an empty level index, the descriptor and the key/value data.
void write_head(base::ByteWriter& writer, const Surface& surface, std::uint32_t vk_format, Supercompression scheme) {
  const FormatInfo& format = surface.info();
  const std::uint32_t faces = surface.type == SurfaceType::Cube ? 6 : 1;
  const std::uint64_t levels = surface.layout.size();
  const bool is_array = surface.type != SurfaceType::Dim3 && (surface.array || surface.layers / faces > 1);
  writer.bytes(kIdentifier);
  writer.u32(vk_format);
  writer.u32(type_size(format));
  writer.u32(surface.width);
  writer.u32(surface.type == SurfaceType::Dim1 ? 0 : surface.height);
  writer.u32(surface.type == SurfaceType::Dim3 ? surface.depth : 0);
  writer.u32(is_array ? surface.layers / faces : 0);
  writer.u32(faces);
  writer.u32(levels);
  writer.u32(static_cast<std::uint32_t>(scheme));
  const auto descriptor = data_format_descriptor(format);
  const std::uint64_t descriptor_at = kLevelIndexAt + kLevelEntryBytes * levels;
  writer.u32(descriptor_at);
  writer.u32(descriptor.size());
  writer.u32(descriptor_at + descriptor.size());
  writer.u32(4 + kWriter.size() + 3);
  writer.u64(0);
  writer.u64(0);
  for (std::uint64_t i = 0; i < 3 * levels; ++i) writer.u64(0);
  writer.bytes(descriptor);
  writer.u32(kWriter.size());
  writer.bytes(kWriter);
  pad_to(writer, 4);
}

/// A level's elements, tightly packed: where they lie, if they lie so.
class Texels {
 public:
  Texels(const Surface& surface, std::uint32_t level) {
    const LevelLayout& at = surface.layout[level];
    const std::uint64_t row = std::uint64_t{at.element_columns} * surface.info().bytes_per_element();
    const std::uint64_t slice = slice_bytes(surface, level), bytes = slice * at.slices, from = surface.base + at.offset;
    const bool in_order = surface.tile_mode == TileMode::Linear && !surface.vertical_line_stride &&
                          at.row_pitch == row && (at.slices == 1 || at.slice_pitch == slice);
    if (in_order && surface.memory && from <= surface.memory->size() && bytes <= surface.memory->size() - from) {
      bytes_ = {surface.memory->data() + from, bytes};
      return;
    }
    for (std::uint32_t k = 0; k < at.slices; ++k) {
      const auto part = packed_slice(surface, level, k);
      own_.insert(own_.end(), part.begin(), part.end());
    }
    bytes_ = own_;
  }
  [[nodiscard]] Bytes bytes() const { return bytes_; }

 private:
  std::vector<std::uint8_t> own_;
  Bytes bytes_;
};

}  // namespace

base::Result<std::vector<std::uint8_t>> encode_ktx2(const Surface& surface, const SaveOptions& options,
                                                    base::Diagnostics* notes) {
  if (surface.is_buffer() || surface.type == SurfaceType::Null || surface.layout.empty())
    return base::error("ktx2-format", fmt::format("{}: a surface without pictures can't be a KTX2 file", surface.name));
  const auto vk_format = choose_vulkan_format(surface, notes);
  if (!vk_format.ok()) return vk_format.failure();
  if (surface.samples != 1 || surface.cells() != 1)
    return base::error("ktx2-format",
                       fmt::format("{}: KTX2 holds neither multisampled nor quilted surfaces", surface.name));
  base::ByteWriter writer;
  write_head(writer, surface, *vk_format, options.zstd ? Supercompression::Zstandard : Supercompression::None);

  const std::unique_ptr<ZSTD_CCtx, FreeZstd> zstd(options.zstd ? ZSTD_createCCtx() : nullptr);
  for (auto level = static_cast<std::uint32_t>(surface.layout.size()); level-- > 0;) {  // smallest first
    const Texels packed(surface, level);
    Bytes texels = packed.bytes();
    const std::uint64_t uncompressed = texels.size();
    std::unique_ptr<std::uint8_t[]> compressed;
    if (options.zstd) {
      const std::size_t most = ZSTD_compressBound(texels.size());
      compressed = std::make_unique_for_overwrite<std::uint8_t[]>(most);
      const std::size_t size = ZSTD_compressCCtx(zstd.get(), compressed.get(), most, texels.data(), texels.size(), 3);
      if (ZSTD_isError(size) != 0)
        return base::error("ktx2-format", fmt::format("{}: {}", surface.name, ZSTD_getErrorName(size)));
      texels = {compressed.get(), size};
    } else {
      pad_to(writer, std::lcm<std::uint64_t>(surface.info().bytes_per_element(), 4));
    }
    const std::uint64_t at = kLevelIndexAt + kLevelEntryBytes * level;
    writer.patch<std::uint64_t>(at, writer.size());
    writer.patch<std::uint64_t>(at + 8, texels.size());
    writer.patch<std::uint64_t>(at + 16, uncompressed);
    writer.bytes(texels);
  }
  return writer.take();
}

}  // namespace heddle::image
