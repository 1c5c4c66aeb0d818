// SPDX-License-Identifier: MIT
#include "image/files/photo/bmp_header.hpp"

#include <algorithm>

#include "base/byte_cursor.hpp"
#include "image/files/photo/photo.hpp"

namespace heddle::image {
namespace {

constexpr std::size_t kFileHeader = 14;
constexpr std::uint32_t kCore = 12, kMinOs2 = 16, kInfo = 40, kMasks = 52, kAlphaMask = 56, kOs2 = 64;

enum Compression : std::uint32_t { None, Rle8, Rle4, BitFields, Jpeg, Png, AlphaBitFields, Cmyk = 11, CmykRle4 = 13 };

/// What no reader here makes texels of; empty: it does.
std::string_view foreign(std::uint32_t compression, bool os2) {
  if (os2) return compression == 3 ? "its texels are compressed by Huffman's code (1D)" : "";
  if (compression == Jpeg) return "its texels are a JPEG file that stands in it";
  if (compression == Png) return "its texels are a PNG file that stands in it";
  if (compression >= Cmyk && compression <= CmykRle4) return "its colors are CMYK";
  return "";
}

class Reader {
 public:
  Reader(Bytes bytes, const std::string& name, base::Diagnostics* notes) : bytes_(bytes), name_(name), notes_(notes) {}

  base::Result<BmpHeader> run() {
    if (base::as_text(bytes_).starts_with("BA")) start_ = kFileHeader;  // an array of bitmaps: the first one
    base::ByteCursor cursor(bytes_, std::min(start_ + 10, bytes_.size()));
    texels_at_ = cursor.u32();
    size_ = cursor.u32();
    if (cursor.failed() || size_ < kCore || bytes_.size() - start_ - kFileHeader < size_)
      return fail(fmt::format("its header of {} bytes is none, or does not fit in the file", size_), start_ + 14);
    if (size_ != kCore && size_ < kMinOs2) return fail(fmt::format("no header has {} bytes", size_), start_ + 14);
    os2_ =
        size_ == kCore || size_ < kInfo || (size_ > kInfo && size_ <= kOs2 && size_ != kMasks && size_ != kAlphaMask);
    if (const auto read = read_fields(); !read.ok()) return read.failure();
    if (const auto read = choose_texels(); !read.ok()) return read.failure();
    place_palette();
    return std::move(header_);
  }

 private:
  base::Diagnostic fail(std::string_view why, std::uint64_t at) const { return broken(FileKind::Bmp, why, name_, at); }

  /// A field of the header that has begun at `start_` + 14; 0 where the header is shorter.
  std::uint32_t field(std::uint32_t at, std::uint32_t count = 4) const {
    if (at + count > size_) return 0;
    base::ByteCursor cursor(bytes_, start_ + kFileHeader + at);
    return count == 2 ? cursor.u16() : cursor.u32();
  }
  std::size_t place(std::uint32_t at) const { return start_ + kFileHeader + at; }

  base::Result<base::Done> read_fields() {
    const bool core = size_ == kCore;
    header_.sizes_at = place(4);
    header_.width = core ? field(4, 2) : field(4);
    const auto height = core ? std::int64_t{field(6, 2)} : std::int64_t{static_cast<std::int32_t>(field(8))};
    header_.top_down = height < 0;
    header_.height = static_cast<std::uint32_t>(height < 0 ? -height : height);
    header_.bits = core ? field(10, 2) : field(14, 2);
    compression_ = core ? 0 : field(16);
    colors_ = core ? 0 : field(32);
    if (static_cast<std::int32_t>(header_.width) <= 0 || height == 0)
      return fail(fmt::format("it has {} x {} texels", static_cast<std::int32_t>(header_.width), height),
                  header_.sizes_at);
    if (const std::string_view what = foreign(compression_, os2_); !what.empty()) {
      auto refused = fail(fmt::format("{} (compression {})", what, compression_), place(16));
      if (!os2_ && compression_ <= Png) refused.note(fmt::format("that file begins at byte {}", texels_at_));
      return refused;
    }
    return base::Done{};
  }

