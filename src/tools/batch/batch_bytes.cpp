// SPDX-License-Identifier: MIT
// heddle batch: footprint_bytes, the cache lines and pages that touched texels occupy in tilings of the hardware.
// Rules: FP-35.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "image/byte_footprint.hpp"
#include "image/tiling.hpp"
#include "tools/batch/batch.hpp"
#include "tools/batch/lane_call.hpp"

namespace heddle::tools {
namespace {

using base::Node;
using image::ByteFootprint;
using Texel = image::Surface::TexelIndex;

std::vector<std::string_view> operations() { return {"footprint_bytes"}; }

struct Members {
  std::vector<image::TileMode> tiles;
  image::ByteFootprintOptions sizes;
  bool list = false;
};

/// `tile`: a word, or an array of them.
std::vector<image::TileMode> read_tiles(BatchRequest& request) {
  const Node* node = request.reader.any("tile");
  if (node == nullptr)
    return {image::TileMode::Linear, image::TileMode::Y, image::TileMode::Tile4, image::TileMode::Tile64};
  std::vector<image::TileMode> tiles;
  const std::vector<Node> one(node->kind == Node::Kind::Array ? 0 : 1, *node);
  for (const Node& item : node->kind == Node::Kind::Array ? node->items : one) {
    const auto mode = item.kind == Node::Kind::Text ? image::hardware::find_tile_mode(item.text) : std::nullopt;
    if (mode)
      tiles.push_back(*mode);
    else
      request.reader.wrong_value("tile", item, "expected linear, x, y, w, tile4, tile64, ys or yf");
  }
  return tiles;
}

Members read_members(BatchRequest& request) {
  Members m;
  m.tiles = read_tiles(request);
  constexpr std::int64_t kMax = std::int64_t{1} << 30;
  m.sizes.line_bytes = static_cast<std::uint64_t>(request.reader.integer("line", 4, kMax).value_or(64));
  m.sizes.page_bytes = static_cast<std::uint64_t>(request.reader.integer("page", 4, kMax).value_or(4096));
  m.list = request.reader.boolean("list").value_or(false);
  return m;
}

/// `texels`: [level, slice, x, y] each.
std::vector<Texel> read_texels(BatchRequest& request, const Node& node) {
  std::vector<Texel> texels;
  if (node.kind != Node::Kind::Array) return request.reader.wrong_type("texels", node, "an array"), texels;
  for (const Node& item : node.items) {
    std::array<std::uint32_t, 4> words{};
    bool good = item.kind == Node::Kind::Array && item.items.size() == 4;
    for (std::size_t k = 0; good && k < 4; ++k) {
      const auto word = image::integer_word(item.items[k]);
      good = word.has_value() && (item.items[k].kind != Node::Kind::Integer || item.items[k].integer >= 0);
      words[k] = word.value_or(0);
    }
    if (!good) return request.reader.wrong_value("texels", item, "expected [level, slice, x, y]"), texels;
    texels.push_back({words[0], words[1], words[2], words[3]});
  }
  return texels;
}

/// The texels of one surface that an operation reads.
class Reads final : public texture::TexelObserver {
 public:
  explicit Reads(const image::Surface& surface) : surface_(surface) {}
  void texel(const texture::TexelTouch& t) override {
    if (t.surface == &surface_ && !t.written) list.push_back({t.level, t.slice, t.x, t.y});
  }
  /// Each texel once.
  void sort() {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  std::vector<Texel> list;

 private:
  const image::Surface& surface_;
};

const texture::Operation* read_operation(BatchRequest& request) {
  const std::string name = request.reader.text("operation").value_or("sample");
  const texture::Operation* op = texture::find_operation(name);
  if (op != nullptr && op->family != texture::OperationKind::Info) return op;
  request.fail("batch-value",
               fmt::format("'{}' is no operation that reads texels (sample, sample_b, sample_l, sample_d, "
                           "gather4, ld ...)",
                           name));
  return nullptr;
}

/// What the operation over the request's lanes reads; `surface` gets its surface.
std::vector<Texel> texels_of_operation(BatchRequest& request, BoundSurface& surface) {
  const texture::Operation* op = read_operation(request);
  if (op == nullptr) return {};
  LaneCall call(request, *op);
  if (!call.read(request)) return {};
  surface = call.surface;
  const image::Sampler sampler = call.sampler.members.for_format(surface.surface->format);
  call.lanes.surface = surface.surface.get();
  call.lanes.sampler = &sampler;
  Reads reads(*surface.surface);
  request.unit.observer = &reads;
  for (std::uint64_t first = 0; first < call.count && !request.failed(); first += texture::kMaxLanes) {
    (void)run_lane_group(call.lanes, call.params, first, lane_group_width(call.count - first), call.active[first / 32],
                         request.unit);
    reads.sort();
    if (reads.list.size() > request.limits.memory_bytes / sizeof(Texel))
      request.problems.add(base::limit_error(
          "limit-memory",
          fmt::format("more texels are read than fit in {} bytes (--max-memory): ask in several requests",
                      request.limits.memory_bytes)));
  }
  request.unit.observer = nullptr;
  return std::move(reads.list);
}

void append_pieces(std::string& text, std::string_view name, const std::vector<ByteFootprint::Piece>& pieces) {
  text += fmt::format(",\"{}\":[", name);
  for (std::size_t k = 0; k < pieces.size(); ++k)
    text += fmt::format("{}[{},{}]", k == 0 ? "" : ",", pieces[k].offset, pieces[k].bytes);
  text += ']';
}

void answer(BatchRequest& request, std::string& text) {
  const Members m = read_members(request);
  BoundSurface surface;
  std::vector<Texel> texels;
  if (const Node* node = request.reader.any("texels")) {
    surface = surface_member(request, "surface", false);
    texels = read_texels(request, *node);
  } else {
    texels = texels_of_operation(request, surface);
  }
  if (request.failed() || !surface.surface) return;
  text += "\"tilings\":{";
  for (std::size_t k = 0; k < m.tiles.size(); ++k) {
    image::ByteFootprintOptions options = m.sizes;
    options.tile = m.tiles[k];
    const auto found = image::byte_footprint(*surface.surface, texels, options);
    if (!found.ok()) {
      for (const base::Diagnostic& d : found.diagnostics()) request.problems.add(d);
      return;
    }
    if (k == 0) {
      text.insert(
          text.size() - std::string_view("\"tilings\":{").size(),
          fmt::format("\"texels\":{},\"elements\":{},\"bytes\":{},", texels.size(), found->elements, found->bytes));
    }
    text += fmt::format("{}\"{}\":{{\"surface_bytes\":{},\"lines\":{},\"pages\":{}", k == 0 ? "" : ",",
                        image::hardware::tile_mode_name(options.tile), found->surface_bytes, found->lines.size(),
                        found->pages.size());
    if (m.list) {
      append_pieces(text, "line_list", found->lines);
      append_pieces(text, "page_list", found->pages);
    }
    text += '}';
  }
  text += '}';
}

}  // namespace

const BatchOperations kBytesOperation = {&operations, &answer};

}  // namespace heddle::tools
