// SPDX-License-Identifier: MIT
#pragma once
// What commands and shaders do with texels.

#include <array>
#include <cstdint>
#include <string_view>

namespace heddle::vulkan {

enum class TexelUse : std::uint8_t {
  // Reads:
  Sampled,     ///< by filtered samples: every tap of the filter
  Gathered,    ///< by gathers
  Loaded,      ///< by loads of a sampled image
  Input,       ///< by loads of an input attachment
  Storage,     ///< by loads of a storage image, and by atomic operations
  Attachment,  ///< by load operations of a pass, by blending, by tests of depth and stencil
  Copied,      ///< by copies, blits and resolves
  // Writes:
  Stored,    ///< by stores to a storage image, and by atomic operations
  Drawn,     ///< by fragments, to an attachment
  Uploaded,  ///< by copies from buffers and from the host
  CopiedTo,  ///< by copies from images, blits and resolves
  Cleared,   ///< by clears, of a pass's load operations too
};
inline constexpr std::size_t kTexelUses = 12;
inline constexpr std::size_t kFirstWrite = static_cast<std::size_t>(TexelUse::Stored);

struct TexelUseRow {
  std::string_view name;   ///< in files and in the summary
  std::string_view words;  ///< for people
};
inline constexpr std::array<TexelUseRow, kTexelUses> kTexelUseRows{{
    {"sampled", "read by samples"},
    {"gathered", "read by gathers"},
    {"loaded", "read by loads"},
    {"input", "read as input attachment"},
    {"storage-read", "read as storage image"},
    {"attachment-read", "read as attachment"},
    {"copied-from", "read by copies, blits, resolves"},
    {"stored", "written as storage image"},
    {"drawn", "written as attachment"},
    {"uploaded", "written from buffers and the host"},
    {"copied-to", "written by copies, blits, resolves"},
    {"cleared", "cleared"},
}};
[[nodiscard]] constexpr bool is_write(std::size_t use) { return use >= kFirstWrite; }
/// Reads of shaders, which a program notices.
[[nodiscard]] constexpr bool is_shader_read(std::size_t use) {
  return use <= static_cast<std::size_t>(TexelUse::Storage);
}

}  // namespace heddle::vulkan
