// SPDX-License-Identifier: MIT
#include "image/files/ktx2/basis_lz.hpp"

#include <algorithm>

namespace heddle::image {
namespace {

constexpr std::string_view kEnds = "it ends too early, or has a code that its tables don't";
constexpr std::string_view kTables = "a Huffman table is broken";

/// ETC1's tables of intensities: what a texel adds to the color, by its selector.
constexpr std::int16_t kModifiers[8][4] = {{-8, -2, 2, 8},       {-17, -5, 5, 17},    {-29, -9, 9, 29},
                                           {-42, -13, 13, 42},   {-60, -18, 18, 60},  {-80, -24, 24, 80},
                                           {-106, -33, 33, 106}, {-183, -47, 47, 183}};

/// The last selectors; one that is used moves half way to the front.
class History {
 public:
  explicit History(std::uint32_t size) : values_(size), next_(size / 2) {}

  [[nodiscard]] std::size_t size() const { return values_.size(); }
  void add(std::uint16_t value) {
    if (values_.empty()) return;
    values_[next_++] = value;
    if (next_ == values_.size()) next_ = values_.size() / 2;
  }
  std::uint16_t use(std::size_t place) {
    const std::uint16_t value = values_[place];
    std::swap(values_[place], values_[place / 2]);
    return value;
  }

 private:
  std::vector<std::uint16_t> values_;
  std::size_t next_;
};

}  // namespace

std::string_view BasisLz::read_endpoints(Bytes bytes, std::uint32_t count) {
  if (count == 0) return "it has no entries";
  BitStream bits(bytes);
  std::array<HuffmanTable, 3> colors;
  HuffmanTable tables;
  for (HuffmanTable* table : {&colors[0], &colors[1], &colors[2], &tables})
    if (!table->read(bits)) return kTables;
  const bool gray = bits.take(1) != 0;
  Endpoint entry{{16, 16, 16}, 0};
  endpoints_.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    entry.table = static_cast<std::uint8_t>((entry.table + tables.take(bits)) & 7);
    for (std::size_t c = 0; c < (gray ? 1 : 3); ++c) {
      const std::uint8_t before = entry.color[c];
      const HuffmanTable& deltas = colors[before <= 9 ? 0 : before <= 21 ? 1 : 2];
      entry.color[c] = static_cast<std::uint8_t>((before + deltas.take(bits)) & 31);
    }
    if (gray) entry.color[1] = entry.color[2] = entry.color[0];
    if (bits.failed()) return kEnds;
    endpoints_.push_back(entry);
  }
  return {};
}

std::string_view BasisLz::read_selectors(Bytes bytes, std::uint32_t count) {
  if (count == 0) return "it has no entries";
  BitStream bits(bytes);
  if (bits.take(2) != 0) return "its first two bits are not 0";
  const bool plain = bits.take(1) != 0;
  HuffmanTable deltas;
  if (!plain && !deltas.read(bits)) return kTables;
  Selector entry{};
  selectors_.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint8_t& row : entry)
      row = static_cast<std::uint8_t>(plain || i == 0 ? bits.take(8) : row ^ deltas.take(bits));
    if (bits.failed()) return kEnds;
    selectors_.push_back(entry);
  }
  return {};
}

std::string_view BasisLz::read_tables(Bytes bytes) {
  BitStream bits(bytes);
  for (HuffmanTable* table : {&predictions_, &endpoint_deltas_, &selector_symbols_, &selector_runs_})
    if (!table->read(bits)) return kTables;
  history_size_ = bits.take(13);
  return bits.failed() ? kEnds : std::string_view{};
}

/// One slice, block by block ("ETC1S Slice Block Decoding").
class Etc1sSliceReader {
 public:
  Etc1sSliceReader(const BasisLz& book, Bytes bytes, bool refers, Etc1sSlice& slice)
      : book_(book), bits_(bytes), refers_(refers), slice_(slice), history_(book.history_size_) {}

  std::string_view run() {
    lower_predictions_.resize((slice_.columns + 1) / 2);
    for (std::uint32_t y = 0; y < slice_.rows; ++y)
      for (std::uint32_t x = 0; x < slice_.columns; ++x) {
        if (x % 2 == 0) predictions_ = y % 2 == 0 ? take_predictions(x / 2) : lower_predictions_[x / 2];
        if (!read_block(x, y)) return bits_.failed() ? kEnds : problem_;
      }
    if (prediction_run_ != 0) return "a run of predictions goes on after its end";
    return {};
  }

 private:
  static constexpr std::uint32_t kRepeatPrediction = 256;
  enum Prediction : std::uint32_t { Left = 0, Above = 1, AboveLeft = 2, Delta = 3 };

