// KTX2 (KTX File Format Specification 2.0): every format of the table that has a VkFormat; Zstandard or no
// supercompression.

#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <numeric>

#include "base/byte_cursor.hpp"
#include "image/files/codec.hpp"
#include "image/files/descriptor.hpp"

namespace heddle::image {
namespace {

constexpr std::array<std::uint8_t, 12> kIdentifier = {0xab, 'K', 'T', 'X', ' ', '2', '0', 0xbb, '\r', '\n', 0x1a, '\n'};
constexpr std::uint32_t kSupercompressionNone = 0, kSupercompressionZstd = 2;
constexpr std::uint64_t kLevelIndexAt = 80;

/// Vulkan's one- and two-channel sRGB formats are luminance formats with channel selects here.
constexpr std::uint32_t kVulkanR8Srgb = 15, kVulkanR8G8Srgb = 22;

struct Header {
  std::uint32_t vk_format = 0, type_size = 0, width = 0, height = 0, depth = 0, layers = 0, faces = 0, levels = 0,
                scheme = 0;
};
struct Level {
  std::uint64_t offset = 0, length = 0, uncompressed = 0;
};

class Reader {
 public:
  Reader(Bytes bytes, const std::string& name, const base::Limits& limits)
      : bytes_(bytes), name_(name), limits_(limits) {}

  base::Result<Surface> run() {
    base::ByteCursor cursor(bytes_, kIdentifier.size());
    for (std::uint32_t* field : {&header_.vk_format, &header_.type_size, &header_.width, &header_.height,
                                 &header_.depth, &header_.layers, &header_.faces, &header_.levels, &header_.scheme})
      *field = cursor.u32();
    const std::uint32_t dfd_offset = cursor.u32(), dfd_length = cursor.u32(), kvd_offset = cursor.u32(),
                        kvd_length = cursor.u32();
    const std::uint64_t sgd_offset = cursor.u64(), sgd_length = cursor.u64();
    if (cursor.failed()) return at_byte("ktx2-header", "the file ends within the header", name_, cursor.failed_at());
    for (const auto& [what, at, offset, length] : {Section{"data format descriptor", 48, dfd_offset, dfd_length},
                                                   Section{"key/value data", 56, kvd_offset, kvd_length},
                                                   Section{"supercompression global data", 64, sgd_offset, sgd_length}})
      if (length != 0 && (offset > bytes_.size() || bytes_.size() - offset < length))
        return at_byte("ktx2-header",
                       fmt::format("the {} ({} bytes at {}) lies outside the file of {} bytes", what, length, offset,
                                   bytes_.size()),
                       name_, at, 8);
    if (dfd_length != 0) {
      base::ByteCursor descriptor(bytes_, dfd_offset);
      if (const std::uint32_t total = descriptor.u32(); descriptor.failed() || total != dfd_length)
        return at_byte(
            "ktx2-header",
            fmt::format("the data format descriptor's total size {} is not its length {}", total, dfd_length), name_,
            dfd_offset, 4);
    }
    auto surface = describe();
    if (!surface.ok()) return surface;
    for (std::uint32_t i = 0; i < surface->levels; ++i) levels_.push_back({cursor.u64(), cursor.u64(), cursor.u64()});
    if (cursor.failed())
      return at_byte("ktx2-header", "the file ends within the level index", name_, cursor.failed_at());
    return read_levels(std::move(*surface));
  }

 private:
  struct Section {
    const char* what;
    std::uint64_t at, offset, length;
  };

