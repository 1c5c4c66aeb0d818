// SPDX-License-Identifier: MIT
#include "image/files/png_chunks.hpp"

#include <zlib.h>

#include <algorithm>
#include <string_view>

#include "base/byte_cursor.hpp"

namespace heddle::image {
namespace {

constexpr std::size_t kSignatureBytes = 8, kChunkExtra = 12;  // length, type and checksum of a chunk

std::uint32_t big_endian(Bytes bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

/// The first letter says whether a decoder must know the chunk; tRNS need not be known but changes texels.
bool texels_need(std::string_view type) { return (type[0] >= 'A' && type[0] <= 'Z') || type == "tRNS"; }

class Checker {
 public:
  Checker(Bytes bytes, const std::string& name, base::Diagnostics* notes) : bytes_(bytes), name_(name), notes_(notes) {}

  base::Result<base::Done> run() {
    std::size_t at = kSignatureBytes;
    while (at + kChunkExtra <= bytes_.size()) {
      const std::uint32_t length = big_endian(bytes_.subspan(at, 4));
      const std::string_view type = base::as_text(bytes_.subspan(at + 4, 4));
      if (!std::ranges::all_of(type, is_letter))
        return at_byte("png-data", "no chunk of a PNG begins here", name_, at, 8);
      if (length > bytes_.size() - at - kChunkExtra)
        return report(type, at, fmt::format("chunk {} of {} bytes reaches beyond the end of the file", type, length));
      const std::uint32_t stored = big_endian(bytes_.subspan(at + 8 + length, 4));
      const auto found = static_cast<std::uint32_t>(crc32(0, bytes_.data() + at + 4, length + 4));
      if (stored != found) {
        auto done = report(type, at,
                           fmt::format("chunk {} is damaged: its checksum is {:#010x}, that of its bytes {:#010x}",
                                       type, stored, found));
        if (!done.ok()) return done;
      }
      if (type == "IEND") return base::Done{};
      at += kChunkExtra + length;
    }
    say(notes_,
        base::warning("png-data", "the file ends before the chunk IEND", base::Place::binary(name_, bytes_.size())));
    return base::Done{};
  }

 private:
  base::Result<base::Done> report(std::string_view type, std::size_t at, std::string message) const {
    const base::Place place = base::Place::binary(name_, at, 8);
    if (texels_need(type) && type != "IEND")
      return base::error(type == "IHDR" ? "png-header" : "png-data", std::move(message), place)
          .note("its texels may be wrong; `pngcheck` says more about the file");
    say(notes_, base::warning("png-data", std::move(message), place));
    return base::Done{};
  }

  Bytes bytes_;
  const std::string& name_;
  base::Diagnostics* notes_;
};

}  // namespace

base::Result<base::Done> check_png_chunks(Bytes bytes, const std::string& name, base::Diagnostics* notes) {
  return Checker(bytes, name, notes).run();
}

}  // namespace heddle::image
