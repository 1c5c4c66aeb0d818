// SPDX-License-Identifier: MIT
// Rules: PIX-3, VKF-9.
#include "pipeline/vertices/vertex_fetch.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "base/half.hpp"

namespace heddle::pipeline {
namespace {

/// What a component is that a format lacks.
std::uint32_t missing_word(const VertexFetch& c) {
  if (c.component != 3) return 0;
  return c.type == ComponentType::F32 ? base::bits_of(1.0f) : 1;
}

}  // namespace

VertexFetcher::VertexFetcher(const VertexPlan& plan) {
  for (const VertexFetch& fetch : plan.fetches) {
    const image::FormatInfo* format = image::format_info(fetch.format);
    const bool wide = is_wide(fetch.type);
    const auto found = std::ranges::find_if(elements_, [&](const Element& e) {
      return e.buffer == fetch.buffer && e.offset == fetch.offset && e.format == format && e.wide == wide;
    });
    if (found != elements_.end()) {
      found->components.push_back(fetch);
      continue;
    }
    Element& element = elements_.emplace_back();
    element.buffer = fetch.buffer;
    element.offset = fetch.offset;
    element.format = format;
    element.wide = wide;
    element.components.push_back(fetch);
    element.bytes = wide ? 8 * std::max<std::uint32_t>(1, format->channel_count) : format->bytes_per_element();
    // In the order of the channels, each a dword that is not changed.
    element.plain = !wide;
    for (std::uint32_t c = 0; c < format->channel_count; ++c) {
      const image::Channel& channel = format->channels[c];
      const bool as_stored = channel.type == image::ChannelType::Uint || channel.type == image::ChannelType::Sint ||
                             channel.type == image::ChannelType::Float;
      element.plain = element.plain && as_stored && channel.bits == 32 && channel.name == "RGBA"[c];
    }
    if (!wide && !element.plain) make_table(element);
  }
}

/// One lane of an element's components; `bytes` null: it lies beyond the buffer, where zeros are stored (VKF-9).
void VertexFetcher::put(const Element& element, const std::uint8_t* bytes, std::size_t lane,
                        std::span<std::uint8_t> payload) {
  static constexpr std::array<std::uint8_t, 32> kZeros{};  // four components of 64 bits
  if (bytes == nullptr) bytes = kZeros.data();
  image::Texel texel;
  if (!element.wide && !element.plain) texel = image::decode_texel(*element.format, bytes);
  for (const VertexFetch& c : element.components) {
    std::uint64_t value = 0;
    const bool present = element.plain || element.wide ? c.component < element.format->channel_count
                                                       : element.format->has_channel("RGBA"[c.component]);
    const std::uint32_t size = element.wide ? 8 : 4;
    if (present && (element.wide || element.plain))
      std::memcpy(&value, bytes + std::size_t{size} * c.component, size);
    else if (present)
      value = texel.bits[c.component];
    else if (c.component == 3 && c.type == ComponentType::F64)
      value = base::bits_of(1.0);
    else
      value = missing_word(c);
    const std::size_t at = c.register_offset + lane * size;
    if (at + size <= payload.size()) std::memcpy(payload.data() + at, &value, size);
  }
}

/// Of formats whose channels are bytes: what each value of each component means.
void VertexFetcher::make_table(Element& element) {
  const image::FormatInfo& format = *element.format;
  for (std::uint32_t c = 0; c < format.channel_count; ++c) {
    const image::Channel& channel = format.channels[c];
    if (channel.bits != 8 || channel.start % 8 != 0 ||
        std::string_view("RGBA").find(channel.name) == std::string_view::npos)
      return;
  }
  std::array<std::uint8_t, 32> bytes{};
  element.table.resize(std::size_t{kValues} * 4);
  element.byte_of.fill(kNoByte);
  for (std::uint32_t c = 0; c < format.channel_count; ++c) {
    const std::uint32_t component = static_cast<std::uint32_t>(std::string_view("RGBA").find(format.channels[c].name));
    const std::uint32_t at = format.channels[c].start / 8u;
    element.byte_of[component] = static_cast<std::uint8_t>(at);
    for (std::uint32_t value = 0; value < kValues; ++value) {
      bytes[at] = static_cast<std::uint8_t>(value);
      element.table[component * kValues + value] = image::decode_texel(format, bytes.data()).bits[component];
    }
  }
}

/// Components of dwords that are not changed; `places`: of the lanes' elements, all of them in the buffer. `room`: 16
/// bytes of each are.
void VertexFetcher::put_plain(const Element& element, std::span<const std::uint8_t* const> places, bool room,
                              std::uint8_t* payload) {
  typedef std::uint32_t Four __attribute__((vector_size(16)));
  const std::uint32_t channels = element.format->channel_count;
  std::size_t lane = 0;
  const bool several = room && element.components.size() > 1;
  for (; several && lane + 4 <= places.size(); lane += 4) {  // four lanes by four components, and back
    Four a, b, c, d;
    std::memcpy(&a, places[lane], sizeof a);
    std::memcpy(&b, places[lane + 1], sizeof b);
    std::memcpy(&c, places[lane + 2], sizeof c);
    std::memcpy(&d, places[lane + 3], sizeof d);
    const Four ab0 = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7),
               cd0 = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    const std::array<Four, 4> rows{
        __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5), __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7),
        __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5), __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7)};
    for (const VertexFetch& fetch : element.components) {
      const Four row = fetch.component < channels ? rows[fetch.component] : Four{} + missing_word(fetch);
      std::memcpy(payload + fetch.register_offset + 4 * lane, &row, sizeof row);
    }
  }
  for (const VertexFetch& fetch : element.components) {
    std::uint8_t* to = payload + fetch.register_offset;
    for (std::size_t l = lane; l < places.size(); ++l) {
      std::uint32_t word = missing_word(fetch);
      if (fetch.component < channels) std::memcpy(&word, places[l] + std::size_t{4} * fetch.component, 4);
      std::memcpy(to + 4 * l, &word, 4);
    }
  }
}

