// SPDX-License-Identifier: MIT
#include "image/files/dds_formats.hpp"

#include <algorithm>
#include <iterator>

namespace heddle::image::dds {
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

/// DXGI_FORMAT; planar and palette formats, and those with bits of other widths, are left out.
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

/// Typeless formats are read as UNORM, where there is none as FLOAT.
constexpr Numbered kTypeless[] = {{1, Format::R32G32B32A32_FLOAT},
                                  {5, Format::R32G32B32_FLOAT},
                                  {9, Format::R16G16B16A16_UNORM},
                                  {15, Format::R32G32_FLOAT},
                                  {19, Format::R32_FLOAT_X8X24_TYPELESS},
                                  {23, Format::R10G10B10A2_UNORM},
                                  {27, Format::R8G8B8A8_UNORM},
                                  {33, Format::R16G16_UNORM},
                                  {39, Format::R32_FLOAT},
                                  {44, Format::R24_UNORM_X8_TYPELESS},
                                  {48, Format::R8G8_UNORM},
                                  {53, Format::R16_UNORM},
                                  {60, Format::R8_UNORM},
                                  {70, Format::BC1_UNORM},
                                  {73, Format::BC2_UNORM},
                                  {76, Format::BC3_UNORM},
                                  {79, Format::BC4_UNORM},
                                  {82, Format::BC5_UNORM},
                                  {90, Format::B8G8R8A8_UNORM},
                                  {92, Format::B8G8R8X8_UNORM},
                                  {94, Format::BC6H_UF16},
                                  {97, Format::BC7_UNORM}};

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
                                {21, Format::B8G8R8A8_UNORM},
                                {22, Format::B8G8R8X8_UNORM},
                                {23, Format::B5G6R5_UNORM},
                                {24, Format::B5G5R5X1_UNORM},
                                {25, Format::B5G5R5A1_UNORM},
                                {26, Format::B4G4R4A4_UNORM},
                                {28, Format::A8_UNORM},
                                {31, Format::R10G10B10A2_UNORM},
                                {32, Format::R8G8B8A8_UNORM},
                                {33, Format::R8G8B8X8_UNORM},
                                {34, Format::R16G16_UNORM},
                                {35, Format::B10G10R10A2_UNORM},
                                {36, Format::R16G16B16A16_UNORM},
                                {50, Format::L8_UNORM},
                                {51, Format::L8A8_UNORM},
                                {61, Format::R5G5_SNORM_B6_UNORM},
                                {60, Format::R8G8_SNORM},
                                {63, Format::R8G8B8A8_SNORM},
                                {64, Format::R16G16_SNORM},
                                {67, Format::R10G10B10_SNORM_A2_UNORM},
                                {70, Format::R16_UNORM},
                                {80, Format::R16_UNORM},
                                {81, Format::L16_UNORM},
                                {82, Format::R32_FLOAT},
                                {110, Format::R16G16B16A16_SNORM},
                                {111, Format::R16_FLOAT},
                                {112, Format::R16G16_FLOAT},
                                {113, Format::R16G16B16A16_FLOAT},
                                {114, Format::R32_FLOAT},
                                {115, Format::R32G32_FLOAT},
                                {116, Format::R32G32B32A32_FLOAT}};

struct Packed {
  std::uint32_t number;
  PackedFormat packed;
};
/// D3DFORMAT numbers whose channels stand as in no surface format: R8G8B8, X4R4G4B4, A4L4, R3G3B2, A8R3G3B2.
constexpr Packed kPacked[] = {
    {20, {Format::R8G8B8_UNORM, 3, {BitField{16, 8}, BitField{8, 8}, BitField{0, 8}, BitField{}}, {}}},
    {30, {Format::B4G4R4A4_UNORM, 2, {BitField{8, 4}, BitField{4, 4}, BitField{0, 4}, BitField{}}, {}}},
    {52, {Format::B4G4R4A4_UNORM, 1, {BitField{0, 4}, BitField{0, 4}, BitField{0, 4}, BitField{4, 4}}, {}}},
    {27, {Format::R8G8B8A8_UNORM, 1, {BitField{5, 3}, BitField{2, 3}, BitField{0, 2}, BitField{}}, {}}},
    {29, {Format::R8G8B8A8_UNORM, 2, {BitField{5, 3}, BitField{2, 3}, BitField{0, 2}, BitField{8, 8}}, {}}}};

