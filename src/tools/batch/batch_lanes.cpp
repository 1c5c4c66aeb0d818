// heddle batch: the operations over lanes.

#include <fmt/format.h>

#include <cmath>
#include <deque>

#include "base/half.hpp"
#include "image/object.hpp"
#include "texture/destination.hpp"
#include "texture/request.hpp"
#include "texture/simd/prepared.hpp"
#include "tools/batch/batch.hpp"

namespace heddle::tools {
namespace {

using base::Node;
using texture::LaneRequest;
using texture::LaneWords;
using texture::Param;

constexpr std::string_view kLetters = "RGBA";

bool knows(std::string_view op) { return texture::find_operation(op) != nullptr; }

/// Parameters that are raw 32-bit words: offsets and packed operands.
bool is_word(Param param) {
  switch (param) {
    case Param::OffU:
    case Param::OffV:
    case Param::OffUv:
    case Param::OffUvr:
    case Param::OffUvIndex:
    case Param::OffUvrIndex:
    case Param::LodOffUv:
    case Param::LodOffUvr:
    case Param::BiasOffUv:
    case Param::BiasOffUvr:
      return true;
    default:
      return false;
  }
}

/// One lane of a float parameter: binary32 bits, halves widened (NUM-33).
std::optional<std::uint32_t> float_lane(const Node& node, bool half) {
  if (!half) return image::float_word(node);
  if (node.is_number()) return base::bits_of(base::half_to_float(base::double_to_half(node.as_real())));
  if (node.kind != Node::Kind::Text) return std::nullopt;
  const auto bits = base::parse_hex(node.text, 4);
  return bits ? std::optional(base::bits_of(base::half_to_float(static_cast<std::uint16_t>(*bits)))) : std::nullopt;
}

std::optional<std::uint32_t> integer_lane(const Node& node, bool half) {
  const auto word = image::integer_word(node);
  return word && half ? std::optional(*word & 0xffffu) : word;
}

template <typename Convert>
bool read_lanes(base::TableReader& reader, std::string_view name, const Node& node, unsigned simd, LaneWords& words,
                Convert convert) {
  if (node.kind != Node::Kind::Array) {
    const auto word = convert(node);
    if (!word) return reader.wrong_type(name, node, "a number, \"0x...\" or one of them for each lane"), false;
    words.fill(*word);
    return true;
  }
  if (node.items.size() != simd) {
    reader.wrong_value(name, node, fmt::format("{} values for {} lanes", node.items.size(), simd));
    return false;
  }
  for (unsigned lane = 0; lane < simd; ++lane) {
    const auto word = convert(node.items[lane]);
    if (!word) return reader.wrong_type(name, node.items[lane], "a number or \"0x...\""), false;
    words[lane] = *word;
  }
  return true;
}

void read_params(BatchRequest& request, const texture::Operation& op, LaneRequest& lanes,
                 std::deque<LaneWords>& storage) {
  const Node* table = request.reader.table("params");
  if (table == nullptr) return;
  base::TableReader reader(*table, request.nodes, "params");
  const auto read = [&](Param param) {
    const std::string_view name = texture::param_name(param);
    const Node* node = reader.any(name);
    if (node == nullptr) return;
    LaneWords& words = storage.emplace_back();
    const bool half = lanes.half_parameters;
    const bool integer = op.family == texture::OpFamily::Load;
    const bool good = read_lanes(reader, name, *node, lanes.simd, words, [&](const Node& lane) {
      return is_word(param) ? image::integer_word(lane) : integer ? integer_lane(lane, half) : float_lane(lane, half);
    });
    if (good) lanes.set(param, words);
  };
  for (const Param param : texture::parameters(op, lanes.half_parameters).all()) read(param);
  reader.finish();
}

/// Letters of "RGBA" as a mask; 0 after a report.
std::uint8_t read_channels(BatchRequest& request) {
  const auto text = request.reader.text("channels");
  if (!text) return 15;
  std::uint8_t mask = 0;
  for (const char c : *text) {
    const std::size_t at = kLetters.find(c);
    if (at == std::string_view::npos || (mask >> at & 1) != 0) mask = 16;
    if (mask < 16) mask = static_cast<std::uint8_t>(mask | 1u << at);
  }
  if (mask == 0 || mask > 15) {
    request.reader.wrong_value("channels", *request.reader.any("channels"),
                               "expected letters of \"RGBA\", each at most once");
    return 0;
  }
  return mask;
}

void read_operation_members(BatchRequest& request, const texture::Operation& op, LaneRequest& lanes,
                            texture::Destination& destination) {
  base::TableReader& reader = request.reader;
  lanes.simd = static_cast<unsigned>(reader.integer("simd", 1, 32).value_or(8));
  if (lanes.simd != 8 && lanes.simd != 16 && lanes.simd != 32)
    reader.wrong_value("simd", *reader.any("simd"), "expected 8, 16 or 32");
  lanes.active = word_member(request, "active", 0xffffffffu) & lanes.lanes();
  const bool gather = op.family == texture::OpFamily::Gather4;
  if (gather) {
    if (const auto channel = reader.text("channel")) {
      const std::size_t at = channel->size() == 1 ? kLetters.find((*channel)[0]) : std::string_view::npos;
      if (at == std::string_view::npos)
        reader.wrong_value("channel", *reader.any("channel"), "expected \"R\", \"G\", \"B\" or \"A\"");
      else
        lanes.source_channel = static_cast<std::uint8_t>(at);
    }
  } else {
    lanes.channels = read_channels(request);
  }
  if (op.family != texture::OpFamily::Info) {
    const std::string_view floats = op.family == texture::OpFamily::Load ? "UD" : "F",
                           halves = op.family == texture::OpFamily::Load ? "UW" : "HF";
    if (const auto type = reader.text("param_type")) {
      if (*type != floats && *type != halves)
        reader.wrong_value("param_type", *reader.any("param_type"), fmt::format("expected {} or {}", floats, halves));
      lanes.half_parameters = *type == halves;
    }
    if (const Node* offset = reader.array("offset")) {
      if (offset->items.size() > 3) reader.wrong_value("offset", *offset, "at most three offsets [u, v, r]");
      for (std::size_t i = 0; i < offset->items.size() && i < 3; ++i) {
        const auto word = image::integer_word(offset->items[i]);
        const auto value = static_cast<std::int32_t>(word.value_or(0));
        if (!word || value < -8 || value > 7)
          reader.wrong_value("offset", offset->items[i], "an immediate offset is -8 to 7");
        else
          lanes.offset[i] = value;
      }
    }
    lanes.null_mask = reader.boolean("null_mask").value_or(false);
    if (const Node* size = reader.array("coarse_size")) {
      const auto w = size->items.size() == 2 ? image::integer_word(size->items[0]) : std::nullopt;
      const auto h = size->items.size() == 2 ? image::integer_word(size->items[1]) : std::nullopt;
      if (!w || !h || *w == 0 || *h == 0 || *w > 16 || *h > 16) {
        reader.wrong_value("coarse_size", *size, "expected [width, height] of the coarse pixel, 1 to 16");
      } else {
        lanes.cps_compensation = true;
        lanes.coarse_width = *w;
        lanes.coarse_height = *h;
      }
    }
    if (const auto type = reader.text("dst_type")) {
      const bool wide = *type == "F" || *type == "UD" || *type == "D",
                 narrow = *type == "HF" || *type == "UW" || *type == "W";
      if (!wide && !narrow) reader.wrong_value("dst_type", *reader.any("dst_type"), "expected F, HF, UD, D, UW or W");
      destination.element_bytes = narrow ? 2 : 4;
    }
  }
  destination.simd = lanes.simd;
  destination.active = lanes.active;
  destination.channels = gather ? 15 : lanes.channels;
  destination.grf_bytes = request.grf;
  destination.null_mask = lanes.null_mask;
}

std::string results(const LaneRequest& lanes, const texture::Destination& destination,
                    const texture::LaneResult& result, std::uint8_t fill) {
  std::string text = "\"channels\":{";
  bool first = true;
  for (unsigned c = 0; c < 4; ++c) {
    if ((destination.channels >> c & 1) == 0) continue;
    text += fmt::format("{}\"{}\":[", first ? "" : ",", kLetters[c]);
    first = false;
    for (unsigned lane = 0; lane < lanes.simd; ++lane) {
      if (lane != 0) text += ',';
      const std::uint32_t word = result.channels[c][lane];
      if (!lanes.is_active(lane))
        text += "null";
      else if (destination.element_bytes == 2)
        text += fmt::format("\"{:04x}\"", texture::narrow_result(word, result.value_class));
      else
        text += fmt::format("\"{:08x}\"", word);
    }
    text += ']';
  }
  text += '}';
  if (lanes.null_mask) text += fmt::format(",\"null_mask\":\"0x{:08x}\"", result.null_mask);
  std::vector<std::uint8_t> bytes(texture::destination_bytes(destination), fill);
  texture::write_destination(bytes, destination, result);
  return text + ",\"dst\":\"" + hex_bytes(bytes.data(), bytes.size()) + '"';
}

/// By the vector kernels, unless there is something to be said about the request.
texture::LaneResult run(const LaneRequest& lanes, texture::OperationContext& context) {
  if (lanes.simd == 8 || lanes.simd == 16 || lanes.simd == 32) {
    texture::OperationContext quiet = context;
    const auto prepared = texture::simd::prepare(lanes, quiet);
    if (texture::simd::is_fast(*prepared) && quiet.reports.empty())
      return texture::simd::run(*prepared, lanes, context);
  }
  return texture::execute(lanes, context);
}

std::string answer(BatchRequest& request) {
  const texture::Operation& op = *texture::find_operation(request.op);
  const bool info = op.family == texture::OpFamily::Info;
  LaneRequest lanes;
  lanes.op = op.op;
  texture::Destination destination;
  std::deque<LaneWords> storage;
  read_operation_members(request, op, lanes, destination);
  const std::uint8_t fill = byte_member(request, "dst_fill", 0);
  if (request.failed()) return {};
  const auto surface = surface_member(request, "surface", !info && op.op != texture::Op::Lod);
  if (!surface) return {};
  image::Sampler sampler = sampler_member(request, *surface);
  if (info || op.family == texture::OpFamily::Load) sampler = {};  // it may be given, but only sampling uses it
  if (op.op == texture::Op::Resinfo) {
    if (const Node* lod = request.reader.any("lod")) {
      LaneWords& words = storage.emplace_back();
      if (read_lanes(request.reader, "lod", *lod, lanes.simd, words,
                     [](const Node& n) { return image::integer_word(n); }))
        lanes.set(Param::Lod, words);
    }
  } else if (!info) {
    read_params(request, op, lanes, storage);
  }
  if (request.failed()) return {};
  lanes.surface = &*surface;
  lanes.sampler = &sampler;
  const texture::LaneResult result = run(lanes, request.unit);
  return results(lanes, destination, result, fill);
}

}  // namespace

const BatchFamily kLaneOperations = {&knows, &answer};

}  // namespace heddle::tools
