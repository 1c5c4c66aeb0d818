// SPDX-License-Identifier: MIT
#include "image/files/ktx2/ktx2_formats.hpp"

#include <algorithm>

#include "base/byte_cursor.hpp"

namespace heddle::image {
namespace {

struct PackedRow {
  std::uint32_t vk_format;
  PackedFormat packed;
};

constexpr BitField kNone{};

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
    // R10X6_UNORM_PACK16, R10X6G10X6_UNORM_2PACK16
    {1000156007, {Format::R10G10B10A2_UNORM, 2, {BitField{6, 10}, kNone, kNone, kNone}, {}}},
    {1000156008, {Format::R10G10B10A2_UNORM, 4, {BitField{6, 10}, BitField{22, 10}, kNone, kNone}, {}}},
    // 4:2:2 of 10 and 16 bits, luma first and chroma first
    {1000156010, chroma_422(Format::R10G10B10A2_UNORM, 16, 10, 0)},
    {1000156011, chroma_422(Format::R10G10B10A2_UNORM, 16, 10, 1)},
    {1000156027, chroma_422(Format::R16G16B16A16_UNORM, 16, 16, 0)},
    {1000156028, chroma_422(Format::R16G16B16A16_UNORM, 16, 16, 1)}};

/// Families of VkFormats that are refused, so that the message can say more than a number: the way out.
struct Family {
  std::uint32_t first, last;
  std::string_view what, way_out;
};
constexpr std::string_view kNoWide = "a channel has at most 32 bits: store R32G32B32A32_UINT or _SINT",
                           kTwoImages = "store depth as D16_UNORM and stencil as S8_UINT, in two files",
                           kPvrtc = "PVRTexTool's `PVRTexToolCLI -i FILE.ktx2 -d OUT.png` makes a PNG file",
                           kPlanes =
                               "store each plane as an image of its own (R8, R8G8, R16, R16G16), or convert "
                               "the picture to RGBA",
                           kShift = "shift the channels to 16 bits: R16, R16G16 and R16G16B16A16_UNORM are read",
                           kFlatBlocks = "compress the slices with 2D blocks, or store R8G8B8A8: `astcenc -dl` decodes";
constexpr Family kFamilies[] = {{110, 111, "64-bit integers", kNoWide},
                                {113, 114, "64-bit integers", kNoWide},
                                {116, 117, "64-bit integers", kNoWide},
                                {119, 120, "64-bit integers", kNoWide},
                                {128, 128, "D16_UNORM_S8_UINT", kTwoImages},
                                {1000054000, 1000054007, "PVRTC", kPvrtc},
                                {1000156002, 1000156006, "planar YCbCr", kPlanes},
                                {1000156009, 1000156009, "10 bits of four channels", kShift},
                                {1000156012, 1000156016, "planar YCbCr", kPlanes},
                                {1000156017, 1000156021, "12 bits of a channel", kShift},
                                {1000156022, 1000156026, "planar YCbCr", kPlanes},
                                {1000156029, 1000156033, "planar YCbCr", kPlanes},
                                {1000288000, 1000288029, "3D blocks of ASTC", kFlatBlocks},
                                {1000330000, 1000330003, "planar YCbCr", kPlanes}};

// Color models, transfer functions and channels of the data format descriptor (Khronos Data Format 1.3, section 5).
constexpr std::uint8_t kModelEtc1s = 163, kModelUastc = 166, kModelUastcHdr = 167;
constexpr std::uint8_t kTransferSrgb = 2;
constexpr std::uint8_t kEtc1sRed = 3, kUastcRed = 4, kUastcRedGreen = 5, kUastcTwo = 6;

/// Models and schemes of Basis Universal that came after KTX 2.0's own.
std::string_view later_kind(std::uint32_t scheme, std::uint32_t vk_format, std::optional<std::uint8_t> model) {
  if (scheme == 4 || (vk_format == 0 && model == 168)) return "UASTC HDR 6x6 intermediate";
  if (scheme == 5 || (vk_format == 0 && model == 169)) return "XUASTC LDR";
  if (scheme == 6 || (vk_format == 0 && model == 170)) return "XUBC7";
  if (vk_format == 0 && model == kModelUastcHdr) return "UASTC HDR without the VkFormat of ASTC";
  return {};
}

}  // namespace

std::optional<PackedFormat> packed_vulkan_format(std::uint32_t vk_format) {
  for (const PackedRow& row : kPacked)
    if (row.vk_format == vk_format) return row.packed;
  return std::nullopt;
}

