// DDS: the DX10 header, and the legacy pixel formats by FourCC and by masks. Mips, cubes, arrays, volumes.

#include <algorithm>

#include "base/byte_cursor.hpp"
#include "image/files/codec.hpp"
#include "image/files/dds_formats.hpp"

namespace heddle::image {
namespace {

using namespace dds;

constexpr std::uint32_t kCaps2Cube = 0x200, kCaps2AllFaces = 0xfc00, kCaps2Volume = 0x200000;
constexpr std::uint32_t kMiscCube = 4;
constexpr std::size_t kHeightAt = 12, kMipsAt = 28, kPixelFormatAt = 76, kCaps2At = 112, kDx10At = 128;

class Reader {
 public:
  Reader(Bytes bytes, const std::string& name, const base::Limits& limits, base::Diagnostics* notes)
      : bytes_(bytes), name_(name), limits_(limits), notes_(notes), cursor_(bytes, 4) {}

  base::Result<Surface> run() {
    if (const auto read = read_header(); !read.ok()) return read.failure();
    const bool dx10 = (flags_ & kFourCcFlag) != 0 && code_ == kFourCcDx10;
    const auto described = dx10 ? describe_dx10() : describe_legacy();
    if (!described.ok()) return described.failure();
    surface_.format = format_.format;
    if (surface_.width == 0 || surface_.height == 0 || surface_.depth == 0)
      return at_byte("dds-header", fmt::format("size {} x {} x {}", surface_.width, surface_.height, surface_.depth),
                     name_, kHeightAt, 8);
    const std::uint32_t greatest = std::max({surface_.width, surface_.height, surface_.depth});
    surface_.levels = std::max(1u, mips_);
    if (surface_.levels > 32 || greatest >> (surface_.levels - 1) == 0)
      return at_byte("dds-header", fmt::format("{} levels of an image of {} texels", surface_.levels, greatest), name_,
                     kMipsAt, 4);
    surface_.mip_count = surface_.levels - 1;
    surface_.rt_extent = surface_.layers - 1;
    if (auto unpacked = unpack_422(surface_, "dds-format", format_place(), notes_)) format_.packed = unpacked;
    return read_texels();
  }

 private:
  base::Result<base::Done> read_header() {
    const std::uint32_t size = cursor_.u32();
    cursor_.u32();
    surface_.height = cursor_.u32();
    surface_.width = cursor_.u32();
    cursor_.u32();
    depth_ = cursor_.u32();
    mips_ = cursor_.u32();
    cursor_.seek(kPixelFormatAt);
    const std::uint32_t pixel_size = cursor_.u32();
    flags_ = cursor_.u32();
    code_ = cursor_.u32();
    for (std::uint32_t* field : {&masks_.bits, &masks_.red, &masks_.green, &masks_.blue, &masks_.alpha})
      *field = cursor_.u32();
    cursor_.u32();
    caps2_ = cursor_.u32();
    cursor_.seek(kDx10At);
    if (cursor_.failed()) return at_byte("dds-header", "the file ends within the header", name_, cursor_.failed_at());
    if (size != 124 || pixel_size != 32)
      return at_byte("dds-header", fmt::format("header sizes {} and {} are not 124 and 32", size, pixel_size), name_, 4,
                     4);
    return base::Done{};
  }

  /// Where the file says what its texels are.
  base::Place format_place() const {
    return cursor_.position() > kDx10At ? base::Place::binary(name_, kDx10At, 4)
                                        : base::Place::binary(name_, kPixelFormatAt + 4, 28);
  }

