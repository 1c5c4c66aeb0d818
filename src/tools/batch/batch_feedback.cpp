// SPDX-License-Identifier: MIT
// heddle batch: feedback, the maps of D3D12's sampler feedback for what a sample reads.
// Rules: FP-28 to FP-30, FP-34.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "texture/feedback.hpp"
#include "tools/batch/batch.hpp"
#include "tools/batch/lane_call.hpp"

namespace heddle::tools {
namespace {

using base::Node;
using texture::FeedbackMap;
using texture::Param;

std::vector<std::string_view> operations() { return {"feedback"}; }

/// Texels that justify a cell, at most.
constexpr std::size_t kMaxReasons = 64;

struct Members {
  const texture::Operation* operation = nullptr;
  std::array<std::uint32_t, 2> region{};
  FeedbackMap::Options options;
  std::uint32_t layer = 0;
  bool why = false, bounds = false;
};

std::array<std::uint32_t, 2> read_region(BatchRequest& request) {
  const Node* node = request.reader.array("region");
  if (node == nullptr) {
    request.fail("batch-missing", "missing member 'region': [width, height] of the regions");
    return {};
  }
  std::array<std::uint32_t, 2> region{};
  bool good = node->items.size() == 2;
  for (std::size_t k = 0; good && k < 2; ++k) {
    const auto word = image::integer_word(node->items[k]);
    good = word.has_value();
    region[k] = word.value_or(0);
  }
  if (!good) request.reader.wrong_value("region", *node, "expected [width, height] of the regions");
  return region;
}

Members read_members(BatchRequest& request) {
  Members m;
  base::TableReader& reader = request.reader;
  const std::string name = reader.text("operation").value_or("sample");
  m.operation = texture::find_operation(name);
  using texture::OperationKind;
  if (m.operation == nullptr || m.operation->family == OperationKind::Info)
    request.fail("batch-value", fmt::format("'{}' is no operation that reads texels (sample, sample_b, sample_l, "
                                            "sample_d, gather4, ld ...)",
                                            name));
  m.region = read_region(request);
  if (const auto form = reader.text("form")) {
    if (*form != "spread" && *form != "point")
      reader.wrong_value("form", *reader.any("form"), "expected spread or point");
    m.options.form = *form == "point" ? FeedbackMap::Form::Point : FeedbackMap::Form::Spread;
  }
  m.options.merge_tail = reader.boolean("merge_tail").value_or(false);
  m.layer = static_cast<std::uint32_t>(reader.integer("layer", 0, UINT16_MAX).value_or(0));
  m.why = reader.boolean("why").value_or(false);
  m.bounds = reader.boolean("bounds").value_or(false);
  return m;
}

using Touch = texture::FeedbackTouch;

/// The texels that are read of one slice of a surface; levels count from Surface Min LOD (FP-30).
class Touches final : public texture::TexelObserver {
 public:
  Touches(const image::Surface& surface, std::uint32_t slice) : surface_(surface), slice_(slice) {}
  void texel(const texture::TexelTouch& touch) override {
    if (touch.surface != &surface_ || touch.written || touch.slice != slice_ || touch.level < surface_.surf_min_lod)
      return;
    list.push_back({touch.level - surface_.surf_min_lod, touch.x, touch.y, first + touch.lane, touch.weighted});
  }
  std::vector<Touch> list;
  std::uint64_t first = 0;  ///< lane of the request that lane 0 is

