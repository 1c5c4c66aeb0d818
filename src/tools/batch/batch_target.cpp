// SPDX-License-Identifier: MIT
// heddle batch: rt_write.

#include <fmt/format.h>

#include <array>
#include <deque>

#include "base/half.hpp"
#include "image/files/files.hpp"
#include "image/objects/object.hpp"
#include "image/objects/output_object.hpp"
#include "render_target/render_target.hpp"
#include "tools/batch/batch.hpp"

namespace heddle::tools {
namespace {

using base::Node;
using base::TableReader;
using render_target::RenderTargetMessage;
using render_target::SlotWords;

std::vector<std::string_view> operations() { return {"rt_write"}; }

/// Texels of every stored level and slice, in the shape of a surface's `data`; null for a null surface.
std::string texels_text(const image::Surface& surface) {
  if (surface.type == image::SurfaceType::Null) return "null";
  std::string text = "[";
  for (std::uint32_t level = 0; level < surface.levels; ++level) {
    text += level == 0 ? "[" : ",[";
    const std::uint32_t slices = surface.stored_slices(level);
    for (std::uint32_t slice = 0; slice < slices; ++slice) {
      const std::vector<std::uint8_t> bytes = image::packed_slice(surface, level, slice);
      text += slice == 0 ? "\"" : ",\"";
      append_hex(text, bytes.data(), bytes.size());
      text += '"';
    }
    text += ']';
  }
  return text + "]";
}

/// How the lanes of a member are read.
enum class Lanes { Float, Half, Integer };

std::optional<std::uint32_t> lane_word(const Node& node, Lanes kind) {
  if (kind == Lanes::Integer) return image::integer_word(node);
  if (kind == Lanes::Float) return image::float_word(node);
  if (node.is_number()) return base::double_to_half(node.as_real());
  if (node.kind != Node::Kind::Text) return std::nullopt;
  const auto bits = base::parse_hex(node.text, 4);
  return bits ? std::optional(static_cast<std::uint32_t>(*bits)) : std::nullopt;
}

/// One value for every lane, or as many as the message has lanes.
std::optional<SlotWords> lanes_member(TableReader& reader, std::string_view name, unsigned simd, Lanes kind) {
  const Node* node = reader.any(name);
  if (node == nullptr) return std::nullopt;
  SlotWords words{};
  if (node->kind != Node::Kind::Array) {
    const auto word = lane_word(*node, kind);
    if (!word) reader.wrong_type(name, *node, "a number, \"0x...\", or one of them for each lane");
    words.fill(word.value_or(0));
    return words;
  }
  if (node->items.size() != simd) {
    reader.wrong_value(name, *node, fmt::format("{} values for {} lanes", node->items.size(), simd));
    return words;
  }
  for (unsigned lane = 0; lane < simd; ++lane) {
    const auto word = lane_word(node->items[lane], kind);
    if (!word) reader.wrong_type(name, node->items[lane], "a number or \"0x...\"");
    words[lane] = word.value_or(0);
  }
  return words;
}

std::uint32_t mask_member(TableReader& reader, std::string_view name, std::uint32_t fallback) {
  const Node* node = reader.any(name);
  if (node == nullptr) return fallback;
  const auto word = image::integer_word(*node);
  if (!word) reader.wrong_type(name, *node, "a mask as a number or \"0x...\"");
  return word.value_or(fallback);
}

void read_header(BatchRequest& request, TableReader& message, RenderTargetMessage& m) {
  const Node* table = message.table("header");
  if (table == nullptr) return;
  TableReader reader(*table, request.nodes, message.what() + ".header");
  for (const bool y : {false, true}) {
    const std::string_view name = y ? "y" : "x";
    const Node* list = reader.array(name);
    if (list == nullptr) continue;
    if (list->items.size() > 4) reader.wrong_value(name, *list, "a message has at most four subspans");
    for (std::size_t i = 0; i < list->items.size() && i < 4; ++i) {
      const auto word = image::integer_word(list->items[i]);
      if (!word || *word > 0xffff) reader.wrong_value(name, list->items[i], "a pixel position is 0 to 65535");
      (y ? m.header.y : m.header.x)[i] = word.value_or(0) & 0xffff;
    }
  }
  m.header.enables = mask_member(reader, "enables", 0xffff) & 0xffff;
  m.header.array_index = static_cast<std::uint32_t>(reader.integer("array_index", 0, 2047).value_or(0));
  m.header.back = reader.boolean("back").value_or(false);
  m.header.sspi = static_cast<std::uint32_t>(reader.integer("sspi", 0, 7).value_or(0));
  reader.finish();
}

RenderTargetMessage read_message(BatchRequest& request, const Node& node, std::size_t index,
                                 const std::deque<image::Surface>& targets) {
  RenderTargetMessage m;
  TableReader reader(node, request.nodes, fmt::format("messages[{}]", index));
  m.target = static_cast<std::uint32_t>(reader.integer("target", 0, 255).value_or(0));
  m.null_rt = reader.boolean("null_rt").value_or(false);
  if (m.target >= targets.size() && !m.null_rt)
    reader.wrong_value("target", reader.has("target") ? *reader.any("target") : node,
                       fmt::format("there are {} targets", targets.size()));
  m.simd = static_cast<std::uint32_t>(reader.integer("simd", 8, 16).value_or(8));
  if (m.simd != 8 && m.simd != 16) reader.wrong_value("simd", *reader.any("simd"), "expected 8 or 16 (RTW-2)");
  m.slot_high = reader.boolean("slot_high").value_or(false);
  m.active = mask_member(reader, "active", 0xffff) & 0xffff;
  read_header(request, reader, m);
  if (const auto coverage = lanes_member(reader, "sample_mask", m.simd, Lanes::Integer)) m.sample_mask = *coverage;
  if (const auto depth = lanes_member(reader, "frag_depth", m.simd, Lanes::Float))
    for (std::size_t i = 0; i < 16; ++i) m.frag_depth[i] = base::float_from_bits((*depth)[i]);
  m.rti = static_cast<std::uint32_t>(reader.integer("rti", 0, 255).value_or(0));
  if (const auto si = reader.integer("si", 0, 65535)) m.si = static_cast<std::uint32_t>(*si);
  m.last = reader.boolean("last").value_or(false);
  m.per_sample = reader.boolean("per_sample").value_or(false);
  m.coarse = reader.boolean("coarse").value_or(false);
  if (const Node* size = reader.array("coarse_size")) {
    for (std::size_t i = 0; i < 2; ++i) {
      const auto word = size->items.size() == 2 ? image::integer_word(size->items[i]) : std::nullopt;
      if (!word || *word == 0 || *word > 16) {
        reader.wrong_value("coarse_size", *size, "expected [width, height], each 1 to 16");
        break;
      }
      m.coarse_size[i] = *word;
    }
  }
  if (const auto type = reader.text("type")) {
    if (*type == "HF")
      m.type = render_target::PayloadType::HF;
    else if (*type != "F")
      reader.wrong_value("type", *reader.any("type"), "expected F or HF (RTW-10)");
  }
  // RTW-10: floats for float-class targets, integer words for UINT and SINT targets.
  const image::FormatInfo* format = m.target < targets.size() ? image::format_info(targets[m.target].format) : nullptr;
  const bool integer = format != nullptr && targets[m.target].type != image::SurfaceType::Null &&
                       format->value_class != image::ValueClass::Float;
  const Lanes color = integer ? Lanes::Integer : m.type == render_target::PayloadType::HF ? Lanes::Half : Lanes::Float;
  m.r = lanes_member(reader, "r", m.simd, color);
  m.g = lanes_member(reader, "g", m.simd, color);
  m.b = lanes_member(reader, "b", m.simd, color);
  m.a = lanes_member(reader, "a", m.simd, color);
  m.s0a = lanes_member(reader, "s0a", m.simd, m.type == render_target::PayloadType::HF ? Lanes::Half : Lanes::Float);
  m.omask = lanes_member(reader, "omask", m.simd, Lanes::Integer);
  m.z = lanes_member(reader, "z", m.simd, Lanes::Float);
  m.stencil = lanes_member(reader, "stencil", m.simd, Lanes::Integer);
  reader.finish();
  return m;
}

/// A surface to write into: of a defined one a copy, so that a request changes nothing for those behind it.
std::optional<image::Surface> target_surface(BatchRequest& request, const Node& node, const std::string& what) {
  BoundSurface bound = read_bound_surface(request, node, what, true);
  if (!bound.surface) return std::nullopt;
  image::Surface surface = *bound.surface;
  if (bound.serial != 0 && surface.memory) surface.memory = std::make_shared<image::Memory>(*surface.memory);
  return surface;
}

void answer(BatchRequest& request, std::string& text) {
  TableReader& reader = request.reader;
  std::deque<image::Surface> targets;
  if (const Node* list = reader.array("targets"))
    for (std::size_t i = 0; i < list->items.size(); ++i)
      if (auto surface = target_surface(request, list->items[i], fmt::format("targets[{}]", i)))
        targets.push_back(std::move(*surface));
  std::optional<image::Surface> depth, stencil;
  if (const Node* node = reader.any("depth")) depth = target_surface(request, *node, "depth");
  if (const Node* node = reader.any("stencil")) stencil = target_surface(request, *node, "stencil");
  image::OutputState state;
  if (const Node* table = reader.table("state")) {
    TableReader members(*table, request.nodes, "state");
    state = image::read_output_state(members);
    members.finish();
  }
  const Node* messages = reader.array("messages");
  if (messages == nullptr && !reader.has("messages")) request.fail("batch-missing", "missing member 'messages'");
  if (request.failed() || messages == nullptr) return;
  std::vector<RenderTargetMessage> read;
  for (std::size_t i = 0; i < messages->items.size(); ++i)
    read.push_back(read_message(request, messages->items[i], i, targets));
  if (request.failed()) return;
  render_target::OutputTargets output;
  for (image::Surface& target : targets) output.color.push_back(&target);
  output.depth = depth ? &*depth : nullptr;
  output.stencil = stencil ? &*stencil : nullptr;
  for (const RenderTargetMessage& message : read)
    render_target::write_render_target(request.unit, output, state, message);
  text += "\"targets\":[";
  for (std::size_t i = 0; i < targets.size(); ++i) text += (i == 0 ? "" : ",") + texels_text(targets[i]);
  text += ']';
  if (depth) text += ",\"depth\":" + texels_text(*depth);
  if (stencil) text += ",\"stencil\":" + texels_text(*stencil);
}

}  // namespace

const BatchOperations kTargetOperation = {&operations, &answer};

}  // namespace heddle::tools
