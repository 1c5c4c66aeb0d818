// SPDX-License-Identifier: MIT
// Rules: FP-11, NUM-33, SAM-3.
#include "explore/recording/texel_steps.hpp"

#include <cstring>
#include <optional>

#include "base/half.hpp"
#include "explore/documents/json.hpp"
#include "image/names.hpp"
#include "instructions/sampler/message.hpp"
#include "instructions/sampler/operation.hpp"
#include "machine/execution_context.hpp"
#include "texture/footprint.hpp"
#include "texture/reference/follow.hpp"

namespace heddle::explore {
namespace {

using texture::reference::FollowedLane;

/// The message with what it was given, as run_message() makes it.
class Message {
 public:
  /// Nothing where the instruction is none of the texture unit's.
  static std::optional<Message> read(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes,
                                     RegisterBytes before) {
    const texture::Operation* operation = instructions::operation_of(*d.description);
    if (operation == nullptr ||
        (operation->family != texture::OperationKind::Sample && operation->family != texture::OperationKind::Gather4))
      return std::nullopt;
    const machine::PreparedObject& object = thread.object();
    auto read = instructions::read_message({object, d}, operation->op);
    if (!read.ok()) return std::nullopt;
    Message message;
    texture::LaneRequest& request = message.request = read->request;
    request.simd = d.lanes;
    request.active = lanes >> d.mask_offset;
    // The context only looks: which resources the operands stand for.
    machine::ExecutionContext context(const_cast<machine::Thread&>(thread), d);
    for (unsigned i = 0; i < context.operand_count(); ++i) {
      const machine::Operand& o = context.operand(i);
      if (o.kind == isa::OperandKind::Surface) request.surface = context.surface(o);
      if (o.kind == isa::OperandKind::Sampler) request.sampler = context.sampler(o);
    }
    if (request.surface == nullptr || request.sampler == nullptr) return std::nullopt;
    if (read->offsets != nullptr)  // SAM-3
      request.offset = instructions::immediate_offsets(static_cast<std::uint32_t>(context.read_scalar(*read->offsets)));
    for (const auto& parameter : read->parameters()) message.add(parameter.name, *parameter.operand, d.lanes, before);
    return message;
  }

  texture::LaneRequest request;

  void point() {
    for (unsigned p = 0; p < count_; ++p) request.set(names_[p], words_[p]);
  }