  base::Result<Surface> describe() {
    Surface surface;
    const FormatInfo* format = from_vulkan_format(header_.vk_format);
    if (header_.vk_format == kVulkanR8Srgb) {
      format = format_info(Format::L8_UNORM_SRGB);
      surface.swizzle = {ChannelSelect::Red, ChannelSelect::Zero, ChannelSelect::Zero, ChannelSelect::One};
    } else if (header_.vk_format == kVulkanR8G8Srgb) {
      format = format_info(Format::L8A8_UNORM_SRGB);
      surface.swizzle = {ChannelSelect::Red, ChannelSelect::Alpha, ChannelSelect::Zero, ChannelSelect::One};
    }
    if (header_.scheme != kSupercompressionNone && header_.scheme != kSupercompressionZstd)
      return at_byte("ktx2-format", fmt::format("supercompression scheme {} is not supported", header_.scheme), name_,
                     44, 4)
          .note("0 (none) and 2 (Zstandard) are");
    if (format == nullptr || format->compression == Compression::Planar420)
      return at_byte("ktx2-format", fmt::format("VkFormat {} has no surface format", header_.vk_format), name_, 12, 4);
    surface.format = format->format;
    if (header_.width == 0) return at_byte("ktx2-header", "pixelWidth is 0", name_, 20, 4);
    if (header_.depth != 0 && header_.height == 0)
      return at_byte("ktx2-header", "pixelDepth without pixelHeight", name_, 28, 4);
    if (header_.faces != 1 && header_.faces != 6)
      return at_byte("ktx2-header", fmt::format("faceCount {}: 1 or 6", header_.faces), name_, 36, 4);
    if (header_.faces == 6 && (header_.depth != 0 || header_.height != header_.width))
      return at_byte("ktx2-header", "a cube's faces are square and not 3D", name_, 36, 4);
    if (header_.depth != 0 && header_.layers != 0)
      return at_byte("ktx2-format", "arrays of 3D images are not supported", name_, 32, 4);
    surface.width = header_.width;
    surface.height = std::max(1u, header_.height);
    surface.depth = std::max(1u, header_.depth);
    surface.type = header_.depth != 0    ? SurfaceType::Dim3
                   : header_.faces == 6  ? SurfaceType::Cube
                   : header_.height == 0 ? SurfaceType::Dim1
                                         : SurfaceType::Dim2;
    surface.array = header_.layers != 0;
    surface.view_layers = std::max(1u, header_.layers);
    const std::uint64_t layers = std::uint64_t{surface.view_layers} * header_.faces;
    const std::uint32_t greatest = std::max({surface.width, surface.height, surface.depth});
    surface.levels = std::max(1u, header_.levels);
    if (surface.levels > 32 || greatest >> (surface.levels - 1) == 0)
      return at_byte("ktx2-header", fmt::format("{} levels of an image of {} texels", surface.levels, greatest), name_,
                     40, 4);
    if (layers > bytes_.size())
      return at_byte("ktx2-header", fmt::format("{} layers do not fit in the file", layers), name_, 32, 4);
    surface.layers = static_cast<std::uint32_t>(layers);
    surface.mip_count = surface.levels - 1;
    surface.rt_extent = surface.layers - 1;
    return surface;
  }

  base::Result<Surface> read_levels(Surface surface) {
    auto allocated = allocate_for_file(std::move(surface), name_, 20, limits_);
    if (!allocated.ok()) return allocated;
    for (std::uint32_t level = 0; level < allocated->levels; ++level) {
      const Level& index = levels_[level];
      const std::uint64_t at = kLevelIndexAt + 24 * level;
      const std::uint32_t slices = allocated->layout[level].slices;
      const std::uint64_t needed = slice_bytes(*allocated, level) * slices;
      if (index.offset > bytes_.size() || bytes_.size() - index.offset < index.length)
        return at_byte("ktx2-level",
                       fmt::format("level {} ({} bytes at {}) lies outside the file of {} bytes", level, index.length,
                                   index.offset, bytes_.size()),
                       name_, at, 24);
      if ((header_.scheme == kSupercompressionNone ? index.length : index.uncompressed) != needed)
        return at_byte("ktx2-level",
                       fmt::format("level {} has {} bytes, its size asks for {}", level,
                                   header_.scheme == kSupercompressionNone ? index.length : index.uncompressed, needed),
                       name_, at, 24);
      const Bytes stored = bytes_.subspan(index.offset, index.length);
      std::uint8_t* to = allocated->memory->data() + allocated->layout[level].offset;
      if (header_.scheme == kSupercompressionNone) {
        std::memcpy(to, stored.data(), needed);
        continue;
      }
      const std::size_t result = ZSTD_decompress(to, needed, stored.data(), stored.size());
      if (ZSTD_isError(result) != 0)
        return at_byte("ktx2-level", fmt::format("level {}: {}", level, ZSTD_getErrorName(result)), name_,
                       index.offset);
      if (result != needed)
        return at_byte("ktx2-level",
                       fmt::format("level {} decompresses to {} bytes, its size asks for {}", level, result, needed),
                       name_, index.offset);
    }
    return allocated;
  }