 private:
  const image::Surface& surface_;
  std::uint32_t slice_;
};

/// A map of the touches; `weighted`: of those alone whose value counts.
void fill(FeedbackMap& map, const Members& m, const LaneCall& call, const image::Sampler& sampler,
          const std::vector<Touch>& touches, bool weighted) {
  const auto place = [&](std::uint64_t lane) {
    std::array<float, 2> at{};
    for (unsigned axis = 0; axis < 2; ++axis) {
      const std::uint32_t* words = call.params.at(axis == 0 ? Param::U : Param::V, lane / 32 * 32);
      if (words != nullptr)
        at[axis] =
            texture::wrapped_coordinate(std::bit_cast<float>(words[lane % 32]), axis == 0 ? sampler.tcx : sampler.tcy);
    }
    return at;
  };
  texture::fill_feedback(map, m.options.form, touches, place, weighted);
}

void append_cells(std::string& text, std::string_view name, std::span<const std::uint8_t> cells) {
  text += fmt::format("\"{}\":\"", name);
  append_hex(text, cells.data(), cells.size());
  text += '"';
}

void append_map(std::string& text, const FeedbackMap& map, std::uint32_t levels) {
  text += fmt::format("\"min_mip\":{{\"columns\":{},\"rows\":{},", map.columns(0), map.rows(0));
  append_cells(text, "cells", map.min_mip());
  text += "},\"used\":[";
  for (std::uint32_t level = 0; level < levels; ++level) {
    text += fmt::format("{}{{\"columns\":{},\"rows\":{},", level == 0 ? "" : ",", map.columns(level), map.rows(level));
    append_cells(text, "cells", map.mip_region_used(level));
    text += '}';
  }
  text += ']';
}

/// Each used cell with the texels that make it so: [x, y, lane, weighted].
void append_reasons(std::string& text, const Members& m, const std::vector<Touch>& touches) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::vector<Touch>> cells;
  for (const Touch& t : touches) cells[{t.level, t.y / m.region[1], t.x / m.region[0]}].push_back(t);
  text += ",\"why\":[";
  bool first = true;
  for (const auto& [cell, list] : cells) {
    const auto& [level, row, column] = cell;
    text += fmt::format("{}{{\"rule\":\"FP-28\",\"level\":{},\"cell\":[{},{}],\"count\":{},\"texels\":[",
                        first ? "" : ",", level, column, row, list.size());
    first = false;
    for (std::size_t k = 0; k < std::min(kMaxReasons, list.size()); ++k)
      text += fmt::format("{}[{},{},{},{}]", k == 0 ? "" : ",", list[k].x, list[k].y, list[k].lane,
                          list[k].weighted ? 1 : 0);
    text += "]}";
  }
  text += ']';
}

/// FP-34: the least and the greatest maps that the specification allows.
void append_bounds(std::string& text, const FeedbackMap& least, const FeedbackMap& greatest, std::uint32_t levels) {
  text += ",\"bounds\":{\"rule\":\"FP-34\",\"least\":{";
  append_map(text, least, levels);
  text += "},\"greatest\":{";
  append_map(text, greatest, levels);
  text += "}}";
}

void answer(BatchRequest& request, std::string& text) {
  const Members m = read_members(request);
  if (request.failed()) return;
  LaneCall call(request, *m.operation);
  if (!call.read(request)) return;
  const image::Surface& surface = *call.surface.surface;
  if (surface.type != image::SurfaceType::Dim2)
    return request.fail("footprint-query", "a feedback map needs a 2D surface");
  const texture::FootprintView view = texture::footprint_view(surface);
  const auto make = [&](const FeedbackMap::Options& options) {
    return FeedbackMap::create(view, m.region[0], m.region[1], options, request.limits);
  };
  auto map = make(m.options);
  if (!map.ok()) {
    for (const base::Diagnostic& d : map.diagnostics()) request.problems.add(d);
    return;
  }
  const image::Sampler sampler = call.sampler.members.for_format(surface.format);
  call.lanes.surface = &surface;
  call.lanes.sampler = &sampler;
  Touches touches(surface, m.layer);
  request.unit.observer = &touches;
  for (touches.first = 0; touches.first < call.count && !request.failed(); touches.first += texture::kMaxLanes) {
    (void)run_lane_group(call.lanes, call.params, touches.first, lane_group_width(call.count - touches.first),
                         call.active[touches.first / 32], request.unit);
    if (touches.list.size() > request.limits.memory_bytes / sizeof(Touch))
      request.problems.add(base::limit_error(
          "limit-memory",
          fmt::format("more texels are read than fit in {} bytes (--max-memory): ask in several requests",
                      request.limits.memory_bytes)));
  }
  request.unit.observer = nullptr;
  if (request.failed()) return;
  fill(*map, m, call, sampler, touches.list, false);
  append_map(text, *map, view.levels);
  if (m.why) append_reasons(text, m, touches.list);
  if (!m.bounds) return;
  Members point = m, spread = m;
  point.options = {FeedbackMap::Form::Point, false};
  spread.options = {FeedbackMap::Form::Spread, true};
  auto least = make(point.options), greatest = make(spread.options);
  fill(*least, point, call, sampler, touches.list, true);
  fill(*greatest, spread, call, sampler, touches.list, false);
  append_bounds(text, *least, *greatest, view.levels);
}

}  // namespace

const BatchOperations kFeedbackOperation = {&operations, &answer};

}  // namespace heddle::tools
