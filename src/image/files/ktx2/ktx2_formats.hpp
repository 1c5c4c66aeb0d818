// SPDX-License-Identifier: MIT
#pragma once
// What a KTX2 file's numbers mean: where its parts stand, and what its texels are: its VkFormat, or what the data
// format descriptor says where there is none.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "image/files/packed_format.hpp"

namespace heddle::image {
namespace ktx2 {

inline constexpr std::array<std::uint8_t, 12> kIdentifier = {0xab, 'K',  'T',  'X',  ' ',  '2',
                                                             '0',  0xbb, '\r', '\n', 0x1a, '\n'};
inline constexpr std::uint64_t kLevelIndexAt = 80, kLevelEntryBytes = 24;

struct Level {
  std::uint64_t offset = 0, length = 0, uncompressed = 0;
};
/// A part of the file; `at`: where the header says so.
struct Section {
  const char* what = "";
  std::uint64_t at = 0, offset = 0, length = 0;
};

/// What is asked for of the data format descriptor (Khronos Data Format 1.3, section 5).
struct Descriptor {
  std::uint8_t model = 0, transfer = 0;
  std::vector<std::uint8_t> channels{};  ///< of the samples
};
[[nodiscard]] base::Result<Descriptor> read_descriptor(Bytes file, const Section& at, const std::string& name);

/// Texels of no VkFormat. Etc1s is compressed with BasisLZ.
enum class Universal : std::uint8_t { No, Etc1s, Uastc };
[[nodiscard]] Universal universal_texels(std::uint32_t vk_format, std::uint32_t scheme,
                                         const std::optional<Descriptor>& descriptor);
/// sRGB or not.
[[nodiscard]] bool is_srgb(const Descriptor& descriptor);
/// Which channels the texels hold, where these are not RGB with or without alpha.
[[nodiscard]] std::string_view odd_channels(Universal universal, const Descriptor& descriptor);

/// Id: ktx2-level.
[[nodiscard]] base::Diagnostic outside_the_file(const Level& index, std::uint32_t level, std::uint64_t file_size,
                                                const std::string& name);

}  // namespace ktx2

/// VkFormats that no surface format stores: their texels are moved into one with the same values.
[[nodiscard]] std::optional<PackedFormat> packed_vulkan_format(std::uint32_t vk_format);

/// Supercompression schemes (KTX 2.0, section 3.2).
enum class Supercompression : std::uint32_t { None = 0, BasisLz = 1, Zstandard = 2, Zlib = 3 };

/// Why the texels cannot be read. Id: ktx2-format.
[[nodiscard]] base::Diagnostic refuse_texels(std::uint32_t vk_format, Supercompression scheme,
                                             const std::optional<ktx2::Descriptor>& descriptor,
                                             const std::string& name);

}  // namespace heddle::image
