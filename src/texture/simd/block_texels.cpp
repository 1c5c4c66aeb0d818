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

/// A coordinate as a block and a place in it; nearly all formats have blocks of 4 x 4 texels.
template <bool Four>
class Axis {
 public:
  explicit Axis(unsigned size) : size_(Four ? 4 : size) {}
  [[nodiscard]] std::uint32_t block(std::uint32_t x) const { return Four ? x / 4 : x / size_; }
  [[nodiscard]] std::uint32_t inside(std::uint32_t x, std::uint32_t block) const {
    return Four ? x % 4 : x - block * size_;
  }

  [[nodiscard]] std::size_t size() const { return Four ? 4 : size_; }

 private:
  unsigned size_;
};

/// decode_blocks() with the blocks of a format. `Sides`: columns and rows of each lane.
template <bool Four, unsigned Sides>
void decode(const FormatInfo& format, Blocks& blocks, const std::uint8_t* first, const Level& level,
            const std::uint32_t* places, std::uint32_t width, std::uint32_t* words) {
  const Axis<Four> across(format.block_width), down(format.block_height);
  const std::uint32_t bytes = format.bytes_per_element();
  const std::uint32_t* const columns = places;
  const std::uint32_t* const rows = places + std::size_t{Sides} * width;
  const std::uint32_t* const slices = rows + std::size_t{Sides} * width;
  const std::uint32_t* const apart = slices + width;
  // Of each tap, where the lane before it was: mostly in the same block.
  const std::uint8_t* last[Sides][Sides]{};
  const std::uint32_t* texels[Sides][Sides]{};
  for (std::uint32_t lane = 0; lane < width; ++lane) {
    const std::uint8_t* const slice =
        first + std::uint64_t{slices[lane]} * level.layer_pitch + static_cast<std::int32_t>(apart[lane]);
    std::size_t column_at[Sides], inside_x[Sides];
    for (unsigned k = 0; k < Sides; ++k) {
      const std::uint32_t x = columns[k * width + lane], column = across.block(x);
      column_at[k] = std::size_t{column} * bytes;
      inside_x[k] = std::size_t{across.inside(x, column)} * 4;
    }
    for (unsigned j = 0; j < Sides; ++j) {
      const std::uint32_t y = rows[j * width + lane], row = down.block(y);
      const std::uint8_t* const line = slice + std::uint64_t{row} * level.row_pitch;
      const std::size_t inside_y = std::size_t{down.inside(y, row)} * across.size() * 4;
      for (unsigned k = 0; k < Sides; ++k) {
        if (const std::uint8_t* const block = line + column_at[k]; block != last[j][k]) {
          const std::uint64_t decoded = blocks.decoded();
          texels[j][k] = blocks.find(block);
          if (blocks.decoded() != decoded) std::memset(last, 0, sizeof last);  // they may be those that had to go
          last[j][k] = block;
        }
        std::memcpy(words + 4 * (std::size_t{Sides * j + k} * width + lane), texels[j][k] + inside_y + inside_x[k], 16);
      }
    }
  }
}

/// The same of a rectangle.
void decode_rectangle(const FormatInfo& format, Blocks& blocks, const std::uint8_t* first, const Level& level,
                      const std::uint32_t (&place)[5], std::uint32_t* words) {
  const auto [left, top, slice, columns, rows] = place;
  const std::uint32_t across = format.block_width, down = format.block_height, bytes = format.bytes_per_element();
  first += std::uint64_t{slice} * level.layer_pitch;
  for (std::uint32_t x = left; x < left + columns;) {
    const std::uint32_t column = x / across, inside = x % across, count = std::min(across - inside, left + columns - x);
    const std::uint32_t* texels = nullptr;
    for (std::uint32_t y = top; y < top + rows; ++y) {
      if (y == top || y % down == 0)
        texels = blocks.find(first + std::uint64_t{y / down} * level.row_pitch + std::size_t{column} * bytes);
      const std::uint32_t* from = texels + 4 * (std::size_t{y % down} * across + inside);
      std::uint32_t* to = words + 4 * (std::size_t{y - top} * columns + x - left);
      for (std::uint32_t k = 0; k < count; ++k) std::memcpy(to + 4 * std::size_t{k}, from + 4 * std::size_t{k}, 16);
    }
    x += count;
  }
}

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
  Blocks& blocks = kept_blocks().of(&format, dynamic_state->srgb_decode != 0);
  const std::uint8_t* const first = dynamic_state->memory + level->offset;
  if (width == 0) {
    std::uint32_t place[5];
    std::memcpy(place, places, sizeof place);
    return decode_rectangle(format, blocks, first, *level, place, words);
  }
  const bool four = format.block_width == 4 && format.block_height == 4;
  const auto run =
      quads != 0 ? (four ? decode<true, 2> : decode<false, 2>) : (four ? decode<true, 1> : decode<false, 1>);
  run(format, blocks, first, *level, places, width, words);
}

void decode_block_rows(const DynamicState& dynamic_state, const Level& level, std::size_t first, std::size_t last,
                       std::uint32_t* words) {
  const auto& format = *static_cast<const FormatInfo*>(dynamic_state.format);
  const auto width = static_cast<std::uint32_t>(level.size[0]), height = static_cast<std::uint32_t>(level.size[1]);
  for (std::size_t row = first; row < last; ++row) {
    const auto y = static_cast<std::uint32_t>(row * format.block_height);
    image::decode_rows(format, dynamic_state.memory + level.offset + row * level.row_pitch, width,
                       std::min<std::uint32_t>(format.block_height, height - y), dynamic_state.srgb_decode != 0,
                       words + std::size_t{4} * width * y);
  }
}

std::uint32_t block_rows(const DynamicState& dynamic_state, const Level& level) {
  const std::uint32_t height = static_cast<const FormatInfo*>(dynamic_state.format)->block_height;
  return (static_cast<std::uint32_t>(level.size[1]) + height - 1) / height;
}

}  // namespace heddle::texture::simd