constexpr std::uint32_t kRxgb = four_cc("RXGB"), kPalette8 = 41, kCxV8U8 = 117;
constexpr std::string_view kNearest =
    "channels of these widths are in no surface format: read as the nearest values of";

struct Masked {
  std::uint32_t kind;
  Masks masks;
  Format format;
};
constexpr Masked kMasked[] = {{kRgb, {32, 0xff0000, 0xff00, 0xff, 0xff000000}, Format::B8G8R8A8_UNORM},
                              {kRgb, {32, 0xff0000, 0xff00, 0xff, 0}, Format::B8G8R8X8_UNORM},
                              {kRgb, {32, 0xff, 0xff00, 0xff0000, 0xff000000}, Format::R8G8B8A8_UNORM},
                              {kRgb, {32, 0xff, 0xff00, 0xff0000, 0}, Format::R8G8B8X8_UNORM},
                              {kRgb, {32, 0x3ff, 0xffc00, 0x3ff00000, 0xc0000000}, Format::R10G10B10A2_UNORM},
                              {kRgb, {32, 0x3ff00000, 0xffc00, 0x3ff, 0xc0000000}, Format::B10G10R10A2_UNORM},
                              {kRgb, {32, 0xffff, 0xffff0000, 0, 0}, Format::R16G16_UNORM},
                              {kRgb, {32, 0xffffffff, 0, 0, 0}, Format::R32_FLOAT},
                              {kRgb, {24, 0xff, 0xff00, 0xff0000, 0}, Format::R8G8B8_UNORM},
                              {kRgb, {16, 0xf800, 0x7e0, 0x1f, 0}, Format::B5G6R5_UNORM},
                              {kRgb, {16, 0x7c00, 0x3e0, 0x1f, 0x8000}, Format::B5G5R5A1_UNORM},
                              {kRgb, {16, 0x7c00, 0x3e0, 0x1f, 0}, Format::B5G5R5X1_UNORM},
                              {kRgb, {16, 0xf00, 0xf0, 0xf, 0xf000}, Format::B4G4R4A4_UNORM},
                              {kRgb, {16, 0xff, 0xff00, 0, 0}, Format::R8G8_UNORM},
                              {kRgb, {16, 0xffff, 0, 0, 0}, Format::R16_UNORM},
                              {kRgb, {8, 0xff, 0, 0, 0}, Format::R8_UNORM},
                              {kLuminance, {8, 0xff, 0, 0, 0}, Format::L8_UNORM},
                              {kLuminance, {16, 0xffff, 0, 0, 0}, Format::L16_UNORM},
                              {kLuminance, {16, 0xff, 0, 0, 0xff00}, Format::L8A8_UNORM},
                              {kLuminance, {32, 0xffff, 0, 0, 0xffff0000}, Format::L16A16_UNORM},
                              {kAlphaOnly, {8, 0, 0, 0, 0xff}, Format::A8_UNORM},
                              {kAlphaOnly, {16, 0, 0, 0, 0xffff}, Format::A16_UNORM},
                              {kBumpLuminance, {16, 0x1f, 0x3e0, 0xfc00, 0}, Format::R5G5_SNORM_B6_UNORM},
                              {kBump, {16, 0xff, 0xff00, 0, 0}, Format::R8G8_SNORM},
                              {kBump, {32, 0xff, 0xff00, 0xff0000, 0xff000000}, Format::R8G8B8A8_SNORM},
                              {kBump, {32, 0xffff, 0xffff0000, 0, 0}, Format::R16G16_SNORM}};
template <std::size_t n>
const Format* find_number(const Numbered (&table)[n], std::uint32_t number) {
  const auto* row =
      std::find_if(std::begin(table), std::end(table), [number](const Numbered& r) { return r.number == number; });
  return row == std::end(table) ? nullptr : &row->format;
}