 private:
  void add(texture::Param name, const machine::Operand& operand, unsigned lanes, RegisterBytes before) {
    texture::LaneWords& words = words_[count_];
    words.fill(0);
    const unsigned size = operand.size == 2 ? 2 : 4;
    for (unsigned k = 0; k < lanes; ++k) {
      const std::size_t at = operand.base + std::size_t{k} * size;
      if (at + size > operand.root_end || at + size > before.size()) break;
      std::memcpy(&words[k], before.data() + at, size);
      if (operand.type == isa::Type::HF)  // NUM-33
        words[k] = base::bits_of(base::half_to_float(static_cast<std::uint16_t>(words[k])));
    }
    names_[count_++] = name;
  }
  std::array<texture::LaneWords, texture::ParameterList::kMax> words_{};
  std::array<texture::Param, texture::ParameterList::kMax> names_{};
  unsigned count_ = 0;
};

std::string float_text(float value) { return base::json_quote(fmt::format("{}", value)); }

void floats(Json& json, std::string_view name, std::span<const float> values) {
  json.key(name).open('[');
  for (const float value : values) json.raw(float_text(value));
  json.close(']');
}

void words(Json& json, std::string_view name, std::span<const std::uint32_t> values) {
  json.key(name).open('[');
  for (const std::uint32_t value : values) json.value(value);
  json.close(']');
}

constexpr std::string_view kKinds[] = {"texel", "border", "half", "corner"};

/// [kind, x, y, slice, weighted, R, G, B, A]
void add_tap(Json& json, const FollowedLane& f, const texture::LevelTaps& taps, const texture::Tap& tap) {
  texture::FetchNotes notes;
  const image::Texel value = texture::tap_value(f.state.values, taps, tap, f.ref, notes);
  json.open('[').value(kKinds[static_cast<unsigned>(tap.kind)]).value(tap.at.x).value(tap.at.y).value(tap.at.slice);
  json.value(tap.weighted);
  for (const std::uint32_t word : value.bits) json.value(word);
  json.close(']');
}

/// FP-11: what OpImageSampleFootprintNV answers for these taps, asked for its smallest groups. Nothing for arrays and
/// cubes, which the extension does not have, and where no granularity holds the texels.
void add_footprint(Json& json, const image::Surface& surface, const texture::LevelTaps& taps) {
  constexpr std::uint32_t kFinest = 1;
  const bool volume = surface.type == image::SurfaceType::Dim3;
  if (!volume && (surface.type != image::SurfaceType::Dim2 || surface.array)) return;
  std::vector<texture::Coordinates3> texels;
  texture::for_each_texel(taps, [&](const texture::Tap&, const texture::TexelPosition& at) {
    texels.push_back({at.x, at.y, volume ? at.slice : 0});
  });
  const unsigned dim = volume ? 3 : 2;
  const auto footprint = texture::encode(texels, dim, kFinest);
  if (!footprint) return;
  const std::uint32_t granularity = footprint->granularity == 0 ? kFinest : footprint->granularity;
  json.key("footprint").open('{');
  words(json, "anchor", std::span(footprint->anchor).first(dim));
  words(json, "offset", std::span(footprint->offset).first(dim));
  json.member("mask", fmt::format("{:016x}", footprint->mask)).member("granularity", granularity);
  const auto size = texture::granularity_size(dim, granularity);
  words(json, "group", std::span(*size).first(dim));
  json.key("groups").open('[');
  for (const texture::Group& group : texture::decode(*footprint, dim)) json.numbers(std::span(group).first(dim));
  json.close(']').close('}');
}

void add_level(Json& json, const FollowedLane& f, unsigned n, bool gather) {
  const texture::LevelTaps& taps = f.taps[n];
  json.open('{').member("level", taps.level);
  words(json, "size", std::span(taps.size).first(3));
  json.member("linear", taps.linear).member("axes", taps.axes);
  json.key("probes").open('[');
  for (unsigned p = 0; p < taps.probes; ++p) {
    json.open('{');
    words(json, "weight", taps.probe[p].weight);
    json.key("taps").open('[');
    for (unsigned t = 0; t < taps.taps_per_probe; ++t) add_tap(json, f, taps, taps.probe[p].tap[t]);
    json.close(']').close('}');
  }
  json.close(']');
  if (!gather) {
    words(json, "value", f.level[n].bits);
    add_footprint(json, *f.state.taps.surface, taps);
  }
  json.close('}');
}

void add_lane(Json& json, const FollowedLane& f, unsigned lane, bool gather) {
  json.open('{').member("lane", lane);
  floats(json, "coordinate", f.lane.point.coordinate);
  json.member("face", f.lane.point.face).member("index", f.lane.point.index);
  json.key("offset").numbers(f.lane.point.offset);
  floats(json, "dx", f.lane.gradients.dx);
  floats(json, "dy", f.lane.gradients.dy);
  json.key("rho2").open('[').raw(float_text(f.spread.x)).raw(float_text(f.spread.y)).close(']');
  json.member("lod", f.lod).member("bias", f.state.lod.bias).member("laneLod", f.lane.lane_lod);
  json.member("minLod", f.state.lod.min_lod).member("maxLod", f.state.lod.max_lod);
  json.member("chosen", f.choice.chosen).member("unclamped", f.choice.unclamped);
  json.member("magnify", f.choice.magnify).member("outOfBounds", f.choice.out_of_bounds);
  json.member("beta", f.choice.level_count == 2 ? f.choice.beta : 0u);
  json.key("ratio").raw(float_text(f.state.ratio));
  json.member("filter", image::name_of(f.choice.filter)).member("anisotropic", f.line.count);
  floats(json, "line", f.line.gradient);
  json.key("reference").raw(float_text(f.ref)).member("compare", f.state.compare);
  json.key("levels").open('[');
  for (unsigned n = 0; n < f.levels; ++n) add_level(json, f, n, gather);
  json.close(']');
  if (!gather) words(json, "value", f.value.bits);
  words(json, "result", f.result);
  json.close('}');
}

}  // namespace

std::string texel_steps(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes,
                        std::uint32_t wanted, RegisterBytes before, const SurfaceNumber& number) {
  auto message = Message::read(thread, d, lanes, before);
  if (!message) return {};
  message->point();
  const texture::LaneRequest& request = message->request;
  const texture::Operation& operation = texture::operation(request.op);
  const bool gather = operation.family == texture::OperationKind::Gather4;
  texture::OperationContext context;
  context.platform = machine::unit_platform(thread.code().platform);
  Json json;
  json.open('{').member("op", operation.name).member("surface", number(*request.surface));
  json.member("name", request.surface->name);
  json.key("address").open('[');
  for (const image::AddressMode mode : {request.sampler->tcx, request.sampler->tcy, request.sampler->tcz})
    json.value(image::name_of(mode));
  json.close(']');
  json.member("mip", image::name_of(request.sampler->mip_filter)).member("gather", gather);
  if (gather) json.member("channel", request.source_channel);
  json.key("lanes").open('[');
  bool any = false;
  for (unsigned k = 0; k < request.simd; ++k) {
    if (!request.is_active(k) || (wanted >> (k + d.mask_offset) & 1u) == 0) continue;
    const auto followed = texture::reference::follow(request, k, context);
    if (!followed) continue;
    add_lane(json, *followed, k + d.mask_offset, gather);
    any = true;
  }
  json.close(']').close('}');
  return any ? json.take() : std::string();
}

}  // namespace heddle::explore
