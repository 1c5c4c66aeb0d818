// SPDX-License-Identifier: MIT
// Messages of image instructions: parameters, ranges, predicates, the pixel null mask, typed reads and writes.
// Rules: RET-5, SPV-23, SPV-29.

#include <algorithm>

#include "spirv/compile/arithmetic/scalar.hpp"
#include "spirv/compile/images/image.hpp"

namespace heddle::spirv::compiler::image {

Part parameter(ShaderContext& t, const Part& part, isa::Type type, std::string_view hint) {
  VisaWriter& b = t.b;
  if (part.kind == Part::Kind::Undefined) return zeros(t, type);
  const bool same_bits =
      isa::type_bytes(part.type) == isa::type_bytes(type) && isa::is_float(part.type) == isa::is_float(type);
  if (part.constant() && !same_bits) return parameter(t, b.convert(b.copy(part), type, hint), type, hint);
  if (!same_bits) return b.convert(part, type, hint);
  return b.in_register(part.as(type), hint);
}

VisaOperand raw(ShaderContext& t, const Part& part, const LaneRange& range) {
  Part lanes = part;
  lanes.stride = 1;
  return t.b.raw(lanes, range);
}

Part zeros(ShaderContext& t, isa::Type type) { return t.b.copy(constant(type, 0), "zero"); }

namespace {

struct Reply {
  VisaWriter& b;
  unsigned channels, step;
  isa::Type type;
  std::vector<Part> results;
  Part residency;