  /// Two bits for each of 2x2 blocks; those of the lower row are kept.
  std::uint32_t take_predictions(std::uint32_t pair) {
    if (prediction_run_ != 0) {
      --prediction_run_;
    } else if (const std::uint32_t symbol = book_.predictions_.take(bits_); symbol == kRepeatPrediction) {
      prediction_run_ = std::uint64_t{bits_.take_groups(4)} + 2;
    } else {
      last_prediction_ = symbol;
    }
    lower_predictions_[pair] = static_cast<std::uint8_t>(last_prediction_ >> 4);
    return last_prediction_;
  }

  bool read_block(std::uint32_t x, std::uint32_t y) {
    const std::size_t at = std::size_t{y} * slice_.columns + x;
    Etc1sBlock& block = slice_.blocks[at];
    const std::uint32_t prediction = predictions_ & 3;
    predictions_ >>= 2;
    const bool kept = refers_ && prediction == AboveLeft;  // the block of the frame before
    std::uint32_t endpoint = 0;
    if (kept) {
      endpoint = block.endpoint;
    } else if ((prediction == Left && x == 0) || (prediction == Above && y == 0) ||
               (prediction == AboveLeft && (x == 0 || y == 0))) {
      problem_ = "a block refers to one outside of the picture";
      return false;
    } else if (prediction == Delta) {
      endpoint = last_endpoint_ + book_.endpoint_deltas_.take(bits_);
      if (endpoint >= book_.endpoints_.size()) endpoint -= static_cast<std::uint32_t>(book_.endpoints_.size());
    } else {
      endpoint = prediction == Left    ? last_endpoint_
                 : prediction == Above ? slice_.blocks[at - slice_.columns].endpoint
                                       : slice_.blocks[at - slice_.columns - 1].endpoint;
    }
    const std::uint32_t selector = kept ? block.selector : take_selector();
    if (bits_.failed()) return false;
    if (endpoint >= book_.endpoints_.size() || selector >= book_.selectors_.size()) {
      problem_ = "a block names an entry that a codebook doesn't have";
      return false;
    }
    last_endpoint_ = endpoint;
    block = {static_cast<std::uint16_t>(endpoint), static_cast<std::uint16_t>(selector)};
    return true;
  }

  /// An entry of the codebook, or of the last ones that were used; a run repeats the first of these. Past both: an
  /// entry that no codebook has.
  std::uint32_t take_selector() {
    const auto count = static_cast<std::uint32_t>(book_.selectors_.size());
    std::uint32_t symbol = count;
    if (selector_run_ != 0) {
      --selector_run_;
    } else {
      symbol = book_.selector_symbols_.take(bits_);
      if (symbol == count + history_.size()) {
        constexpr std::uint32_t kLongRun = 63, kMin = 3;
        const std::uint32_t run = book_.selector_runs_.take(bits_);
        selector_run_ = std::uint64_t{run == kLongRun ? bits_.take_groups(7) : run} + kMin;
        if (selector_run_ > slice_.blocks.size()) bits_.fail();
        --selector_run_;
        symbol = count;
      }
    }
    if (symbol < count) {
      history_.add(static_cast<std::uint16_t>(symbol));
      return symbol;
    }
    return symbol - count < history_.size() ? history_.use(symbol - count) : count;
  }

  const BasisLz& book_;
  BitStream bits_;
  bool refers_;
  Etc1sSlice& slice_;
  History history_;
  std::vector<std::uint8_t> lower_predictions_;
  std::uint32_t predictions_ = 0, last_prediction_ = 0, last_endpoint_ = 0;
  std::uint64_t prediction_run_ = 0, selector_run_ = 0;
  std::string_view problem_;
};

std::string_view BasisLz::decode(Bytes bytes, bool refers_to_frame_before, Etc1sSlice& slice) const {
  slice.blocks.resize(std::size_t{slice.columns} * slice.rows);
  return Etc1sSliceReader(*this, bytes, refers_to_frame_before, slice).run();
}

std::array<BasisLz::Color, 16> BasisLz::texels(Etc1sBlock block) const {
  const Endpoint& endpoint = endpoints_[block.endpoint];
  const Selector& selector = selectors_[block.selector];
  std::array<Color, 4> colors;
  for (std::size_t s = 0; s < 4; ++s)
    for (std::size_t c = 0; c < 3; ++c) {
      const int base = endpoint.color[c] << 3 | endpoint.color[c] >> 2;
      colors[s][c] = static_cast<std::uint8_t>(std::clamp(base + kModifiers[endpoint.table][s], 0, 255));
    }
  std::array<Color, 16> texels;
  for (std::size_t i = 0; i < 16; ++i) texels[i] = colors[selector[i / 4] >> (2 * (i % 4)) & 3];
  return texels;
}

}  // namespace heddle::image
