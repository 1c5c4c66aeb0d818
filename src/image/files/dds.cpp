// DDS: the DX10 header, and the legacy pixel formats by FourCC and by masks. Mips, cubes, arrays, volumes.

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/byte_cursor.hpp"
#include "image/files/codec.hpp"

namespace heddle::image {
namespace {

constexpr std::uint32_t four_cc(const char (&text)[5]) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) value |= static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])) << (8 * i);
  return value;
}

struct Numbered {
  std::uint32_t number;
  Format format;
};

/// DXGI_FORMAT; typeless and video formats are left out.
constexpr Numbered kDxgi[] = {{2, Format::R32G32B32A32_FLOAT},
                              {3, Format::R32G32B32A32_UINT},
                              {4, Format::R32G32B32A32_SINT},
                              {6, Format::R32G32B32_FLOAT},
                              {7, Format::R32G32B32_UINT},
                              {8, Format::R32G32B32_SINT},
                              {10, Format::R16G16B16A16_FLOAT},
                              {11, Format::R16G16B16A16_UNORM},
                              {12, Format::R16G16B16A16_UINT},
                              {13, Format::R16G16B16A16_SNORM},
                              {14, Format::R16G16B16A16_SINT},
                              {16, Format::R32G32_FLOAT},
                              {17, Format::R32G32_UINT},
                              {18, Format::R32G32_SINT},
                              {20, Format::R32_FLOAT_X8X24_TYPELESS},
                              {21, Format::R32_FLOAT_X8X24_TYPELESS},
                              {22, Format::X32_TYPELESS_G8X24_UINT},
                              {24, Format::R10G10B10A2_UNORM},
                              {25, Format::R10G10B10A2_UINT},
                              {26, Format::R11G11B10_FLOAT},
                              {28, Format::R8G8B8A8_UNORM},
                              {29, Format::R8G8B8A8_UNORM_SRGB},
                              {30, Format::R8G8B8A8_UINT},
                              {31, Format::R8G8B8A8_SNORM},
                              {32, Format::R8G8B8A8_SINT},
                              {34, Format::R16G16_FLOAT},
                              {35, Format::R16G16_UNORM},
                              {36, Format::R16G16_UINT},
                              {37, Format::R16G16_SNORM},
                              {38, Format::R16G16_SINT},
                              {40, Format::R32_FLOAT},
                              {41, Format::R32_FLOAT},
                              {42, Format::R32_UINT},
                              {43, Format::R32_SINT},
                              {45, Format::R24_UNORM_X8_TYPELESS},
                              {46, Format::R24_UNORM_X8_TYPELESS},
                              {47, Format::X24_TYPELESS_G8_UINT},
                              {49, Format::R8G8_UNORM},
                              {50, Format::R8G8_UINT},
                              {51, Format::R8G8_SNORM},
                              {52, Format::R8G8_SINT},
                              {54, Format::R16_FLOAT},
                              {55, Format::R16_UNORM},
                              {56, Format::R16_UNORM},
                              {57, Format::R16_UINT},
                              {58, Format::R16_SNORM},
                              {59, Format::R16_SINT},
                              {61, Format::R8_UNORM},
                              {62, Format::R8_UINT},
                              {63, Format::R8_SNORM},
                              {64, Format::R8_SINT},
                              {65, Format::A8_UNORM},
                              {67, Format::R9G9B9E5_SHAREDEXP},
                              {68, Format::YCRCB_SWAPUVY},
                              {69, Format::YCRCB_SWAPUV},
                              {71, Format::BC1_UNORM},
                              {72, Format::BC1_UNORM_SRGB},
                              {74, Format::BC2_UNORM},
                              {75, Format::BC2_UNORM_SRGB},
                              {77, Format::BC3_UNORM},
                              {78, Format::BC3_UNORM_SRGB},
                              {80, Format::BC4_UNORM},
                              {81, Format::BC4_SNORM},
                              {83, Format::BC5_UNORM},
                              {84, Format::BC5_SNORM},
                              {85, Format::B5G6R5_UNORM},
                              {86, Format::B5G5R5A1_UNORM},
                              {87, Format::B8G8R8A8_UNORM},
                              {88, Format::B8G8R8X8_UNORM},
                              {91, Format::B8G8R8A8_UNORM_SRGB},
                              {93, Format::B8G8R8X8_UNORM_SRGB},
                              {95, Format::BC6H_UF16},
                              {96, Format::BC6H_SF16},
                              {98, Format::BC7_UNORM},
                              {99, Format::BC7_UNORM_SRGB},
                              {107, Format::YCRCB_NORMAL},
                              {115, Format::B4G4R4A4_UNORM},
                              {191, Format::A4B4G4R4_UNORM}};