namespace ktx2 {

base::Result<Descriptor> read_descriptor(Bytes file, const Section& at, const std::string& name) {
  constexpr std::uint32_t kHead = 28, kSample = 16;
  base::ByteCursor cursor(file.subspan(0, at.offset + at.length), at.offset);
  if (const std::uint32_t total = cursor.u32(); cursor.failed() || total != at.length)
    return at_byte("ktx2-header",
                   fmt::format("the data format descriptor's total size {} is not its length {}", total, at.length),
                   name, at.offset, 4);
  cursor.u32();  // vendor, type
  const std::uint32_t size = cursor.u32() >> 16;
  Descriptor descriptor;
  descriptor.model = cursor.u8();
  cursor.u8();  // primaries
  descriptor.transfer = cursor.u8();
  for (std::uint32_t sample = kHead; sample + kSample <= std::min<std::uint64_t>(size + 4, at.length);
       sample += kSample) {
    cursor.seek(at.offset + sample + 3);
    descriptor.channels.push_back(cursor.u8() & 15);
  }
  return descriptor;
}

Universal universal_texels(std::uint32_t vk_format, std::uint32_t scheme, const std::optional<Descriptor>& descriptor) {
  if (vk_format != 0 || !descriptor) return Universal::No;
  const bool basis_lz = scheme == static_cast<std::uint32_t>(Supercompression::BasisLz);
  if (descriptor->model == kModelEtc1s) return basis_lz ? Universal::Etc1s : Universal::No;
  return descriptor->model == kModelUastc && !basis_lz ? Universal::Uastc : Universal::No;
}

bool is_srgb(const Descriptor& descriptor) { return descriptor.transfer == kTransferSrgb; }

std::string_view odd_channels(Universal universal, const Descriptor& descriptor) {
  if (descriptor.channels.empty()) return {};
  const std::uint8_t first = descriptor.channels[0];
  if (universal == Universal::Etc1s && first == kEtc1sRed)
    return descriptor.channels.size() > 1 ? "red, which R, G and B hold, and green, which A holds"
                                          : "red, which R, G and B hold";
  if (universal == Universal::Uastc && first == kUastcRed) return "red, which R, G and B hold";
  if (universal == Universal::Uastc && first == kUastcRedGreen)
    return "red, which R, G and B hold, and green, which A holds";
  if (universal == Universal::Uastc && first == kUastcTwo) return "red and green";
  return {};
}

base::Diagnostic outside_the_file(const Level& index, std::uint32_t level, std::uint64_t file_size,
                                  const std::string& name) {
  return at_byte("ktx2-level",
                 fmt::format("level {} ({} bytes at {}) lies outside the file of {} bytes", level, index.length,
                             index.offset, file_size),
                 name, kLevelIndexAt + kLevelEntryBytes * level, kLevelEntryBytes);
}

}  // namespace ktx2

base::Diagnostic refuse_texels(std::uint32_t vk_format, Supercompression scheme,
                               const std::optional<ktx2::Descriptor>& descriptor, const std::string& name) {
  constexpr std::uint64_t format_at = 12, scheme_at = 44;
  const auto number = static_cast<std::uint32_t>(scheme);
  const std::optional<std::uint8_t> model = descriptor ? std::optional(descriptor->model) : std::nullopt;
  if (const std::string_view kind = later_kind(number, vk_format, model); !kind.empty())
    return at_byte("ktx2-format", fmt::format("the texels are Basis Universal's {}, which is not read", kind), name,
                   number > 3 ? scheme_at : format_at, 4)
        .note("`basisu -unpack FILE.ktx2` makes picture files");
  if (scheme == Supercompression::BasisLz)
    return at_byte("ktx2-format",
                   fmt::format("BasisLZ needs VkFormat 0 and a descriptor with color model {} (ETC1S), not VkFormat {} "
                               "{}",
                               kModelEtc1s, vk_format,
                               model ? fmt::format("with color model {}", *model) : "without a descriptor"),
                   name, scheme_at, 4);
  if (vk_format == 0 && model == kModelEtc1s)
    return at_byte("ktx2-format", "color model 163 (ETC1S) without BasisLZ has no meaning", name, scheme_at, 4);
  if (scheme > Supercompression::Zlib)
    return at_byte("ktx2-format", fmt::format("supercompression scheme {} is not supported", number), name, scheme_at,
                   4)
        .note("0 (none), 1 (BasisLZ), 2 (Zstandard) and 3 (ZLIB) are");
  if (vk_format == 0)
    return at_byte("ktx2-format",
                   model ? fmt::format("VkFormat 0 (undefined), color model {}: no surface format", *model)
                         : std::string("VkFormat 0 (undefined) without a data format descriptor"),
                   name, format_at, 4);
  for (const Family& family : kFamilies)
    if (family.first <= vk_format && vk_format <= family.last)
      return at_byte("ktx2-format", fmt::format("VkFormat {} ({}) has no surface format", vk_format, family.what), name,
                     format_at, 4)
          .note(std::string(family.way_out));
  return at_byte("ktx2-format", fmt::format("VkFormat {} has no surface format", vk_format), name, format_at, 4);
}

}  // namespace heddle::image
