// SPDX-License-Identifier: MIT
// DDS: the DX10 header, and the legacy pixel formats by FourCC and by masks. Mips, cubes, arrays, volumes.

#include <algorithm>
#include <bit>

#include "base/byte_cursor.hpp"
#include "image/files/codec.hpp"
#include "image/files/dds_texels.hpp"

namespace heddle::image {
namespace {

using namespace dds;

constexpr std::uint32_t kCaps2Cube = 0x200, kCaps2AllFaces = 0xfc00, kCaps2Volume = 0x200000;
constexpr std::uint32_t kMiscCube = 4, kHasDepth = 0x800000, kPaletteBytes = 1024;
constexpr std::size_t kHeightAt = 12, kMipsAt = 28, kPixelFormatAt = 76, kCaps2At = 112, kDx10At = 128;

class Reader {
 public:
  Reader(Bytes bytes, const std::string& name, const base::Limits& limits, base::Diagnostics* notes)
      : bytes_(bytes), name_(name), limits_(limits), notes_(notes), cursor_(bytes, 4) {}

  base::Result<Surface> run() {
    if (const auto read = read_header(); !read.ok()) return read.failure();
    // Some writers leave the flag of FourCC out; no other flag says then what the texels are.
    constexpr std::uint32_t kinds = kRgb | kLuminance | kAlphaOnly | kBump | kBumpLuminance | kPalette;
    by_code_ = (flags_ & kFourCcFlag) != 0 || (code_ != 0 && (flags_ & kinds) == 0);
    const bool dx10 = by_code_ && code_ == kFourCcDx10;
    const auto described = dx10 ? describe_dx10() : describe_legacy();
    if (!described.ok()) return described.failure();
    surface_.format = format_.format;
    if (surface_.width == 0 || surface_.height == 0 || surface_.depth == 0)
      return at_byte("dds-header", fmt::format("size {} x {} x {}", surface_.width, surface_.height, surface_.depth),
                     name_, kHeightAt, 8);
    if (!format_.note.empty())
      remark(fmt::format("{} {}", format_.note, format_info(format_.format)->name), format_place());
    const std::uint32_t greatest = std::max({surface_.width, surface_.height, surface_.depth});
    const auto most = static_cast<std::uint32_t>(std::bit_width(greatest));
    surface_.levels = std::clamp(mips_, 1u, most);
    if (mips_ > most)
      remark(fmt::format("{} levels of an image of {} texels: read as {}", mips_, greatest, most),
             base::Place::binary(name_, kMipsAt, 4));
    surface_.mip_count = surface_.levels - 1;
    surface_.rt_extent = surface_.layers - 1;
    if (auto unpacked = unpack_422(surface_, "dds-format", format_place(), notes_)) format_.packed = unpacked;
    return read_texels();
  }

