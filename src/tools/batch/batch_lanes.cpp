// SPDX-License-Identifier: MIT
// heddle batch: the operations over lanes.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>

#include "base/half.hpp"
#include "image/objects/object.hpp"
#include "texture/destination.hpp"
#include "texture/request.hpp"
#include "texture/simd/prepared.hpp"
#include "tools/batch/batch.hpp"
#include "tools/batch/lane_call.hpp"
#include "tools/batch/lane_values.hpp"

namespace heddle::tools {
namespace {

using base::Node;
using texture::LaneRequest;
using texture::LaneWords;
using texture::Param;

constexpr std::string_view kLetters = "RGBA";

std::vector<std::string_view> operations() {
  std::vector<std::string_view> names;
  for (const texture::Operation& op : texture::all_operations()) names.push_back(op.name);
  return names;
}

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

void read_params(BatchRequest& request, const texture::Operation& op, bool half, LaneParameters& params) {
  const bool integer = op.family == texture::OperationKind::Load;
  const LaneKind kind =
      integer ? (half ? LaneKind::ShortInteger : LaneKind::Integer) : (half ? LaneKind::Half : LaneKind::Float);
  if (op.op == texture::Op::Resinfo) {
    if (const Node* lod = request.reader.any("lod"))
      params.read(request.reader, "lod", *lod, Param::Lod, LaneKind::Integer);
    return;
  }
  if (op.family == texture::OperationKind::Info) return;
  const texture::ParameterList& list = texture::parameters(op, half);
  if (const Node* table = request.reader.table("params")) {
    base::TableReader reader(*table, request.nodes, "params");
    for (const Param param : list.all()) {
      const std::string_view name = texture::param_name(param);
      if (const Node* node = reader.any(name))
        params.read(reader, name, *node, param, is_word(param) ? LaneKind::Integer : kind);
    }
    reader.finish();
  }
  const auto takes = [&](Param param) { return std::ranges::find(list.all(), param) != list.all().end(); };
  if (takes(Param::V))
    if (const Node* points = request.reader.any("uv")) params.read_points("uv", *points, 2, kind);
  if (takes(Param::R))
    if (const Node* points = request.reader.any("uvr")) params.read_points("uvr", *points, 3, kind);
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
  const bool gather = op.family == texture::OperationKind::Gather4;
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
  if (op.family != texture::OperationKind::Info) {
    const std::string_view floats = op.family == texture::OperationKind::Load ? "UD" : "F",
                           halves = op.family == texture::OperationKind::Load ? "UW" : "HF";
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
  destination.channels = gather ? 15 : lanes.channels;
  destination.grf_bytes = request.grf;
  destination.null_mask = lanes.null_mask;
}

ResultForm results_member(BatchRequest& request) {
  const auto word = request.reader.text("results");
  if (!word || *word == "hex") return ResultForm::Hex;
  if (*word == "numbers") return ResultForm::Numbers;
  if (*word == "base64") return ResultForm::Base64;
  request.reader.wrong_value("results", *request.reader.any("results"), "expected hex, numbers or base64");
  return ResultForm::Hex;
}

/// `simd`, a message of so many lanes, or `lanes`, any number.
std::optional<std::uint64_t> lanes_member(BatchRequest& request) {
  base::TableReader& reader = request.reader;
  const auto lanes = reader.integer("lanes", 1, static_cast<std::int64_t>(kMaxBatchLanes));
  const auto simd = reader.integer("simd", 1, 32);
  if (simd && *simd != 8 && *simd != 16 && *simd != 32)
    reader.wrong_value("simd", *reader.any("simd"), "expected 8, 16 or 32");
  if (simd && lanes) reader.wrong_value("lanes", *reader.any("lanes"), "'simd' is given as well");
  const auto given = simd ? simd : lanes;
  return given ? std::optional(static_cast<std::uint64_t>(*given)) : std::nullopt;
}

/// `active` as an array that is packed.
void read_active(BatchRequest& request, const Node& node, std::uint64_t lanes, std::vector<std::uint32_t>& active) {
  const base::PackedValues& packed = *node.packed;
  const std::size_t count = packed.each == 0 ? packed.numbers.size() : packed.numbers.size() / packed.each;
  if (count != lanes)
    return request.reader.wrong_value("active", node, fmt::format("{} values for {} lanes", count, lanes));
  std::fill(active.begin(), active.end(), 0);
  const auto flag = [](double value) { return value == 0 || value == 1; };
  if (packed.each != 0 || !packed.integers || !std::ranges::all_of(packed.numbers, flag))
    return request.reader.wrong_value("active", node, "a lane is 0 or 1");
  for (std::size_t lane = 0; lane < lanes; ++lane)
    if (packed.numbers[lane] != 0) active[lane / 32] |= 1u << lane % 32;
}

/// `active` as a mask of up to 32 lanes, or an array with 0 or 1 for each lane.
std::vector<std::uint32_t> active_member(BatchRequest& request, std::uint64_t lanes) {
  std::vector<std::uint32_t> active((lanes + 31) / 32, 0xffffffffu);
  const Node* node = request.reader.any("active");
  if (node != nullptr && node->packed) {
    read_active(request, *node, lanes, active);
  } else if (node != nullptr && node->kind == Node::Kind::Array) {
    if (node->items.size() != lanes)
      request.reader.wrong_value("active", *node, fmt::format("{} values for {} lanes", node->items.size(), lanes));
    std::fill(active.begin(), active.end(), 0);
    for (std::size_t lane = 0; lane < std::min<std::size_t>(lanes, node->items.size()); ++lane) {
      const Node& item = node->items[lane];
      const bool flag = item.kind == Node::Kind::Boolean;
      if (!flag && (item.kind != Node::Kind::Integer || item.big || item.integer < 0 || item.integer > 1)) {
        request.reader.wrong_value("active", item, "a lane is 0 or 1");
        break;
      }
      if (flag ? item.boolean : item.integer != 0) active[lane / 32] |= 1u << lane % 32;
    }
  } else if (node != nullptr) {
    active[0] = word_member(request, "active", 0xffffffffu);
    if (lanes > 32)
      request.reader.wrong_value("active", *node, "a mask holds 32 lanes; an array with 0 or 1 for each is expected");
  }
  if (lanes % 32 != 0) active.back() &= (1u << lanes % 32) - 1;
  return active;
}

/// Surface, sampler, operation and flags as the vector functions want them; the reference's word where they have none.
std::shared_ptr<const PreparedRequest> prepare(BatchRequest& request, const LaneRequest& lanes,
                                               const BoundSurface& surface, const BoundSampler& sampler,
                                               std::uint32_t params) {
  const bool kept = surface.serial != 0 && sampler.serial != 0;
  PreparedKey key{};
  if (kept) {
    key[0] = surface.serial;
    key[1] = sampler.serial;
    key[2] = static_cast<std::uint64_t>(lanes.op) | static_cast<std::uint64_t>(request.unit.behavior) << 16 |
             static_cast<std::uint64_t>(request.unit.platform) << 24 | std::uint64_t{lanes.half_parameters} << 32 |
             std::uint64_t{lanes.null_mask} << 33 | std::uint64_t{lanes.cps_compensation} << 34 |
             std::uint64_t{lanes.source_channel} << 40;
    key[3] = params;
    for (std::size_t axis = 0; axis < 3; ++axis)
      key[4] |= std::uint64_t{static_cast<std::uint8_t>(lanes.offset[axis])} << (8 * axis);
    key[5] = std::uint64_t{lanes.coarse_width} << 32 | lanes.coarse_height;
    if (auto found = request.named.find(key)) return found;
  }
  auto prepared = std::make_shared<PreparedRequest>();
  prepared->surface = surface.surface;
  const bool unused = texture::operation(lanes.op).family == texture::OperationKind::Info ||
                      texture::operation(lanes.op).family == texture::OperationKind::Load;
  if (!unused) prepared->sampler = sampler.members.for_format(surface.surface->format);
  LaneRequest own = lanes;
  own.surface = prepared->surface.get();
  own.sampler = &prepared->sampler;
  texture::OperationContext quiet = request.unit;
  quiet.reports = base::Diagnostics();
  auto operation = texture::simd::prepare(own, quiet);
  if (texture::simd::is_fast(*operation) && quiet.reports.empty()) {
    operation->request.params = {};  // those of this request do not outlive it
    prepared->operation = std::move(operation);
  }
  if (kept) request.named.keep(key, prepared);
  return prepared;
}

/// One group of up to 32 lanes by the reference unit.
void run_reference(const LaneRequest& request, const LaneParameters& params, std::uint64_t first, unsigned width,
                   std::uint32_t active, LaneChannels& result, texture::OperationContext& unit) {
  const texture::LaneResult group = run_lane_group(request, params, first, width, active, unit);
  result.value_class = group.value_class;
  result.null_masks[first / 32] = group.null_mask;
  const std::size_t count = std::min<std::uint64_t>(width, result.lanes - first);
  for (std::size_t c = 0; c < 4; ++c)
    if (!result.words[c].empty())
      std::copy_n(group.channels[c].begin(), count, result.words[c].begin() + static_cast<std::ptrdiff_t>(first));
}

/// The same by the vector functions.
void run_kernels(const texture::simd::PreparedOperation& operation, const LaneParameters& params, std::uint64_t first,
                 unsigned width, std::uint32_t active, LaneChannels& result, texture::OperationContext& unit) {
  texture::simd::Inputs inputs{};
  for (std::size_t p = 0; p < texture::kParamCount; ++p) inputs.param[p] = params.at(static_cast<Param>(p), first);
  std::array<std::uint32_t, 4 * texture::kMaxLanes + 1> out;
  texture::simd::run_lanes(operation, inputs, width, active, out.data(), unit, texture::simd::best_instruction_set());
  result.value_class = operation.value_class;
  result.null_masks[first / 32] = out[4 * width];
  const std::size_t count = std::min<std::uint64_t>(width, result.lanes - first);
  const bool all = active == (count >= 32 ? 0xffffffffu : (1u << count) - 1);
  for (std::size_t c = 0; c < 4; ++c) {
    if (result.words[c].empty()) continue;
    std::uint32_t* to = result.words[c].data() + first;
    const std::uint32_t* from = out.data() + c * width;
    for (std::size_t lane = 0; lane < count; ++lane) to[lane] = all || (active >> lane & 1u) != 0 ? from[lane] : 0;
  }
}

/// By the vector functions, unless there is something to be said about the request.
void run(BatchRequest& request, const LaneRequest& lanes, const PreparedRequest& prepared, const LaneParameters& params,
         LaneChannels& result) {
  LaneRequest reference = lanes;
  reference.surface = prepared.surface.get();
  reference.sampler = &prepared.sampler;
  for (std::uint64_t first = 0; first < result.lanes; first += texture::kMaxLanes) {
    const unsigned width = lane_group_width(result.lanes - first);
    const std::uint32_t active = result.active[first / 32];
    if (prepared.operation)
      run_kernels(*prepared.operation, params, first, width, active, result, request.unit);
    else
      run_reference(reference, params, first, width, active, result, request.unit);
    if (request.failed()) return;
  }
}

/// The registers of one message.
void append_destination(std::string& text, const texture::Destination& destination, const LaneChannels& result,
                        std::uint8_t fill) {
  texture::LaneResult message;
  message.value_class = result.value_class;
  message.null_mask = result.null_masks[0];
  for (std::size_t c = 0; c < 4; ++c)
    if (!result.words[c].empty())
      std::copy(result.words[c].begin(), result.words[c].end(), message.channels[c].begin());
  std::vector<std::uint8_t> bytes(texture::destination_bytes(destination), fill);
  texture::write_destination(bytes, destination, message);
  text += ",\"dst\":\"";
  append_hex(text, bytes.data(), bytes.size());
  text += '"';
}

void append_results(std::string& text, const LaneRequest& lanes, texture::Destination& destination,
                    const LaneChannels& result, ResultForm form, std::uint8_t fill) {
  text += "\"channels\":{";
  const std::uint64_t each = form == ResultForm::Base64 ? result.lanes * 16 / 3 + 16 : result.lanes * 11 + 16;
  text.reserve(text.size() + each * static_cast<unsigned>(std::popcount(destination.channels)) + 512);
  bool first = true;
  for (unsigned c = 0; c < 4; ++c) {
    if ((destination.channels >> c & 1) == 0) continue;
    if (!first) text += ',';
    first = false;
    text += '"';
    text += kLetters[c];
    text += "\":";
    append_channel(text, result, c, form, destination.element_bytes == 2);
  }
  text += '}';
  if (lanes.null_mask && result.lanes <= texture::kMaxLanes) {
    text += fmt::format(",\"null_mask\":\"0x{:08x}\"", result.null_masks[0]);
  } else if (lanes.null_mask) {
    text += ",\"null_mask\":[";
    for (std::size_t i = 0; i < result.null_masks.size(); ++i)
      text += fmt::format("{}\"0x{:08x}\"", i == 0 ? "" : ",", result.null_masks[i]);
    text += ']';
  }
  const bool message = result.lanes == 8 || result.lanes == 16 || result.lanes == 32;
  if (!message || form != ResultForm::Hex) return;
  destination.simd = static_cast<unsigned>(result.lanes);
  destination.active = result.active[0];
  append_destination(text, destination, result, fill);
}

/// Operands that the message may leave out, and that an image of this kind needs all the same; and what takes part in
/// nothing. The answer is what the hardware gives.
void check_operands(BatchRequest& request, const texture::Operation& op, const image::Surface& surface,
                    const BoundSampler& sampler, const LaneParameters& params) {
  if (op.family == texture::OperationKind::Info) return;
  const auto warn = [&](std::string message) {
    request.unit.reports.add(base::warning("batch-operand", std::move(message)));
  };
  if (op.compare() && !sampler.members.compare_given)
    warn(fmt::format("{} compares, and the sampler names no comparison: all have the same answer", op.name));
  const bool three = surface.type == image::SurfaceType::Dim3 || surface.type == image::SurfaceType::Cube;
  const bool one = surface.type == image::SurfaceType::Dim1 || surface.type == image::SurfaceType::Buffer;
  if (three && !op.packed() && params.has(Param::V) && op.has(Param::R) && !params.has(Param::R))
    warn(fmt::format("a {} takes three coordinates (uvr), and 'r' is left out: it is 0",
                     surface.type == image::SurfaceType::Cube ? "cube" : "3D image"));
  if (!surface.array && surface.type == image::SurfaceType::Dim2 && request.reader.has("uvr"))
    warn("a 2D image that is no array takes two coordinates (uv): the third takes part in nothing");
  if (!surface.array && one && request.reader.has("uv"))
    warn("a 1D image that is no array takes one coordinate (params.u): the second takes part in nothing");
}

void answer(BatchRequest& request, std::string& text) {
  LaneCall call(request, *texture::find_operation(request.op));
  const ResultForm form = results_member(request);
  const std::uint8_t fill = byte_member(request, "dst_fill", 0);
  if (!call.read(request)) return;
  LaneChannels result;
  result.lanes = call.count;
  result.active = std::move(call.active);
  result.null_masks.resize((result.lanes + 31) / 32, 0xffffffffu);
  for (unsigned c = 0; c < 4; ++c)
    if ((call.destination.channels >> c & 1) != 0) result.words[c].resize(result.lanes);
  const auto prepared = prepare(request, call.lanes, call.surface, call.sampler, call.params.mask());
  run(request, call.lanes, *prepared, call.params, result);
  if (!request.failed()) append_results(text, call.lanes, call.destination, result, form, fill);
}

}  // namespace

LaneCall::LaneCall(BatchRequest& request, const texture::Operation& operation) : op(operation), params(request.reader) {
  lanes.op = op.op;
  given_ = lanes_member(request);
  read_operation_members(request, op, lanes, destination);
}

bool LaneCall::read(BatchRequest& request) {
  const bool info = op.family == texture::OperationKind::Info;
  if (request.failed()) return false;
  surface = surface_member(request, "surface", !info && op.op != texture::Op::Lod);
  if (!surface.surface) return false;
  sampler = sampler_member(request);
  read_params(request, op, lanes.half_parameters, params);
  if (request.failed()) return false;
  check_operands(request, op, *surface.surface, sampler, params);
  count = params.finish(given_);
  if (count > std::min(kMaxBatchLanes, request.limits.memory_bytes / sizeof(texture::LaneWords)))
    request.fail("batch-value",
                 fmt::format("{} lanes are more than {} (or than --max-memory holds)", count, kMaxBatchLanes));
  if (request.failed()) return false;
  active = active_member(request, count);
  // Which parameters there are counts (PKO-3).
  static constexpr LaneWords kZeros{};
  for (std::size_t p = 0; p < texture::kParamCount; ++p)
    if (params.has(static_cast<Param>(p))) lanes.set(static_cast<Param>(p), kZeros);
  return !request.failed();
}

LaneGroup::LaneGroup(const LaneRequest& request, const LaneParameters& params, std::uint64_t first, unsigned width,
                     std::uint32_t active)
    : lanes_(request) {
  lanes_.simd = width;
  lanes_.active = active;
  lanes_.params = {};
  for (std::size_t p = 0; p < texture::kParamCount; ++p) {
    const auto param = static_cast<Param>(p);
    if (!params.has(param)) continue;
    std::copy_n(params.at(param, first), texture::kMaxLanes, words_[p].begin());
    lanes_.set(param, words_[p]);
  }
}

texture::LaneResult run_lane_group(const LaneRequest& request, const LaneParameters& params, std::uint64_t first,
                                   unsigned width, std::uint32_t active, texture::OperationContext& unit) {
  const LaneGroup group(request, params, first, width, active);
  return texture::execute(group.request(), unit);
}

const BatchOperations kLaneOperations = {&operations, &answer};

}  // namespace heddle::tools
