// SPDX-License-Identifier: MIT
#include "explore/documents/documents.hpp"

#include <zlib.h>

#include <new>

namespace heddle::explore {

void add_text(Documents& documents, std::string name, Priority priority, std::string_view text) {
  documents.push_back({std::move(name), priority, {text.begin(), text.end()}});
}

std::vector<std::uint8_t> byte_planes(std::span<const std::uint32_t> words) {
  std::vector<std::uint8_t> bytes(words.size() * 4);
  for (std::size_t plane = 0; plane < 4; ++plane)
    for (std::size_t i = 0; i < words.size(); ++i)
      bytes[plane * words.size() + i] = static_cast<std::uint8_t>(words[i] >> (8 * plane));
  return bytes;
}

std::vector<std::uint8_t> deflate(std::span<const std::uint8_t> bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::vector<std::uint8_t> out(size);
  // With room for compressBound() bytes zlib fails only where there is no memory.
  if (compress2(out.data(), &size, bytes.data(), static_cast<uLong>(bytes.size()), Z_DEFAULT_COMPRESSION) != Z_OK)
    throw std::bad_alloc();
  out.resize(size);
  return out;
}

void pack(Documents& documents, std::size_t first) {
  for (std::size_t i = first; i < documents.size(); ++i) {
    Document& document = documents[i];
    if (document.unpacked != 0 || document.bytes.empty()) continue;
    document.unpacked = document.bytes.size();
    document.bytes = deflate(document.bytes);
  }
}

}  // namespace heddle::explore