 private:
  base::Result<base::Done> read_header() {
    const std::uint32_t size = cursor_.u32();
    has_depth_ = (cursor_.u32() & kHasDepth) != 0;
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

  void remark(std::string message, base::Place place) const {
    say(notes_, base::remark("dds-format", std::move(message), std::move(place)));
  }

  /// Where the file says what its texels are.
  base::Place format_place() const {
    return cursor_.position() > kDx10At ? base::Place::binary(name_, kDx10At, 4)
                                        : base::Place::binary(name_, kPixelFormatAt + 4, 28);
  }

  base::Result<base::Done> describe_dx10() {
    const std::uint32_t dxgi = cursor_.u32();
    std::uint32_t dimension = cursor_.u32();
    const std::uint32_t misc = cursor_.u32(), given = cursor_.u32(), array = std::max(1u, given);
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
    if (dimension == 0) {
      dimension = is_volume() ? 4 : 3;
      remark(fmt::format("resource dimension 0: read as {}", dimension == 4 ? "3D" : "2D"),
             base::Place::binary(name_, kDx10At + 4, 4));
    }
    if (given == 0) remark("array of 0 elements: read as one", base::Place::binary(name_, kDx10At + 12, 4));
    if (dimension < 2 || dimension > 4)
      return at_byte("dds-header", fmt::format("resource dimension {}: 2, 3 or 4", dimension), name_, kDx10At + 4, 4);
    if (std::uint64_t{array} * 6 > bytes_.size())
      return at_byte("dds-header", fmt::format("array of {} elements", array), name_, kDx10At + 12, 4);
    if ((cube && dimension != 3) || (dimension == 4 && array != 1))
      return at_byte("dds-format", "arrays of volumes and cubes that are not 2D do not exist", name_, kDx10At + 4, 12);
    surface_.type = dimension == 2   ? SurfaceType::Dim1
                    : dimension == 4 ? SurfaceType::Dim3
                    : cube           ? SurfaceType::Cube
                                     : SurfaceType::Dim2;
    if (dimension == 2) surface_.height = 1;
    if (dimension == 4) surface_.depth = std::max(1u, depth_);
    surface_.array = array > 1;
    surface_.view_layers = array;
    surface_.layers = array * (cube ? 6 : 1);
    return base::Done{};
  }

  bool is_volume() const { return (caps2_ & kCaps2Volume) != 0 || (has_depth_ && depth_ > 1); }

  base::Result<base::Done> describe_legacy() {
    const auto format = by_code_ ? find_four_cc(code_) : find_masks(flags_, masks_);
    if (!format && by_code_)
      return at_byte("dds-format", fmt::format("{} has no surface format", four_cc_text(code_)), name_,
                     kPixelFormatAt + 8, 4);
    if (!format && (flags_ & kPalette) != 0)
      return at_byte("dds-format", "a palette of other than 256 entries is not supported", name_, kPixelFormatAt + 4,
                     4);
    if (!format)
      return at_byte("dds-format",
                     fmt::format("{} bits with masks {:#x} {:#x} {:#x} {:#x} have no surface format", masks_.bits,
                                 masks_.red, masks_.green, masks_.blue, masks_.alpha),
                     name_, kPixelFormatAt + 4, 28);
    format_ = *format;
    if (format_.kind == TexelKind::Indices)
      if (const auto read = read_palette(); !read.ok()) return read;
    const auto faces = static_cast<std::uint32_t>(std::popcount(caps2_ & kCaps2AllFaces));
    if ((caps2_ & kCaps2Cube) != 0 && faces % 6 == 0) {  // flags for no face: all are there
      surface_.type = SurfaceType::Cube;
      surface_.layers = 6;
    } else if ((caps2_ & kCaps2Cube) != 0) {
      surface_.array = faces > 1;
      surface_.layers = surface_.view_layers = faces;
      remark(fmt::format("a cube with {} of its six faces: read as {}", faces, faces > 1 ? "an array" : "one picture"),
             base::Place::binary(name_, kCaps2At, 4));
    } else if (is_volume()) {
      surface_.type = SurfaceType::Dim3;
      surface_.depth = std::max(1u, depth_);
    }
    return base::Done{};
  }

  /// Some writers leave alpha 0 in all entries: then it says nothing.
  base::Result<base::Done> read_palette() {
    const Bytes entries = cursor_.take(kPaletteBytes);
    if (cursor_.failed()) return at_byte("dds-header", "the file ends within the palette", name_, cursor_.failed_at());
    bool alpha = false;
    for (std::size_t i = 0; i < palette_.size(); ++i) {
      std::copy_n(entries.begin() + static_cast<std::ptrdiff_t>(4 * i), 4, palette_[i].begin());
      alpha = alpha || palette_[i][3] != 0;
    }
    for (auto& entry : palette_) entry[3] = alpha ? entry[3] : 255;
    return base::Done{};
  }

  /// Layer after layer (face after face), in each level after level; the surface has it the other way round. A file
  /// with fewer levels than its header says gives those that it has.
  base::Result<Surface> read_texels() {
    const std::size_t start = cursor_.position();
    const Surface described = surface_;
    auto allocated = allocate_for_file(std::move(surface_), name_, kHeightAt, limits_);
    if (!allocated.ok()) return allocated;
    const std::uint64_t available = bytes_.size() - start;
    const std::uint32_t layers = allocated->type == SurfaceType::Dim3 ? 1 : allocated->layers;
    const std::vector<std::uint64_t> level_bytes = bytes_of_levels(*allocated, layers);
    const WholeLevels whole = whole_levels(level_bytes, layers, available);
    std::uint64_t needed = 0;
    for (const std::uint64_t bytes : level_bytes) needed += bytes * layers;
    if (needed > available && whole.levels == 0)
      return at_byte("dds-data", fmt::format("the texels need {} bytes, {} follow", needed, available), name_, start);
    std::uint64_t stride = needed / layers;
    if (needed > available) {
      say(notes_, base::warning("dds-data",
                                fmt::format("{} levels need {} bytes, {} follow: {} are read", allocated->levels,
                                            needed, available, whole.levels),
                                base::Place::binary(name_, start)));
      stride = whole.stride;
      Surface fewer = described;
      fewer.levels = whole.levels;
      fewer.mip_count = whole.levels - 1;
      allocated = allocate_for_file(std::move(fewer), name_, kHeightAt, limits_);
      if (!allocated.ok()) return allocated;
    }
    for (std::uint32_t layer = 0; layer < layers; ++layer) read_layer(*allocated, layer, start + layer * stride);
    return allocated;
  }

  /// Of one layer.
  std::vector<std::uint64_t> bytes_of_levels(const Surface& surface, std::uint32_t layers) const {
    std::vector<std::uint64_t> bytes;
    for (std::uint32_t level = 0; level < surface.levels; ++level)
      bytes.push_back(file_slice_bytes(format_, surface, level) * (surface.layout[level].slices / layers));
    return bytes;
  }

  void read_layer(Surface& surface, std::uint32_t layer, std::uint64_t at) const {
    const bool volume = surface.type == SurfaceType::Dim3;
    for (std::uint32_t level = 0; level < surface.levels; ++level)
      for (std::uint32_t z = 0; z < (volume ? surface.layout[level].depth : 1); ++z) {
        const std::uint64_t size = file_slice_bytes(format_, surface, level);
        put_file_slice(format_, palette_, surface, level, volume ? z : layer, bytes_.subspan(at, size));
        at += size;
      }
  }

  Bytes bytes_;
  const std::string& name_;
  const base::Limits& limits_;
  base::Diagnostics* notes_;
  base::ByteCursor cursor_;
  std::uint32_t depth_ = 0, mips_ = 0, flags_ = 0, code_ = 0, caps2_ = 0;
  bool has_depth_ = false, by_code_ = false;
  Masks masks_;
  TexelFormat format_;
  Palette palette_{};
  Surface surface_;
};

}  // namespace

base::Result<Surface> decode_dds(Bytes bytes, const std::string& name, const base::Limits& limits,
                                 base::Diagnostics* notes) {
  return Reader(bytes, name, limits, notes).run();
}

}  // namespace heddle::image