/// FourCC codes, and D3DFORMAT numbers in their place.
constexpr Numbered kFourCc[] = {{four_cc("DXT1"), Format::BC1_UNORM},
                                {four_cc("DXT2"), Format::BC2_UNORM},
                                {four_cc("DXT3"), Format::BC2_UNORM},
                                {four_cc("DXT4"), Format::BC3_UNORM},
                                {four_cc("DXT5"), Format::BC3_UNORM},
                                {four_cc("ATI1"), Format::BC4_UNORM},
                                {four_cc("BC4U"), Format::BC4_UNORM},
                                {four_cc("BC4S"), Format::BC4_SNORM},
                                {four_cc("ATI2"), Format::BC5_UNORM},
                                {four_cc("BC5U"), Format::BC5_UNORM},
                                {four_cc("BC5S"), Format::BC5_SNORM},
                                {four_cc("RGBG"), Format::YCRCB_SWAPUVY},
                                {four_cc("GRGB"), Format::YCRCB_SWAPUV},
                                {four_cc("YUY2"), Format::YCRCB_NORMAL},
                                {four_cc("UYVY"), Format::YCRCB_SWAPY},
                                {36, Format::R16G16B16A16_UNORM},
                                {110, Format::R16G16B16A16_SNORM},
                                {111, Format::R16_FLOAT},
                                {112, Format::R16G16_FLOAT},
                                {113, Format::R16G16B16A16_FLOAT},
                                {114, Format::R32_FLOAT},
                                {115, Format::R32G32_FLOAT},
                                {116, Format::R32G32B32A32_FLOAT}};

enum PixelFlags : std::uint32_t {
  kAlphaPixels = 0x1,
  kAlphaOnly = 0x2,
  kFourCcFlag = 0x4,
  kRgb = 0x40,
  kLuminance = 0x20000,
  kBump = 0x80000
};

struct Masks {
  std::uint32_t kind, bits, red, green, blue, alpha;
  bool operator==(const Masks&) const = default;
};
struct Masked {
  Masks masks;
  Format format;
};
constexpr Masked kMasked[] = {{{kRgb, 32, 0xff0000, 0xff00, 0xff, 0xff000000}, Format::B8G8R8A8_UNORM},
                              {{kRgb, 32, 0xff0000, 0xff00, 0xff, 0}, Format::B8G8R8X8_UNORM},
                              {{kRgb, 32, 0xff, 0xff00, 0xff0000, 0xff000000}, Format::R8G8B8A8_UNORM},
                              {{kRgb, 32, 0xff, 0xff00, 0xff0000, 0}, Format::R8G8B8X8_UNORM},
                              {{kRgb, 32, 0x3ff, 0xffc00, 0x3ff00000, 0xc0000000}, Format::R10G10B10A2_UNORM},
                              {{kRgb, 32, 0x3ff00000, 0xffc00, 0x3ff, 0xc0000000}, Format::B10G10R10A2_UNORM},
                              {{kRgb, 32, 0xffff, 0xffff0000, 0, 0}, Format::R16G16_UNORM},
                              {{kRgb, 32, 0xffffffff, 0, 0, 0}, Format::R32_FLOAT},
                              {{kRgb, 24, 0xff, 0xff00, 0xff0000, 0}, Format::R8G8B8_UNORM},
                              {{kRgb, 16, 0xf800, 0x7e0, 0x1f, 0}, Format::B5G6R5_UNORM},
                              {{kRgb, 16, 0x7c00, 0x3e0, 0x1f, 0x8000}, Format::B5G5R5A1_UNORM},
                              {{kRgb, 16, 0x7c00, 0x3e0, 0x1f, 0}, Format::B5G5R5X1_UNORM},
                              {{kRgb, 16, 0xf00, 0xf0, 0xf, 0xf000}, Format::B4G4R4A4_UNORM},
                              {{kRgb, 16, 0xff, 0xff00, 0, 0}, Format::R8G8_UNORM},
                              {{kRgb, 16, 0xffff, 0, 0, 0}, Format::R16_UNORM},
                              {{kRgb, 8, 0xff, 0, 0, 0}, Format::R8_UNORM},
                              {{kLuminance, 8, 0xff, 0, 0, 0}, Format::L8_UNORM},
                              {{kLuminance, 16, 0xffff, 0, 0, 0}, Format::L16_UNORM},
                              {{kLuminance, 16, 0xff, 0, 0, 0xff00}, Format::L8A8_UNORM},
                              {{kLuminance, 32, 0xffff, 0, 0, 0xffff0000}, Format::L16A16_UNORM},
                              {{kAlphaOnly, 8, 0, 0, 0, 0xff}, Format::A8_UNORM},
                              {{kAlphaOnly, 16, 0, 0, 0, 0xffff}, Format::A16_UNORM},
                              {{kBump, 16, 0xff, 0xff00, 0, 0}, Format::R8G8_SNORM},
                              {{kBump, 32, 0xff, 0xff00, 0xff0000, 0xff000000}, Format::R8G8B8A8_SNORM},
                              {{kBump, 32, 0xffff, 0xffff0000, 0, 0}, Format::R16G16_SNORM}};