  Bytes bytes_;
  const std::string& name_;
  const base::Limits& limits_;
  Header header_;
  std::vector<Level> levels_;
};

void pad_to(base::ByteWriter& writer, std::uint64_t multiple) {
  while (writer.size() % multiple != 0) writer.u8(0);
}

struct FreeZstd {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

}  // namespace

base::Result<Surface> decode_ktx2(Bytes bytes, const std::string& name, const base::Limits& limits) {
  return Reader(bytes, name, limits).run();
}

base::Result<std::vector<std::uint8_t>> encode_ktx2(const Surface& surface, const SaveOptions& options,
                                                    base::Diagnostics* notes) {
  if (surface.is_buffer() || surface.type == SurfaceType::Null || surface.layout.empty())
    return base::error("ktx2-format", fmt::format("{}: a surface without pictures can't be a KTX2 file", surface.name));
  const FormatInfo& format = surface.info();
  auto vk_format = vulkan_format(surface.format);
  if (surface.format == Format::L8_UNORM_SRGB) vk_format = kVulkanR8Srgb;
  if (surface.format == Format::L8A8_UNORM_SRGB) vk_format = kVulkanR8G8Srgb;
  const bool scaled =
      format.channels[0].type == ChannelType::Uscaled || format.channels[0].type == ChannelType::Sscaled;
  if (!vk_format || format.compression == Compression::Planar420 || scaled)
    return base::error("ktx2-format",
                       fmt::format("{}: {} has no VkFormat that KTX2 allows", surface.name, format.name));
  if (surface.samples != 1 || surface.cells() != 1)
    return base::error("ktx2-format",
                       fmt::format("{}: KTX2 holds neither multisampled nor quilted surfaces", surface.name));
  if (vk_format == kVulkanR8Srgb || vk_format == kVulkanR8G8Srgb)
    say(notes, base::remark(
                   "ktx2-format",
                   fmt::format("{}: {} is written as VkFormat {}, which has the same texels with other channel selects",
                               surface.name, format.name, *vk_format)));

  const std::uint32_t faces = surface.type == SurfaceType::Cube ? 6 : 1;
  const std::uint32_t levels = static_cast<std::uint32_t>(surface.layout.size());
  const bool is_array = surface.type != SurfaceType::Dim3 && (surface.array || surface.layers / faces > 1);
  base::ByteWriter writer;
  writer.bytes(kIdentifier);
  writer.u32(*vk_format);
  writer.u32(type_size(format));
  writer.u32(surface.width);
  writer.u32(surface.type == SurfaceType::Dim1 ? 0 : surface.height);
  writer.u32(surface.type == SurfaceType::Dim3 ? surface.depth : 0);
  writer.u32(is_array ? surface.layers / faces : 0);
  writer.u32(faces);
  writer.u32(levels);
  writer.u32(options.zstd ? kSupercompressionZstd : kSupercompressionNone);
  const auto descriptor = data_format_descriptor(format);
  const std::uint64_t descriptor_at = kLevelIndexAt + 24 * levels;
  constexpr std::string_view kWriter("KTXwriter\0heddle", 17);  // both end with a zero byte
  writer.u32(descriptor_at);
  writer.u32(descriptor.size());
  writer.u32(descriptor_at + descriptor.size());
  writer.u32(4 + kWriter.size() + 3);
  writer.u64(0);
  writer.u64(0);
  for (std::uint32_t i = 0; i < 3 * levels; ++i) writer.u64(0);
  writer.bytes(descriptor);
  writer.u32(kWriter.size());
  writer.bytes(kWriter);
  pad_to(writer, 4);

  const std::unique_ptr<ZSTD_CCtx, FreeZstd> zstd(options.zstd ? ZSTD_createCCtx() : nullptr);
  for (std::uint32_t level = levels; level-- > 0;) {  // smallest first
    std::vector<std::uint8_t> texels;
    for (std::uint32_t slice = 0; slice < surface.layout[level].slices; ++slice) {
      const auto part = packed_slice(surface, level, slice);
      texels.insert(texels.end(), part.begin(), part.end());
    }
    const std::uint64_t uncompressed = texels.size();
    if (options.zstd) {
      std::vector<std::uint8_t> packed(ZSTD_compressBound(texels.size()));
      const std::size_t size =
          ZSTD_compressCCtx(zstd.get(), packed.data(), packed.size(), texels.data(), texels.size(), 3);
      if (ZSTD_isError(size) != 0)
        return base::error("ktx2-format", fmt::format("{}: {}", surface.name, ZSTD_getErrorName(size)));
      packed.resize(size);
      texels = std::move(packed);
    } else {
      pad_to(writer, std::lcm<std::uint64_t>(format.bytes_per_element(), 4));
    }
    const std::uint64_t at = kLevelIndexAt + 24 * level;
    writer.patch<std::uint64_t>(at, writer.size());
    writer.patch<std::uint64_t>(at + 8, texels.size());
    writer.patch<std::uint64_t>(at + 16, uncompressed);
    writer.bytes(texels);
  }
  return writer.take();
}

}  // namespace heddle::image
