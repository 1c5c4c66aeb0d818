#include "image/files/ktx2_formats.hpp"

namespace heddle::image {
namespace {

struct PackedRow {
  std::uint32_t vk_format;
  PackedFormat packed;
};

constexpr BitField kNone{};

/// Byte by byte: blue first.
constexpr PackedFormat bgr(Format format) {
  return {format, 3, {BitField{16, 8}, BitField{8, 8}, BitField{0, 8}, kNone}, {}};
}
constexpr PackedFormat bgra(Format format) {
  return {format, 4, {BitField{16, 8}, BitField{8, 8}, BitField{0, 8}, BitField{24, 8}}, {}};
}

constexpr std::uint8_t b(unsigned value) { return static_cast<std::uint8_t>(value); }

/// 4:2:2 in words of `word` bits whose upper `bits` bits count; the luma of the even texel is in word `green`.
constexpr PackedFormat chroma_422(Format format, unsigned word, unsigned bits, unsigned green) {
  const unsigned low = word - bits, chroma = 1 - green;
  return {format,
          b(word / 2),
          {BitField{b(word * (chroma + 2) + low), b(bits)}, BitField{b(word * green + low), b(bits)},
           BitField{b(word * chroma + low), b(bits)}, kNone},
          {b(word * (green + 2) + low), b(bits)}};
}

constexpr PackedRow kPacked[] = {
    // R4G4_UNORM_PACK8, B4G4R4A4_UNORM_PACK16, B5G6R5_UNORM_PACK16, B5G5R5A1_UNORM_PACK16
    {1, {Format::B4G4R4A4_UNORM, 1, {BitField{4, 4}, BitField{0, 4}, kNone, kNone}, {}}},
    {3, {Format::B4G4R4A4_UNORM, 2, {BitField{4, 4}, BitField{8, 4}, BitField{12, 4}, BitField{0, 4}}, {}}},
    {5, {Format::B5G6R5_UNORM, 2, {BitField{0, 5}, BitField{5, 6}, BitField{11, 5}, kNone}, {}}},
    {7, {Format::B5G5R5A1_UNORM, 2, {BitField{1, 5}, BitField{6, 5}, BitField{11, 5}, BitField{0, 1}}, {}}},
    // R8G8_SRGB: the only format with green in sRGB but no blue
    {22, {Format::R8G8B8A8_UNORM_SRGB, 2, {BitField{0, 8}, BitField{8, 8}, kNone, kNone}, {}}},
    // B8G8R8: UNORM, SNORM, UINT, SINT, SRGB
    {30, bgr(Format::R8G8B8_UNORM)},
    {31, bgr(Format::R8G8B8_SNORM)},
    {34, bgr(Format::R8G8B8_UINT)},
    {35, bgr(Format::R8G8B8_SINT)},
    {36, bgr(Format::R8G8B8_UNORM_SRGB)},
    // B8G8R8A8: SNORM, UINT, SINT
    {45, bgra(Format::R8G8B8A8_SNORM)},
    {48, bgra(Format::R8G8B8A8_UINT)},
    {49, bgra(Format::R8G8B8A8_SINT)},
    // R10X6_UNORM_PACK16, R10X6G10X6_UNORM_2PACK16
    {1000156007, {Format::R10G10B10A2_UNORM, 2, {BitField{6, 10}, kNone, kNone, kNone}, {}}},
    {1000156008, {Format::R10G10B10A2_UNORM, 4, {BitField{6, 10}, BitField{22, 10}, kNone, kNone}, {}}},
    // 4:2:2 of 10 and 16 bits, luma first and chroma first
    {1000156010, chroma_422(Format::R10G10B10A2_UNORM, 16, 10, 0)},
    {1000156011, chroma_422(Format::R10G10B10A2_UNORM, 16, 10, 1)},
    {1000156027, chroma_422(Format::R16G16B16A16_UNORM, 16, 16, 0)},
    {1000156028, chroma_422(Format::R16G16B16A16_UNORM, 16, 16, 1)},
    // A4B4G4R4_UNORM_PACK16, A1B5G5R5_UNORM_PACK16
    {1000340001, {Format::B4G4R4A4_UNORM, 2, {BitField{0, 4}, BitField{4, 4}, BitField{8, 4}, BitField{12, 4}}, {}}},
    {1000470000, {Format::B5G5R5A1_UNORM, 2, {BitField{0, 5}, BitField{5, 5}, BitField{10, 5}, BitField{15, 1}}, {}}}};

/// Families of VkFormats that are refused, so that the message can say more than a number.
struct Family {
  std::uint32_t first, last;
  std::string_view what;
};
constexpr Family kFamilies[] = {{110, 111, "64-bit integers"},
                                {113, 114, "64-bit integers"},
                                {116, 117, "64-bit integers"},
                                {119, 120, "64-bit integers"},
                                {128, 128, "D16_UNORM_S8_UINT"},
                                {1000054000, 1000054007, "PVRTC"},
                                {1000156002, 1000156006, "planar YCbCr"},
                                {1000156009, 1000156009, "10 bits of four channels"},
                                {1000156012, 1000156016, "planar YCbCr"},
                                {1000156017, 1000156021, "12 bits of a channel"},
                                {1000156022, 1000156026, "planar YCbCr"},
                                {1000156029, 1000156033, "planar YCbCr"},
                                {1000288000, 1000288029, "3D blocks of ASTC"},
                                {1000330000, 1000330003, "planar YCbCr"}};

// Color models of the data format descriptor (Khronos Data Format 1.3, section 5.6).
constexpr std::uint8_t kModelEtc1s = 163, kModelUastc = 166, kModelUastcHdr = 167;

}  // namespace

std::optional<PackedFormat> packed_vulkan_format(std::uint32_t vk_format) {
  for (const PackedRow& row : kPacked)
    if (row.vk_format == vk_format) return row.packed;
  return std::nullopt;
}

base::Diagnostic refuse_texels(std::uint32_t vk_format, Supercompression scheme, std::optional<std::uint8_t> model,
                               const std::string& name) {
  constexpr std::uint64_t format_at = 12, scheme_at = 44;
  const bool basis_lz = scheme == Supercompression::BasisLz || (vk_format == 0 && model == kModelEtc1s);
  if (basis_lz || (vk_format == 0 && (model == kModelUastc || model == kModelUastcHdr)))
    return at_byte("ktx2-format",
                   fmt::format("the texels are Basis Universal ({}), which is not decoded",
                               basis_lz ? "ETC1S with BasisLZ" : "UASTC"),
                   name, scheme == Supercompression::BasisLz ? scheme_at : format_at, 4)
        .note("KTX-Software's `ktx transcode --target rgba8 FILE.ktx2 OUT.ktx2` makes a file that is read")
        .note("`basisu -unpack FILE.ktx2` makes PNG files");
  if (scheme > Supercompression::Zlib)
    return at_byte("ktx2-format",
                   fmt::format("supercompression scheme {} is not supported", static_cast<std::uint32_t>(scheme)), name,
                   scheme_at, 4)
        .note("0 (none), 2 (Zstandard) and 3 (ZLIB) are");
  if (vk_format == 0)
    return at_byte("ktx2-format",
                   model ? fmt::format("VkFormat 0 (undefined), color model {}: no surface format", *model)
                         : std::string("VkFormat 0 (undefined) without a data format descriptor"),
                   name, format_at, 4);
  for (const Family& family : kFamilies)
    if (family.first <= vk_format && vk_format <= family.last)
      return at_byte("ktx2-format", fmt::format("VkFormat {} ({}) has no surface format", vk_format, family.what), name,
                     format_at, 4);
  return at_byte("ktx2-format", fmt::format("VkFormat {} has no surface format", vk_format), name, format_at, 4);
}

}  // namespace heddle::image