constexpr Masks kBgr24{kRgb, 24, 0xff0000, 0xff00, 0xff, 0};  // no surface format has this order: the bytes are swapped

constexpr std::uint32_t kCaps2Cube = 0x200, kCaps2AllFaces = 0xfc00, kCaps2Volume = 0x200000;
constexpr std::size_t kHeightAt = 12, kMipsAt = 28, kPixelFormatAt = 76, kCaps2At = 112, kDx10At = 128;

template <std::size_t n>
const Format* find_number(const Numbered (&table)[n], std::uint32_t number) {
  const auto* row =
      std::find_if(std::begin(table), std::end(table), [number](const Numbered& r) { return r.number == number; });
  return row == std::end(table) ? nullptr : &row->format;
}

class Reader {
 public:
  Reader(Bytes bytes, const std::string& name, const base::Limits& limits)
      : bytes_(bytes), name_(name), limits_(limits), cursor_(bytes, 4) {}

  base::Result<Surface> run() {
    const std::uint32_t size = cursor_.u32();
    cursor_.u32();
    surface_.height = cursor_.u32();
    surface_.width = cursor_.u32();
    cursor_.u32();
    const std::uint32_t depth = cursor_.u32(), mips = cursor_.u32();
    cursor_.seek(kPixelFormatAt);
    const std::uint32_t pixel_size = cursor_.u32(), flags = cursor_.u32(), code = cursor_.u32();
    Masks masks{};
    for (std::uint32_t* field : {&masks.bits, &masks.red, &masks.green, &masks.blue, &masks.alpha})
      *field = cursor_.u32();
    cursor_.u32();
    const std::uint32_t caps2 = cursor_.u32();
    cursor_.seek(kDx10At);
    if (cursor_.failed()) return at_byte("dds-header", "the file ends within the header", name_, cursor_.failed_at());
    if (size != 124 || pixel_size != 32)
      return at_byte("dds-header", fmt::format("header sizes {} and {} are not 124 and 32", size, pixel_size), name_, 4,
                     4);

    const bool dx10 = (flags & kFourCcFlag) != 0 && code == four_cc("DX10");
    const auto described = dx10 ? describe_dx10(depth) : describe_legacy(flags, code, masks, caps2, depth);
    if (!described.ok()) return described.failure();
    if (surface_.width == 0 || surface_.height == 0 || surface_.depth == 0)
      return at_byte("dds-header", fmt::format("size {} x {} x {}", surface_.width, surface_.height, surface_.depth),
                     name_, kHeightAt, 8);
    const std::uint32_t greatest = std::max({surface_.width, surface_.height, surface_.depth});
    surface_.levels = std::max(1u, mips);
    if (surface_.levels > 32 || greatest >> (surface_.levels - 1) == 0)
      return at_byte("dds-header", fmt::format("{} levels of an image of {} texels", surface_.levels, greatest), name_,
                     kMipsAt, 4);
    surface_.mip_count = surface_.levels - 1;
    surface_.rt_extent = surface_.layers - 1;
    return read_texels();
  }

