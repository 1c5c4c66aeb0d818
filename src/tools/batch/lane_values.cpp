// SPDX-License-Identifier: MIT
#include "tools/batch/lane_values.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/base64.hpp"
#include "base/half.hpp"
#include "image/objects/object.hpp"
#include "texture/destination.hpp"
#include "tools/batch/batch.hpp"

namespace heddle::tools {
namespace {

using base::Node;

constexpr std::size_t kGroup = texture::kMaxLanes;

/// A number as one lane of a parameter.
std::optional<std::uint32_t> number_word(double value, LaneKind kind) {
  switch (kind) {
    case LaneKind::Float:
      return base::bits_of(static_cast<float>(value));
    case LaneKind::Half:
      return base::bits_of(base::half_to_float(base::double_to_half(value)));
    case LaneKind::Integer:
    case LaneKind::ShortInteger:
      break;
  }
  if (value != std::trunc(value) || value < INT32_MIN || value > UINT32_MAX) return std::nullopt;
  const auto word = static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
  return kind == LaneKind::Integer ? word : word & 0xffffu;
}

/// One lane of a parameter.
std::optional<std::uint32_t> lane_word(const Node& node, LaneKind kind) {
  if (node.is_number()) return number_word(node.as_real(), kind);
  if (node.kind != Node::Kind::Text) return std::nullopt;
  const auto bits = base::parse_hex(node.text, kind == LaneKind::Half ? 4 : 8);
  if (!bits) return std::nullopt;
  if (kind == LaneKind::Half) return base::bits_of(base::half_to_float(static_cast<std::uint16_t>(*bits)));
  return static_cast<std::uint32_t>(kind == LaneKind::ShortInteger ? *bits & 0xffffu : *bits);
}

std::size_t padded(std::size_t lanes) { return (lanes + kGroup - 1) / kGroup * kGroup; }

/// The last value again, up to a whole group.
void pad(std::vector<std::uint32_t>& values) {
  if (!values.empty()) values.resize(padded(values.size()), values.back());
}

/// The words of a {"base64": ...}.
struct PackedWords {
  std::span<const std::uint8_t> bytes;  ///< the node's, or `own`
  std::vector<std::uint8_t> own;
  LaneKind kind = LaneKind::Float;
  [[nodiscard]] std::size_t element() const { return kind == LaneKind::Half || kind == LaneKind::ShortInteger ? 2 : 4; }
  [[nodiscard]] std::size_t count() const { return bytes.size() / element(); }
  /// `words[i]` gets word first + i * step, for `count` of them.
  void copy(std::size_t first, std::size_t step, std::size_t count, std::vector<std::uint32_t>& words) const;
};

template <std::size_t kStep>
void copy_words(const std::uint8_t* from, std::size_t count, std::uint32_t* to) {
  for (std::size_t i = 0; i < count; ++i) std::memcpy(&to[i], from + i * kStep * 4, 4);
}

void PackedWords::copy(std::size_t first, std::size_t step, std::size_t count,
                       std::vector<std::uint32_t>& words) const {
  words.reserve(padded(count));
  words.resize(count);
  const std::uint8_t* from = bytes.data() + first * element();
  if (element() == 4) {
    if (step == 1) return copy_words<1>(from, count, words.data());
    if (step == 2) return copy_words<2>(from, count, words.data());
    return copy_words<3>(from, count, words.data());
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, from + i * step * 2, 2);
    words[i] = kind == LaneKind::Half ? base::bits_of(base::half_to_float(bits)) : bits;
  }
}

/// nullopt after a report to `reader`. `name` is the member's.
std::optional<PackedWords> packed_words(base::TableReader& reader, std::string_view name, const Node& node,
                                        LaneKind kind) {
  base::TableReader table(node, reader.context(), std::string(name));
  const Node* text = table.any("base64");
  table.finish();
  if (text == nullptr || text->kind != Node::Kind::Text) {
    reader.wrong_value(name, node, "expected {\"base64\": \"...\"}");
    return std::nullopt;
  }
  PackedWords words{{}, {}, kind};
  if (text->packed) {
    words.bytes = text->packed->bytes;
  } else {
    auto bytes = base::parse_base64(text->text);
    if (!bytes) {
      reader.wrong_value(name, node, "the text is not base64");
      return std::nullopt;
    }
    words.own = std::move(*bytes);
    words.bytes = words.own;
  }
  if (words.bytes.size() % words.element() == 0) return words;
  reader.wrong_value(name, node,
                     fmt::format("{} bytes are no whole number of {}-byte words", words.bytes.size(), words.element()));
  return std::nullopt;
}

/// `words` get number first, first + step ... of an array that is packed. False after a report to `reader`.
bool copy_numbers(base::TableReader& reader, std::string_view name, const base::PackedValues& packed, LaneKind kind,
                  std::size_t first, std::size_t step, std::vector<std::uint32_t>& words) {
  const std::vector<double>& numbers = packed.numbers;
  words.reserve(padded(numbers.size() / step));
  for (std::size_t i = first; i < numbers.size(); i += step) {
    const auto word = number_word(numbers[i], kind);
    if (word) {
      words.push_back(*word);
      continue;
    }
    Node number;
    number.kind = packed.integers ? Node::Kind::Integer : Node::Kind::Real;
    reader.wrong_type(name, number, "a number or \"0x...\"");
    return false;
  }
  return true;
}

/// An array, for what is said about an item that is one.
Node array_node() {
  Node node;
  node.kind = Node::Kind::Array;
  return node;
}

}  // namespace

