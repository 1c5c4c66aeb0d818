// SPDX-License-Identifier: MIT
#pragma once
// Base64 (RFC 4648, section 4): bytes as text.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::base {

/// Adds the bytes to `text`, padded with '='.
void append_base64(std::string& text, std::span<const std::uint8_t> bytes);
/// The bytes; nullopt where the text is not a multiple of four characters long, has another character than those of the
/// alphabet, or padding elsewhere than at its end.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> parse_base64(std::string_view text);

}  // namespace heddle::base
