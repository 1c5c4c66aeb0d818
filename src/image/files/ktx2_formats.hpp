#pragma once
// What a KTX2 file's numbers mean: where its parts stand, and what its texels are: its VkFormat, or what the data
// format descriptor says where there is none.

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "image/files/packed_format.hpp"

namespace heddle::image {
namespace ktx2 {

inline constexpr std::array<std::uint8_t, 12> kIdentifier = {0xab, 'K',  'T',  'X',  ' ',  '2',
                                                             '0',  0xbb, '\r', '\n', 0x1a, '\n'};
inline constexpr std::uint64_t kLevelIndexAt = 80, kLevelEntryBytes = 24;

}  // namespace ktx2

/// VkFormats that no surface format stores: their texels are moved into one with the same values.
[[nodiscard]] std::optional<PackedFormat> packed_vulkan_format(std::uint32_t vk_format);

/// Supercompression schemes (KTX 2.0, section 3.2).
enum class Supercompression : std::uint32_t { None = 0, BasisLz = 1, Zstandard = 2, Zlib = 3 };

/// Why the texels cannot be read; `model` is the color model of the data format descriptor, if there is one. Id:
/// ktx2-format.
[[nodiscard]] base::Diagnostic refuse_texels(std::uint32_t vk_format, Supercompression scheme,
                                             std::optional<std::uint8_t> model, const std::string& name);

}  // namespace heddle::image