LaneParameters::Words& LaneParameters::add(std::string_view name, const Node& node, texture::Param param) {
  Words& words = storage_.emplace_back();
  words.name = name;
  words.node = &node;
  words_[static_cast<std::size_t>(param)] = &words;
  return words;
}

void LaneParameters::read(base::TableReader& table, std::string_view name, const Node& node, texture::Param param,
                          LaneKind kind) {
  Words& words = add(name, node, param);
  if (node.kind == Node::Kind::Table) {
    const auto values = packed_words(table, name, node, kind);
    if (!values) return;
    words.lanes = values->count();
    if (words.lanes == 0) return table.wrong_value(name, node, "there are no lanes");
    values->copy(0, 1, words.lanes, words.values);
  } else if (node.packed) {
    if (node.packed->each != 0) return table.wrong_type(name, array_node(), "a number or \"0x...\"");
    words.lanes = node.packed->numbers.size();
    if (!copy_numbers(table, name, *node.packed, kind, 0, 1, words.values)) return;
  } else if (node.kind == Node::Kind::Array) {
    words.lanes = node.items.size();
    if (words.lanes == 0) return table.wrong_value(name, node, "there are no lanes");
    words.values.reserve(padded(node.items.size()));
    for (const Node& item : node.items) {
      const auto word = lane_word(item, kind);
      if (!word) return table.wrong_type(name, item, "a number or \"0x...\"");
      words.values.push_back(*word);
    }
  } else {
    const auto word = lane_word(node, kind);
    if (!word) return table.wrong_type(name, node, "a number, \"0x...\" or one of them for each lane");
    words.values.assign(kGroup, *word);
    return;
  }
  pad(words.values);
}

void LaneParameters::read_points(std::string_view name, const Node& node, unsigned components, LaneKind kind) {
  static constexpr std::array<texture::Param, 3> kAxes{texture::Param::U, texture::Param::V, texture::Param::R};
  std::array<Words*, 3> axes{};
  for (unsigned c = 0; c < components; ++c) {
    if (has(kAxes[c])) return reader_.wrong_value(name, node, "'params' gives these coordinates as well");
    axes[c] = &add(name, node, kAxes[c]);
  }
  const auto point = [&](const Node& values) {
    if (values.kind != Node::Kind::Array || values.items.size() != components) {
      reader_.wrong_value(name, values, fmt::format("a point of {} numbers is expected", components));
      return false;
    }
    for (unsigned c = 0; c < components; ++c) {
      const auto word = lane_word(values.items[c], kind);
      if (!word) return reader_.wrong_type(name, values.items[c], "a number or \"0x...\""), false;
      axes[c]->values.push_back(*word);
    }
    return true;
  };
  if (node.kind == Node::Kind::Table) {
    const auto values = packed_words(reader_, name, node, kind);
    if (!values) return;
    if (values->count() == 0 || values->count() % components != 0)
      return reader_.wrong_value(name, node, fmt::format("{} words are no points of {}", values->count(), components));
    for (unsigned c = 0; c < components; ++c) {
      axes[c]->lanes = values->count() / components;
      values->copy(c, components, axes[c]->lanes, axes[c]->values);
    }
  } else if (node.packed) {
    if (node.packed->each != components)
      return reader_.wrong_value(name, node, fmt::format("a point of {} numbers is expected", components));
    for (unsigned c = 0; c < components; ++c) {
      axes[c]->lanes = node.packed->numbers.size() / components;
      if (!copy_numbers(reader_, name, *node.packed, kind, c, components, axes[c]->values)) return;
    }
  } else if (node.kind != Node::Kind::Array) {
    return reader_.wrong_type(name, node, "a point or an array of points");
  } else if (!node.items.empty() && node.items.front().kind == Node::Kind::Array) {
    for (unsigned c = 0; c < components; ++c) {
      axes[c]->lanes = node.items.size();
      axes[c]->values.reserve(padded(node.items.size()));
    }
    for (const Node& item : node.items)
      if (!point(item)) return;
  } else if (!point(node)) {
    return;
  }
  for (unsigned c = 0; c < components; ++c) pad(axes[c]->values);
}