  base::Result<base::Done> choose_texels() {
    const unsigned bits = header_.bits;
    const auto wrong = [&] {
      return fail(fmt::format("no BMP has {} bits a texel with compression {}", bits, compression_), place(14));
    };
    const bool known = bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16 || bits == 24 || bits == 32;
    if (!known) return wrong();
    if (compression_ == None) {
      if (bits <= 8)
        header_.texels = BmpTexels::Indices;
      else
        use_fields(bits == 16 ? std::array<BitField, 4>{{{10, 5}, {5, 5}, {0, 5}, {}}}
                              : std::array<BitField, 4>{{{16, 8}, {8, 8}, {0, 8}, {}}});
      header_.unused_byte = bits == 32;
      return base::Done{};
    }
    const bool rle24 = os2_ && compression_ == 4;
    if (compression_ == Rle8 || compression_ == Rle4 || rle24) {
      if (bits != (rle24 ? 24u : compression_ == Rle8 ? 8u : 4u)) return wrong();
      header_.texels = BmpTexels::Runs;
      return base::Done{};
    }
    if (os2_ || (compression_ != BitFields && compression_ != AlphaBitFields) || bits < 16) return wrong();
    return read_masks();
  }

  void use_fields(const std::array<BitField, 4>& channels) {
    header_.texels = BmpTexels::Fields;
    header_.channels = channels;
  }

  /// The masks of bit fields stand in headers of 52 bytes and more, behind one of 40.
  base::Result<base::Done> read_masks() {
    const bool behind = size_ < kMasks;
    const unsigned count = compression_ == AlphaBitFields || size_ >= kAlphaMask ? 4 : 3;
    base::ByteCursor cursor(bytes_, place(kInfo));
    std::array<BitField, 4> channels{};
    bool any = false;
    for (unsigned i = 0; i < count; ++i) {
      const std::size_t at = cursor.position();
      const std::uint32_t mask = cursor.u32();
      const auto found = bits_of_mask(mask);
      if (cursor.failed() || !found || found->start + found->count > header_.bits)
        return fail(fmt::format("{:#010x} is no mask of bits that follow each other in {} bits", mask, header_.bits),
                    at);
      channels[i] = *found;
      any = any || (i < 3 && mask != 0);
    }
    if (!any) return fail("its masks of red, green and blue are all 0", place(kInfo));
    if (behind) mask_bytes_ = count * 4;
    use_fields(channels);
    return base::Done{};
  }

  /// The palette lies between the headers and the texels: it ends where they begin, whatever number of colors the
  /// header gives. Texels that would begin in the headers begin behind the palette.
  void place_palette() {
    const std::size_t entry = size_ == kCore ? 3 : 4, begin = place(size_) + mask_bytes_;
    const bool indices = header_.bits <= 8;
    const std::uint64_t promised = colors_ != 0 ? colors_ : indices ? std::uint64_t{1} << header_.bits : 0;
    std::uint64_t room = bytes_.size() > begin ? bytes_.size() - begin : 0;
    if (texels_at_ >= begin) {
      room = std::min<std::uint64_t>(room, texels_at_ - begin);
      header_.texels_at = texels_at_;
    } else {
      header_.texels_at = begin + static_cast<std::size_t>(std::min(promised, room / entry)) * entry;
      warn_of(notes_, FileKind::Bmp,
              fmt::format("the header says that texels begin at byte {}, in the headers themselves: they are read from "
                          "byte {}, behind the palette",
                          texels_at_, header_.texels_at),
              name_, start_ + 10);
    }
    if (!indices) return;
    const std::uint64_t count = std::min({promised, room / entry, std::uint64_t{1} << header_.bits});
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint8_t* from = bytes_.data() + begin + i * entry;
      header_.palette.push_back({from[2], from[1], from[0]});
    }
  }

  Bytes bytes_;
  const std::string& name_;
  base::Diagnostics* notes_;
  BmpHeader header_;
  std::size_t start_ = 0, mask_bytes_ = 0;
  std::uint32_t size_ = 0, texels_at_ = 0, compression_ = 0, colors_ = 0;
  bool os2_ = false;
};

}  // namespace

base::Result<BmpHeader> read_bmp_header(Bytes bytes, const std::string& name, base::Diagnostics* notes) {
  return Reader(bytes, name, notes).run();
}

}  // namespace heddle::image
