// SPDX-License-Identifier: MIT
// Rules: PIX-3, VKF-9.
#include "pipeline/vertices/vertex_fetch.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/half.hpp"

namespace heddle::pipeline {
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
    const bool present = c.component < (element.plain || element.wide ? element.format->channel_count : 4u);
    const std::uint32_t size = element.wide ? 8 : 4;
    if (present && (element.wide || element.plain))
      std::memcpy(&value, bytes + std::size_t{size} * c.component, size);
    else if (present)
      value = texel.bits[c.component];
    else if (c.component == 3)
      value = c.type == ComponentType::F32   ? base::bits_of(1.0f)
              : c.type == ComponentType::F64 ? base::bits_of(1.0)
                                             : 1;
    const std::size_t at = c.register_offset + lane * size;
    if (at + size <= payload.size()) std::memcpy(payload.data() + at, &value, size);
  }
}

/// One component of dwords that are not changed; `places`: of the lanes' elements, all of them in the buffer.
void VertexFetcher::put_plain(const VertexFetch& component, std::span<const std::uint8_t* const> places,
                              std::uint8_t* to) {
  for (std::size_t lane = 0; lane < places.size(); ++lane)
    std::memcpy(to + 4 * lane, places[lane] + std::size_t{4} * component.component, 4);
}

void VertexFetcher::fill(const VertexDraw& draw, std::span<const ShadedVertex> lanes,
                         std::span<std::uint8_t> payload) const {
  for (const Element& element : elements_) {
    static const VertexBuffer kNone;
    const VertexBuffer& buffer = element.buffer < draw.buffers.size() ? draw.buffers[element.buffer] : kNone;
    std::array<const std::uint8_t*, kMaxLanes> places{};
    bool inside = lanes.size() <= kMaxLanes;
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
    }
    const auto plain = [&](const VertexFetch& c) {
      return c.component < element.format->channel_count && c.register_offset + 4 * lanes.size() <= payload.size();
    };
    if (inside && element.plain && std::ranges::all_of(element.components, plain)) {
      for (const VertexFetch& c : element.components)
        put_plain(c, std::span(places).first(lanes.size()), payload.data() + c.register_offset);
      continue;
    }
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) put(element, place_of(lanes[lane]), lane, payload);
  }
}

}  // namespace heddle::pipeline