  base::Result<base::Done> describe_dx10() {
    const std::uint32_t dxgi = cursor_.u32(), dimension = cursor_.u32(), misc = cursor_.u32(), array = cursor_.u32();
    cursor_.u32();
    if (cursor_.failed())
      return at_byte("dds-header", "the file ends within the DX10 header", name_, cursor_.failed_at());
    const auto format = find_dxgi_format(dxgi);
    if (!format)
      return at_byte("dds-format", fmt::format("DXGI_FORMAT {} has no surface format", dxgi), name_, kDx10At, 4);
    format_ = *format;
    if (format_.typeless)
      say(notes_,
          base::remark("dds-format",
                       fmt::format("DXGI_FORMAT {} is typeless: read as {}", dxgi, format_info(format_.format)->name),
                       format_place()));
    const bool cube = (misc & kMiscCube) != 0;
    if (dimension < 2 || dimension > 4)
      return at_byte("dds-header", fmt::format("resource dimension {}: 2, 3 or 4", dimension), name_, kDx10At + 4, 4);
    if (array == 0 || std::uint64_t{array} * 6 > bytes_.size())
      return at_byte("dds-header", fmt::format("array of {} elements", array), name_, kDx10At + 12, 4);
    if ((cube && dimension != 3) || (dimension == 4 && array != 1))
      return at_byte("dds-format", "arrays of volumes and cubes that are not 2D do not exist", name_, kDx10At + 4, 12);
    surface_.type = dimension == 2   ? SurfaceType::Dim1
                    : dimension == 4 ? SurfaceType::Dim3
                    : cube           ? SurfaceType::Cube
                                     : SurfaceType::Dim2;
    if (dimension == 2) surface_.height = 1;
    if (dimension == 4) surface_.depth = depth_;
    surface_.array = array > 1;
    surface_.view_layers = array;
    surface_.layers = array * (cube ? 6 : 1);
    return base::Done{};
  }

  base::Result<base::Done> describe_legacy() {
    const bool by_code = (flags_ & kFourCcFlag) != 0;
    const auto format = by_code ? find_four_cc(code_) : find_masks(flags_, masks_);
    if (!format && by_code)
      return at_byte("dds-format", fmt::format("{} has no surface format", four_cc_text(code_)), name_,
                     kPixelFormatAt + 8, 4);
    if (!format && (flags_ & kPalette) != 0)
      return at_byte("dds-format", "a DDS file with a palette is not supported", name_, kPixelFormatAt + 4, 4);
    if (!format)
      return at_byte("dds-format",
                     fmt::format("{} bits with masks {:#x} {:#x} {:#x} {:#x} have no surface format", masks_.bits,
                                 masks_.red, masks_.green, masks_.blue, masks_.alpha),
                     name_, kPixelFormatAt + 4, 28);
    format_ = *format;
    if ((caps2_ & kCaps2Cube) != 0) {
      if ((caps2_ & kCaps2AllFaces) != kCaps2AllFaces)
        return at_byte("dds-format", "a cube without all six faces is not supported", name_, kCaps2At, 4);
      surface_.type = SurfaceType::Cube;
      surface_.layers = 6;
    } else if ((caps2_ & kCaps2Volume) != 0) {
      surface_.type = SurfaceType::Dim3;
      surface_.depth = depth_;
    }
    return base::Done{};
  }

  /// Layer after layer (face after face), in each level after level; the surface has it the other way round.
  base::Result<Surface> read_texels() {
    const std::size_t start = cursor_.position();
    auto allocated = allocate_for_file(std::move(surface_), name_, kHeightAt, limits_);
    if (!allocated.ok()) return allocated;
    Surface& surface = *allocated;
    const bool volume = surface.type == SurfaceType::Dim3;
    const auto slice_size = [&](std::uint32_t level) {
      return format_.packed ? packed_slice_bytes(*format_.packed, surface.layout[level]) : slice_bytes(surface, level);
    };
    std::uint64_t needed = 0;
    for (std::uint32_t level = 0; level < surface.levels; ++level)
      needed += slice_size(level) * surface.layout[level].slices;
    if (bytes_.size() - start < needed)
      return at_byte("dds-data", fmt::format("the texels need {} bytes, {} follow", needed, bytes_.size() - start),
                     name_, start);
    for (std::uint32_t layer = 0; layer < (volume ? 1 : surface.layers); ++layer)
      for (std::uint32_t level = 0; level < surface.levels; ++level)
        for (std::uint32_t z = 0; z < (volume ? surface.layout[level].depth : 1); ++z) {
          const Bytes texels = cursor_.take(slice_size(level));
          if (format_.packed)
            unpack_slice(*format_.packed, texels, surface, level, volume ? z : layer);
          else
            put_slice(surface, level, volume ? z : layer, texels);
        }
    return allocated;
  }

  Bytes bytes_;
  const std::string& name_;
  const base::Limits& limits_;
  base::Diagnostics* notes_;
  base::ByteCursor cursor_;
  std::uint32_t depth_ = 0, mips_ = 0, flags_ = 0, code_ = 0, caps2_ = 0;
  Masks masks_;
  TexelFormat format_;
  Surface surface_;
};

}  // namespace

base::Result<Surface> decode_dds(Bytes bytes, const std::string& name, const base::Limits& limits,
                                 base::Diagnostics* notes) {
  return Reader(bytes, name, limits, notes).run();
}

}  // namespace heddle::image