 private:
  base::Result<base::Done> describe_dx10(std::uint32_t depth) {
    const std::uint32_t dxgi = cursor_.u32(), dimension = cursor_.u32(), misc = cursor_.u32(), array = cursor_.u32();
    cursor_.u32();
    if (cursor_.failed())
      return at_byte("dds-header", "the file ends within the DX10 header", name_, cursor_.failed_at());
    const Format* format = find_number(kDxgi, dxgi);
    if (format == nullptr)
      return at_byte("dds-format", fmt::format("DXGI_FORMAT {} has no surface format", dxgi), name_, kDx10At, 4);
    surface_.format = *format;
    const bool cube = (misc & 4) != 0;
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
    if (dimension == 4) surface_.depth = depth;
    surface_.array = array > 1;
    surface_.view_layers = array;
    surface_.layers = array * (cube ? 6 : 1);
    return base::Done{};
  }

  base::Result<base::Done> describe_legacy(std::uint32_t flags, std::uint32_t code, Masks masks, std::uint32_t caps2,
                                           std::uint32_t depth) {
    if ((flags & kFourCcFlag) != 0) {
      const Format* format = find_number(kFourCc, code);
      if (format == nullptr)
        return at_byte("dds-format", fmt::format("FourCC {:#010x} has no surface format", code), name_,
                       kPixelFormatAt + 8, 4);
      surface_.format = *format;
    } else {
      masks.kind = flags & (kRgb | kLuminance | kAlphaOnly | kBump);
      if (masks.kind != kAlphaOnly && masks.kind != kBump && (flags & kAlphaPixels) == 0) masks.alpha = 0;
      if (masks.kind == kAlphaOnly) masks.red = masks.green = masks.blue = 0;
      if (masks.kind == kLuminance) masks.green = masks.blue = 0;  // some writers repeat the red mask
      swap_red_blue_ = masks == kBgr24;
      if (swap_red_blue_) masks = {kRgb, 24, 0xff, 0xff00, 0xff0000, 0};
      const auto* row =
          std::find_if(std::begin(kMasked), std::end(kMasked), [&](const Masked& r) { return r.masks == masks; });
      if (row == std::end(kMasked))
        return at_byte("dds-format",
                       fmt::format("{} bits with masks {:#x} {:#x} {:#x} {:#x} have no surface format", masks.bits,
                                   masks.red, masks.green, masks.blue, masks.alpha),
                       name_, kPixelFormatAt + 4, 28);
      surface_.format = row->format;
    }
    if ((caps2 & kCaps2Cube) != 0) {
      if ((caps2 & kCaps2AllFaces) != kCaps2AllFaces)
        return at_byte("dds-format", "a cube without all six faces is not supported", name_, kCaps2At, 4);
      surface_.type = SurfaceType::Cube;
      surface_.layers = 6;
    } else if ((caps2 & kCaps2Volume) != 0) {
      surface_.type = SurfaceType::Dim3;
      surface_.depth = depth;
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
    if (bytes_.size() - start < surface.size_bytes())
      return at_byte("dds-data",
                     fmt::format("the texels need {} bytes, {} follow", surface.size_bytes(), bytes_.size() - start),
                     name_, start);
    for (std::uint32_t layer = 0; layer < (volume ? 1 : surface.layers); ++layer)
      for (std::uint32_t level = 0; level < surface.levels; ++level)
        for (std::uint32_t z = 0; z < (volume ? surface.layout[level].depth : 1); ++z)
          put_slice(surface, level, volume ? z : layer, cursor_.take(slice_bytes(surface, level)));
    if (swap_red_blue_)
      for (std::size_t i = 0; i + 2 < surface.memory->size(); i += 3)
        std::swap((*surface.memory)[i], (*surface.memory)[i + 2]);
    return allocated;
  }

  Bytes bytes_;
  const std::string& name_;
  const base::Limits& limits_;
  base::ByteCursor cursor_;
  Surface surface_;
  bool swap_red_blue_ = false;
};

}  // namespace

base::Result<Surface> decode_dds(Bytes bytes, const std::string& name, const base::Limits& limits) {
  return Reader(bytes, name, limits).run();
}

}  // namespace heddle::image