  Reply(VisaWriter& builder, unsigned count, isa::Type t, bool with_residency, unsigned lanes, std::string_view hint)
      : b(builder),
        channels(count),
        step((lanes * isa::type_bytes(t) + builder.grf() - 1) / builder.grf() * builder.grf()),
        type(t) {
    for (unsigned c = 0; c < channels; ++c) results.push_back(b.lanes(type, hint));
    if (with_residency) residency = b.lanes(isa::Type::UD, "residency");
  }
  /// Registers for one message, the null mask's behind the channels (RET-5).
  [[nodiscard]] Part registers() const {
    const bool mask = residency.kind == Part::Kind::Variable;
    return b.array(type, "message", (step * channels + (mask ? b.grf() : 0u)) / isa::type_bytes(type));
  }
  void pick(const Part& message, const LaneRange& range, const Guard& guard) const {
    for (unsigned c = 0; c < channels; ++c) {
      Part from = message;
      from.stride = 1;
      from.offset = c * step;
      b.instruction("mov", range, {b.destination(results[c], range), b.source(from, {0, range.lanes})}, guard);
    }
    if (residency.kind != Part::Kind::Variable) return;
    Part bits = message.as(isa::Type::UD);
    bits.offset = channels * step;
    b.instruction(
        "shr", range,
        {b.destination(residency, range), b.source(bits, range, true), b.source(b.lane_numbers(), {0, range.lanes})},
        guard);
  }
  [[nodiscard]] std::vector<Part> parts() const {
    std::vector<Part> list = results;
    if (residency.kind == Part::Kind::Variable)
      list.push_back(b.make("and", isa::Type::UD, {residency, ud(1)}, "residency"));
    return list;
  }
};

void send_to_sampler(ShaderContext& t, const SamplerMessage& m, const GuardedImage& target, const Guard& guard,
                     const LaneRange& range, const VisaOperand& dst, bool null_mask) {
  std::vector<VisaOperand> operands{hexadecimal(isa::Type::UW, m.offset)};
  if (m.sampler) operands.emplace_back(target.sampler);
  operands.emplace_back(target.surface);
  operands.push_back(dst);
  for (const Part& p : m.parameters) operands.push_back(raw(t, p, range));
  t.b.instruction(m.op + (null_mask ? ".pixel_null_mask." : ".") + m.channels, range, operands, guard);
}

}  // namespace

std::vector<Part> send(ShaderContext& t, std::span<const GuardedImage> targets,
                       std::span<const SamplerMessage> messages, unsigned channels, isa::Type type, bool residency) {
  constexpr unsigned kSamplerLanes = 16;
  VisaWriter& b = t.b;
  const std::string hint = t.result_name("texel");
  struct Sent {
    const SamplerMessage* message;
    const GuardedImage* target;
    Guard guard;
  };
  std::vector<Sent> all;
  for (const SamplerMessage& m : messages)
    for (const GuardedImage& target : targets) all.push_back({&m, &target, both(t.b, target.guard, m.guard)});
  if (!residency)
    return b.message(kSamplerLanes, channels, type, hint, [&](const LaneRange& range, const VisaOperand& dst) {
      for (const Sent& s : all) send_to_sampler(t, *s.message, *s.target, s.guard, range, dst, false);
    });
  // Each message writes the whole mask, with ones for lanes that it leaves out: so each has its own registers.
  const Reply reply(b, channels, type, true, std::min(b.simd(), kSamplerLanes), hint);
  (void)b.lane_numbers();
  for (const LaneRange& range : b.lane_ranges(kSamplerLanes))
    for (const Sent& s : all) {
      const Part registers = reply.registers();
      send_to_sampler(t, *s.message, *s.target, s.guard, range, b.raw(registers, {0, range.lanes}), true);
      reply.pick(registers, range, s.guard);
    }
  return reply.parts();
}

std::vector<Part> send(ShaderContext& t, std::span<const GuardedImage> targets, const SamplerMessage& message,
                       unsigned channels, isa::Type type, bool residency) {
  return send(t, targets, std::span(&message, 1), channels, type, residency);
}

std::vector<Part> receive(
    ShaderContext& t, std::span<const GuardedImage> targets, unsigned max_lanes, unsigned channels, isa::Type type,
    const std::function<void(const GuardedImage&, const LaneRange&, const VisaOperand& dst)>& emit) {
  VisaWriter& b = t.b;
  const std::string hint = t.result_name("texel");
  if (targets.size() == 1)
    return b.message(max_lanes, channels, type, hint,
                     [&](const LaneRange& range, const VisaOperand& dst) { emit(targets[0], range, dst); });
  const Reply reply(b, channels, type, false, std::min(b.simd(), max_lanes), hint);
  for (const LaneRange& range : b.lane_ranges(max_lanes))
    for (const GuardedImage& target : targets) {
      const Part registers = reply.registers();
      emit(target, range, b.raw(registers, {0, range.lanes}));
      reply.pick(registers, range, target.guard);
    }
  return reply.parts();
}

unsigned wide_channels(std::size_t components) { return components == 4 ? 4 : 2; }

std::vector<Part> wide_texel(ShaderContext& t, const std::vector<Part>& channels, isa::Type type,
                             std::size_t components) {
  std::vector<Part> texel{join(t.b, type, channels[0], channels[1], t.result_name("texel"))};
  while (texel.size() < std::min<std::size_t>(components, 3)) texel.push_back(constant(type, 0));
  if (components == 4) texel.push_back(t.b.convert(channels[3].as(isa::Type::UD), type, "alpha"));
  const unsigned sent = wide_channels(components);
  // What says who is resident.
  if (channels.size() > sent) texel.insert(texel.end(), channels.begin() + sent, channels.end());
  return texel;
}

unsigned typed_lanes(const ShaderContext& t) { return t.b.platform() < isa::Platform::XeHP_SDV ? 8 : 16; }

namespace {

/// The surface, then u, v, r and the level, on top of that of the bound view.
std::vector<VisaOperand> typed_place(ShaderContext& t, const std::string& surface, std::span<const Part> coordinates,
                                     const Part& level, const LaneRange& range) {
  std::vector<VisaOperand> operands{surface};
  for (unsigned c = 0; c < 3; ++c)
    operands.push_back(c < coordinates.size() ? raw(t, coordinates[c], range) : no_registers());
  operands.push_back(level.kind == Part::Kind::Variable ? raw(t, level, range) : no_registers());
  return operands;
}

}  // namespace

std::vector<Part> typed_read(ShaderContext& t, std::span<const GuardedImage> targets, std::span<const Part> coordinates,
                             unsigned channels, isa::Type type, const Part& level) {
  const std::string mask = std::string("RGBA").substr(0, channels);
  return t.b.message(typed_lanes(t), channels, type, t.result_name("texel"),
                     [&](const LaneRange& range, const VisaOperand& dst) {
                       for (const GuardedImage& target : targets) {
                         std::vector<VisaOperand> operands = typed_place(t, target.surface, coordinates, level, range);
                         operands.push_back(dst);
                         t.b.instruction("gather4_typed." + mask, range, operands, target.guard);
                       }
                     });
}

void typed_write(ShaderContext& t, std::span<const GuardedImage> targets, std::span<const Part> coordinates,
                 std::span<const Part> texel, isa::Type type, const Part& level) {
  VisaWriter& b = t.b;
  const auto channels = static_cast<unsigned>(texel.size());
  const std::string mask = std::string("RGBA").substr(0, channels);
  for (const LaneRange& range : b.lane_ranges(typed_lanes(t))) {
    const unsigned step = (range.lanes * isa::type_bytes(type) + b.grf() - 1) / b.grf() * b.grf();
    const Part data = b.array(type, "texel", step * channels / isa::type_bytes(type));
    for (unsigned c = 0; c < channels; ++c) {
      Part to = data;
      to.stride = 1;
      to.offset = c * step;
      const bool bits = isa::type_bytes(texel[c].type) == isa::type_bytes(type);
      const Part from = texel[c].kind == Part::Kind::Undefined ? constant(type, 0)
                        : bits                                 ? texel[c].as(type)
                                                               : texel[c];
      b.instruction("mov", range, {b.destination(to, {0, range.lanes}), b.source(from, range)});
    }
    for (const GuardedImage& target : targets) {
      std::vector<VisaOperand> operands = typed_place(t, target.surface, coordinates, level, range);
      operands.push_back(b.raw(data, {0, range.lanes}));
      b.instruction("scatter4_typed." + mask, range, operands, target.guard);
    }
  }
}

}  // namespace heddle::spirv::compiler::image