/// The same of components that lie in the table.
void VertexFetcher::put_bytes(const Element& element, std::span<const std::uint8_t* const> places,
                              std::uint8_t* payload) {
  for (const VertexFetch& fetch : element.components) {
    std::uint8_t* to = payload + fetch.register_offset;
    const std::uint8_t byte = element.byte_of[fetch.component];
    const std::uint32_t* words = element.table.data() + std::size_t{fetch.component} * kValues;
    for (std::size_t lane = 0; lane < places.size(); ++lane) {
      const std::uint32_t word = byte == kNoByte ? missing_word(fetch) : words[places[lane][byte]];
      std::memcpy(to + 4 * lane, &word, 4);
    }
  }
}

void VertexFetcher::fill(const VertexDraw& draw, std::span<const ShadedVertex> lanes,
                         std::span<std::uint8_t> payload) const {
  for (const Element& element : elements_) {
    static const VertexBuffer kNone;
    const VertexBuffer& buffer = element.buffer < draw.buffers.size() ? draw.buffers[element.buffer] : kNone;
    std::array<const std::uint8_t*, kMaxLanes> places;  // as many as there are lanes
    constexpr std::size_t kFour = 16;                   // bytes
    bool inside = lanes.size() <= kMaxLanes, room = true;
    const auto place_of = [&](const ShadedVertex& lane) {
      const std::uint64_t number = !buffer.divisor        ? lane.vertex
                                   : *buffer.divisor == 0 ? draw.first_instance
                                                          : draw.first_instance + lane.instance / *buffer.divisor;
      const std::uint64_t at = number * buffer.stride + element.offset;
      return at + element.bytes <= buffer.bytes.size() ? buffer.bytes.data() + at : nullptr;
    };
    for (std::size_t lane = 0; lane < lanes.size() && inside; ++lane) {
      places[lane] = place_of(lanes[lane]);
      inside = places[lane] != nullptr;
      room = room && inside && places[lane] + kFour <= buffer.bytes.data() + buffer.bytes.size();
    }
    const auto fits = [&](const VertexFetch& c) { return c.register_offset + 4 * lanes.size() <= payload.size(); };
    if (inside && (element.plain || !element.table.empty()) && std::ranges::all_of(element.components, fits)) {
      const auto all = std::span(places).first(lanes.size());
      if (element.plain)
        put_plain(element, all, room, payload.data());
      else
        put_bytes(element, all, payload.data());
      continue;
    }
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) put(element, place_of(lanes[lane]), lane, payload);
  }
}

}  // namespace heddle::pipeline
