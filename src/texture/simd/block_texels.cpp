// SPDX-License-Identifier: MIT
#include "texture/simd/block_texels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

namespace heddle::texture::simd {
namespace {

using image::Codec;
using image::FormatInfo;

/// The blocks of one format that a thread decoded last.
class Blocks {
 public:
  Blocks(const FormatInfo& format, bool srgb)
      : format_(&format),
        srgb_(srgb),
        bytes_(format.bytes_per_element()),
        texels_(std::size_t{format.block_width} * format.block_height),
        keys_(kCount),
        words_(kCount * texels_ * 4) {
    decode(keys_[0], 0);  // zeros are looked for there alone
  }

  [[nodiscard]] bool are_of(const FormatInfo* format, bool srgb) const { return format_ == format && srgb_ == srgb; }
  [[nodiscard]] std::size_t bytes() const { return keys_.size() * sizeof(Key) + words_.size() * sizeof(std::uint32_t); }
  [[nodiscard]] std::uint64_t decoded() const { return decoded_; }

  /// The texels of the block with these bytes, row after row.
  const std::uint32_t* find(const std::uint8_t* block) {
    Key key{};
    std::memcpy(&key.low, block, 8);
    if (bytes_ == 16) std::memcpy(&key.high, block + 8, 8);
    const std::uint64_t mixed = (key.low ^ std::rotl(key.high, 29) * 0xff51afd7ed558ccdu) * 0x9e3779b97f4a7c15u;
    const std::size_t at = mixed >> (64 - kBits);
    if (keys_[at].low != key.low || keys_[at].high != key.high) {
      decode(key, at);
      keys_[at] = key;  // once its texels are there
    }
    return words_.data() + at * texels_ * 4;
  }

 private:
  static constexpr unsigned kBits = 8;
  static constexpr std::size_t kCount = std::size_t{1} << kBits;

  struct Key {
    std::uint64_t low = 0, high = 0;
  };

  void decode(const Key& key, std::size_t at) {
    ++decoded_;
    std::array<std::uint8_t, 16> bytes;
    std::memcpy(bytes.data(), &key.low, 8);
    std::memcpy(bytes.data() + 8, &key.high, 8);
    image::decode_rows(*format_, bytes.data(), format_->block_width, format_->block_height, srgb_,
                       words_.data() + at * texels_ * 4);
  }

  const FormatInfo* format_;
  bool srgb_;
  std::size_t bytes_, texels_;
  std::vector<Key> keys_;
  std::vector<std::uint32_t> words_;
  std::uint64_t decoded_ = 0;
};

/// Those of the formats that the thread used last, the latest first: as many as kKeptBlockBytes have room for.
class KeptBlocks {
 public:
  Blocks& of(const FormatInfo* format, bool srgb) {
    const auto found = std::ranges::find_if(kept_, [&](const auto& blocks) { return blocks->are_of(format, srgb); });
    if (found != kept_.end()) {
      std::rotate(kept_.begin(), found, found + 1);
      return *kept_.front();
    }
    kept_.insert(kept_.begin(), std::make_unique<Blocks>(*format, srgb));
    while (kept_.size() > 1 && bytes() > kKeptBlockBytes) {
      decoded_ += kept_.back()->decoded();
      kept_.pop_back();
    }
    return *kept_.front();
  }
  [[nodiscard]] std::size_t bytes() const {
    return std::accumulate(kept_.begin(), kept_.end(), std::size_t{0},
                           [](std::size_t sum, const auto& blocks) { return sum + blocks->bytes(); });
  }
  [[nodiscard]] std::uint64_t decoded() const {
    return std::accumulate(kept_.begin(), kept_.end(), decoded_,
                           [](std::uint64_t sum, const auto& blocks) { return sum + blocks->decoded(); });
  }

 private:
  std::vector<std::unique_ptr<Blocks>> kept_;
  std::uint64_t decoded_ = 0;  ///< by those that are gone
};
KeptBlocks& kept_blocks() {
  static thread_local KeptBlocks kept;
  return kept;
}

/// A coordinate as a block and a place in it.
struct Axis {
  explicit Axis(unsigned size) : size_(size), shift_(std::has_single_bit(size) ? std::bit_width(size) - 1 : 0) {}
  [[nodiscard]] std::uint32_t block(std::uint32_t x) const {
    return size_ == 4 ? x / 4 : shift_ != 0 ? x >> shift_ : x / size_;
  }
  [[nodiscard]] std::uint32_t inside(std::uint32_t x, std::uint32_t block) const { return x - block * size_; }

 private:
  unsigned size_;
  int shift_;
};

}  // namespace

BlockCounts block_counts() { return {kept_blocks().bytes(), kept_blocks().decoded()}; }

bool lies_in_blocks(const FormatInfo& format) {
  switch (format.codec) {
    case Codec::Bc1:
    case Codec::Bc2:
    case Codec::Bc3:
    case Codec::Bc4:
    case Codec::Bc5:
    case Codec::Bc6h:
    case Codec::Bc7:
    case Codec::Etc:
    case Codec::Eac:
    case Codec::Astc:
    case Codec::Fxt1:
      return format.bytes_per_element() == 8 || format.bytes_per_element() == 16;
    default:
      return false;
  }
}

void decode_blocks(const DynamicState* dynamic_state, const Level* level, const std::uint32_t* places,
                   std::uint32_t width, std::uint32_t quads, std::uint32_t* words) {
  const auto& format = *static_cast<const FormatInfo*>(dynamic_state->format);
  const Axis across(format.block_width), down(format.block_height);
  const std::uint32_t bytes = format.bytes_per_element();
  Blocks& blocks = kept_blocks().of(&format, dynamic_state->srgb_decode != 0);
  const std::uint8_t* const first = dynamic_state->memory + level->offset;
  const unsigned sides = quads != 0 ? 2 : 1;
  const std::uint32_t* const columns = places;
  const std::uint32_t* const rows = places + std::size_t{sides} * width;
  const std::uint32_t* const slices = rows + std::size_t{sides} * width;
  const std::uint32_t* const apart = slices + width;
  for (std::uint32_t lane = 0; lane < width; ++lane) {
    const std::uint8_t* const slice =
        first + std::uint64_t{slices[lane]} * level->layer_pitch + static_cast<std::int32_t>(apart[lane]);
    std::size_t column_at[2], inside_x[2];
    for (unsigned k = 0; k < sides; ++k) {
      const std::uint32_t x = columns[k * width + lane], column = across.block(x);
      column_at[k] = std::size_t{column} * bytes;
      inside_x[k] = std::size_t{across.inside(x, column)} * 4;
    }
    const std::uint8_t* last = nullptr;
    const std::uint32_t* texels = nullptr;
    std::uint32_t* to = words + lane;
    for (unsigned j = 0; j < sides; ++j) {
      const std::uint32_t y = rows[j * width + lane], row = down.block(y);
      const std::uint8_t* const line = slice + std::uint64_t{row} * level->row_pitch;
      const std::size_t inside_y = std::size_t{down.inside(y, row)} * format.block_width * 4;
      for (unsigned k = 0; k < sides; ++k) {
        if (const std::uint8_t* const block = line + column_at[k]; block != last) {
          texels = blocks.find(block);
          last = block;
        }
        const std::uint32_t* const texel = texels + inside_y + inside_x[k];
        for (unsigned c = 0; c < 4; ++c, to += width) *to = texel[c];
      }
    }
  }
}

}  // namespace heddle::texture::simd
