// SPDX-License-Identifier: MIT
#include "explore/trace_view.hpp"

#include <algorithm>
#include <array>

#include "base/half.hpp"
#include "explore/documents/json.hpp"

namespace heddle::explore {
namespace {

void add_hex(Json& json, const std::vector<std::uint8_t>& bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15u];
  }
  json.value(text);
}

void add_runs(Json& json, const std::vector<TraceStep::Run>& runs) {
  json.open('[');
  for (const TraceStep::Run& run : runs) {
    json.value(run.at);
    add_hex(json, run.bytes);
  }
  json.close(']');
}

/// Tiles row by row, and their pixels.
std::array<std::uint32_t, 4> order_of(std::uint32_t x, std::uint32_t y) { return {y / kTile, x / kTile, y, x}; }
std::array<std::uint32_t, 4> order(const Fragment& f) { return order_of(f.x, f.y); }

}  // namespace

std::string describe_trace(const ThreadTrace& trace) {
  Json json;
  json.open('{').member("stage", trace.stage ? isa::stage_info(*trace.stage).word : std::string_view());
  json.member("thread", trace.thread).member("mask", trace.mask).member("helpers", trace.helpers);
  json.key("group").numbers(trace.group).member("inGroup", trace.in_group).member("pixels", trace.pixels);
  json.key("places").open('[');
  for (const auto& place : trace.places) json.numbers(place);
  json.close(']').key("start");
  add_runs(json, trace.start);
  json.key("steps").open('[');
  // [instruction, lanes, object, writes, predicates, texels]; members at the end that are empty are left out.
  for (const TraceStep& step : trace.steps) {
    json.open('[').value(step.instruction).value(step.lanes).value(step.object);
    add_runs(json, step.writes);
    if (!step.predicates.empty() || !step.texels.empty()) {
      json.open('[');
      for (const auto& [id, bits] : step.predicates) json.value(id).value(bits);
      json.close(']');
    }
    if (!step.texels.empty()) json.raw(step.texels);
    json.close(']');
  }
  json.close(']').close('}');
  return json.take();
}

std::span<const Fragment> fragments_at(std::span<const Fragment> fragments, std::uint32_t x, std::uint32_t y) {
  const auto found = std::ranges::equal_range(fragments, order_of(x, y), {}, order);
  return {found.begin(), found.end()};
}

void add_history(Documents& documents, std::size_t command, std::vector<Fragment>& fragments,
                 const std::vector<Rectangle>& traced) {
  const auto tile_of = [](const Fragment& f) { return std::pair(f.y / kTile, f.x / kTile); };
  std::ranges::stable_sort(fragments, {}, order);
  for (std::size_t begin = 0; begin < fragments.size();) {
    const auto tile = tile_of(fragments[begin]);
    std::size_t end = begin;
    while (end < fragments.size() && tile_of(fragments[end]) == tile) ++end;
    const std::size_t count = end - begin;
    std::vector<std::uint32_t> words(count * kFragmentColumns);
    for (std::size_t i = 0; i < count; ++i) {
      const Fragment& f = fragments[begin + i];
      std::size_t column = 0;
      const auto put = [&](std::uint32_t word) { words[column++ * count + i] = word; };
      put(f.x | f.y << 16);
      put(f.thread);
      put(f.primitive);
      put(f.target | f.lane << 8 | static_cast<std::uint32_t>(f.fate) << 16 |
          static_cast<std::uint32_t>(f.reason) << 24);
      put(f.sample);
      put(f.instruction);
      put(f.depth);
      put(f.stored);
      for (const auto& list : {f.color, f.before, f.after})
        for (const std::uint32_t word : list) put(word);
    }
    const std::uint32_t x = tile.second * kTile, y = tile.first * kTile;
    const bool near = std::ranges::any_of(traced, [&](const Rectangle& r) {
      return r.x < x + kTile && x < r.x + r.width && r.y < y + kTile && y < r.y + r.height;
    });
    documents.push_back({fmt::format("history/{}/{}/{}", command, tile.second, tile.first),
                         near ? Priority::Trace : Priority::History, byte_planes(words)});
    begin = end;
  }
}

void add_primitives(Documents& documents, std::size_t command,
                    const std::map<std::uint32_t, DrawnPrimitive>& primitives) {
  constexpr std::size_t kColumns = 17;
  std::vector<std::uint32_t> words(primitives.size() * kColumns);
  std::size_t row = 0;
  for (const auto& [number, p] : primitives) {
    std::size_t column = 0;
    const auto put = [&](std::uint32_t word) { words[column++ * primitives.size() + row] = word; };
    put(number);
    for (const std::uint32_t vertex : p.vertices) put(vertex);
    for (const auto& list : {p.x, p.y})
      for (const std::int32_t at : list) put(static_cast<std::uint32_t>(at));
    for (const float z : p.z) put(base::bits_of(z));
    put(p.front ? 1 : 0);
    for (const std::uint32_t invocation : p.made_by) put(invocation);
    ++row;
  }
  documents.push_back({fmt::format("primitives/{}", command), Priority::History, byte_planes(words)});
}

}  // namespace heddle::explore
