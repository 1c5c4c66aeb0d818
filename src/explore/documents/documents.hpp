// SPDX-License-Identifier: MIT
#pragma once
// What the page asks for, by name: a report has documents in it, a server makes them (docs/explorer.md lists them).

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::explore {

/// Which documents a report takes first, until its size is reached.
enum class Priority : std::uint8_t { Always, Picture, Trace, History, Rest };

struct Document {
  std::string name;
  Priority priority = Priority::Rest;
  std::vector<std::uint8_t> bytes;
  std::size_t unpacked = 0;  ///< bytes that it has when `bytes` are deflated; 0: they are not
};

using Documents = std::vector<Document>;

void add_text(Documents& documents, std::string name, Priority priority, std::string_view text);

/// Words as their lowest bytes, then their second bytes ...: equal bytes lie together, which deflates better.
[[nodiscard]] std::vector<std::uint8_t> byte_planes(std::span<const std::uint32_t> words);

/// Deflates those from `first` on: reports of many commands take less memory.
void pack(Documents& documents, std::size_t first);

/// As zlib writes it (RFC 1950), which the browser's DecompressionStream calls "deflate".
[[nodiscard]] std::vector<std::uint8_t> deflate(std::span<const std::uint8_t> bytes);

}  // namespace heddle::explore