/// Masks that no row has: each channel is moved to a surface format with channels of its width.
std::optional<TexelFormat> find_packed_masks(std::uint32_t kind, const Masks& masks) {
  if ((kind != kRgb && kind != kLuminance) || masks.bits % 8 != 0 || masks.bits == 0 || masks.bits > 32)
    return std::nullopt;
  const bool gray = kind == kLuminance;
  const std::uint32_t wanted[] = {masks.red, gray ? masks.red : masks.green, gray ? masks.red : masks.blue,
                                  masks.alpha};
  std::array<BitField, 4> channels;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const auto field = bits_of_mask(wanted[i]);
    if (!field || field->start + field->count > masks.bits) return std::nullopt;
    channels[i] = *field;
  }
  const auto bytes = static_cast<std::uint8_t>(masks.bits / 8);
  if (const auto packed = find_packed_format(channels, bytes)) return TexelFormat{packed->format, packed, false};
  const auto wide = widened_format(channels, bytes);
  if (!wide) return std::nullopt;
  return TexelFormat{wide->format, wide, false, TexelKind::Plain, kNearest};
}

}  // namespace

std::optional<TexelFormat> find_dxgi_format(std::uint32_t number) {
  if (const Format* format = find_number(kDxgi, number)) return TexelFormat{*format, {}, false};
  if (const Format* format = find_number(kTypeless, number)) return TexelFormat{*format, {}, true};
  return std::nullopt;
}

std::optional<TexelFormat> find_four_cc(std::uint32_t code) {
  if (const Format* format = find_number(kFourCc, code)) {
    const bool premultiplied = code == four_cc("DXT2") || code == four_cc("DXT4");
    return TexelFormat{
        *format, {}, false, TexelKind::Plain, premultiplied ? "the colors are multiplied by alpha, and stay so:" : ""};
  }
  for (const Packed& row : kPacked)
    if (row.number == code)
      return TexelFormat{row.packed.format, row.packed, false, TexelKind::Plain,
                         code == 27 || code == 29 ? kNearest : std::string_view{}};
  if (code == kRxgb)
    return TexelFormat{Format::R8G8B8A8_UNORM,
                       {},
                       false,
                       TexelKind::Rxgb,
                       "RXGB is BC3 whose alpha is red: read as the nearest values of"};
  if (code == kPalette8) return TexelFormat{Format::R8G8B8A8_UNORM, {}, false, TexelKind::Indices};
  if (code == kCxV8U8)
    return TexelFormat{Format::R8G8_SNORM,
                       {},
                       false,
                       TexelKind::Plain,
                       "blue of CxV8U8, which follows from red and green, is left out:"};
  return std::nullopt;
}

std::optional<TexelFormat> find_masks(std::uint32_t flags, Masks masks) {
  std::uint32_t kind = flags & (kRgb | kLuminance | kAlphaOnly | kBump | kBumpLuminance);
  // Some writers leave the flags out, or say alpha alone for what has colors too.
  if (kind == 0 || kind == (kRgb | kAlphaOnly)) {
    if (masks.alpha != 0) flags |= kAlphaPixels;
    kind = kRgb;
  }
  if ((flags & kPalette) != 0 && masks.bits == 8)
    return TexelFormat{Format::R8G8B8A8_UNORM, {}, false, TexelKind::Indices};
  if (kind != kAlphaOnly && kind != kBump && (flags & kAlphaPixels) == 0) masks.alpha = 0;
  if (kind == kAlphaOnly) masks.red = masks.green = masks.blue = 0;
  if (kind == kLuminance) masks.green = masks.blue = 0;  // some writers repeat the red mask
  for (const Masked& row : kMasked)
    if (row.kind == kind && row.masks == masks) return TexelFormat{row.format, {}, false};
  return find_packed_masks(kind, masks);
}

std::string four_cc_text(std::uint32_t code) {
  std::string letters;
  for (unsigned i = 0; i < 4; ++i) letters.push_back(static_cast<char>(code >> (8 * i) & 0xff));
  if (std::ranges::all_of(letters, [](char c) { return c >= ' ' && c <= '~'; }))
    return fmt::format("FourCC '{}'", letters);
  return code < 256 ? fmt::format("D3DFORMAT {}", code) : fmt::format("FourCC {:#010x}", code);
}

}  // namespace heddle::image::dds