std::uint64_t LaneParameters::finish(std::optional<std::uint64_t> given) {
  std::uint64_t lanes = given.value_or(8);
  if (!given)
    for (const Words& words : storage_)
      if (words.lanes != 0) {
        lanes = words.lanes;
        break;
      }
  for (const Words& words : storage_)
    if (words.lanes != 0 && words.lanes != lanes) {
      reader_.wrong_value(words.name, *words.node, fmt::format("{} values for {} lanes", words.lanes, lanes));
      break;
    }
  return lanes;
}

std::uint32_t LaneParameters::mask() const {
  static_assert(texture::kParamCount <= 32);
  std::uint32_t mask = 0;
  for (std::size_t p = 0; p < words_.size(); ++p)
    if (words_[p] != nullptr) mask |= 1u << p;
  return mask;
}

const std::uint32_t* LaneParameters::at(texture::Param param, std::uint64_t first) const {
  const Words* words = words_[static_cast<std::size_t>(param)];
  return words == nullptr ? nullptr : words->values.data() + (words->lanes == 0 ? 0 : first);
}

namespace {

/// A lane's result takes at most so many characters, with a comma: a float 14, bits in quotes 12.
constexpr std::size_t kMaxDigits = 20;

/// Writes a number as "{}" formats it, and returns the end.
char* write_number(char* out, std::uint32_t word, image::ValueClass value_class, bool narrow) {
  if (value_class == image::ValueClass::Float) {
    const std::uint16_t half = narrow ? texture::narrow_result(word, value_class) : 0;
    const float value = narrow ? base::half_to_float(half) : base::float_from_bits(word);
    if (value - value != 0)  // JSON has no infinities and no NaN
      return fmt::format_to(out, "\"0x{:0{}x}\"", narrow ? half : word, narrow ? 4 : 8);
    return fmt::format_to(out, FMT_COMPILE("{}"), value);
  }
  if (value_class == image::ValueClass::Sint)
    return fmt::format_to(out, FMT_COMPILE("{}"),
                          narrow ? static_cast<std::int16_t>(word) : static_cast<std::int32_t>(word));
  return fmt::format_to(out, FMT_COMPILE("{}"), narrow ? word & 0xffffu : word);
}

/// All lanes of a channel: `write` writes one and returns the end. A part at a time, so that the text is written once.
template <typename Write>
void append_lanes(std::string& text, const LaneChannels& result, const Write& write) {
  constexpr std::size_t kPart = 256;
  std::array<char, kPart * kMaxDigits> part;
  text += '[';
  for (std::uint64_t first = 0; first < result.lanes; first += kPart) {
    char* out = part.data();
    for (std::uint64_t lane = first; lane < std::min<std::uint64_t>(first + kPart, result.lanes); ++lane) {
      if (lane != 0) *out++ = ',';
      out = result.is_active(lane) ? write(out, lane) : std::copy_n("null", 4, out);
    }
    text.append(part.data(), static_cast<std::size_t>(out - part.data()));
  }
  text += ']';
}

void append_base64_channel(std::string& text, const LaneChannels& result, unsigned channel, bool narrow) {
  const std::vector<std::uint32_t>& words = result.words[channel];
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(words.data());
  text += '"';
  if (narrow) {
    std::vector<std::uint8_t> shorts(result.lanes * 2);
    for (std::size_t i = 0; i < result.lanes; ++i) {
      const std::uint16_t value = texture::narrow_result(words[i], result.value_class);
      shorts[2 * i] = static_cast<std::uint8_t>(value);
      shorts[2 * i + 1] = static_cast<std::uint8_t>(value >> 8);
    }
    base::append_base64(text, shorts);
  } else {
    base::append_base64(text, {bytes, result.lanes * 4});
  }
  text += '"';
}

}  // namespace

void append_channel(std::string& text, const LaneChannels& result, unsigned channel, ResultForm form, bool narrow) {
  if (form == ResultForm::Base64) return append_base64_channel(text, result, channel, narrow);
  append_lanes(text, result, [&](char* out, std::uint64_t lane) {
    const std::uint32_t word = result.words[channel][lane];
    if (form == ResultForm::Numbers) return write_number(out, word, result.value_class, narrow);
    return narrow ? write_hex_word(out, texture::narrow_result(word, result.value_class), 4)
                  : write_hex_word(out, word, 8);
  });
}

}  // namespace heddle::tools
