// SPDX-License-Identifier: MIT
// Rules: SPV-34, SPV-43.
#include "spirv/compile/stages/record_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <spirv/unified1/spirv.hpp11>
#include <utility>

#include "isa/quad_remark.hpp"
#include "spirv/names.hpp"

namespace heddle::spirv::compiler {

namespace {

/// SPV-43: the greatest scalar of a type, in bytes.
std::uint32_t greatest_scalar(ShaderContext& t, std::uint32_t type) {
  std::uint32_t bytes = 2;
  for (const isa::Type s : t.types.scalars(type)) bytes = std::max(bytes, isa::type_bytes(s));
  return bytes;
}

std::uint32_t aligned(std::uint32_t place, std::uint32_t bytes) { return (place + bytes - 1) / bytes * bytes; }

/// SPV-43: where the scalars of a type are captured, from `next` on.
void add_places(ShaderContext& t, std::uint32_t type, std::uint32_t& next, std::vector<std::uint32_t>& places) {
  const TypeInfo info = t.types.of(type);
  switch (static_cast<spv::Op>(info.op)) {
    case spv::Op::OpTypeArray:
    case spv::Op::OpTypeMatrix:
    case spv::Op::OpTypeVector:
      for (std::uint32_t k = 0; k < info.count; ++k) add_places(t, info.element, next, places);
      return;
    case spv::Op::OpTypeStruct: {
      const std::uint32_t bytes = greatest_scalar(t, type);
      next = aligned(next, bytes);
      for (const std::uint32_t member : info.members) add_places(t, member, next, places);
      next = aligned(next, bytes);
      return;
    }
    default: {
      const std::uint32_t bytes = greatest_scalar(t, type);
      next = aligned(next, bytes);
      places.push_back(next);
      next += bytes;
    }
  }
}

}  // namespace

void RecordOutputs::add(const InterfaceVariable& v, const Part& part, std::string line) {
  Output& output = outputs_.emplace_back();
  output.part = part;
  output.line = std::move(line);
  if (!captures_) return;
  output.captured = std::exchange(next_captured_, next_captured_ + 4);
  output.buffer = *v.capture.buffer;
}

/// SPV-43: a scalar of 16 bits is captured as it is, while the next stage takes 32 bits (SPV-34): it has a dword of its
/// own for that.
void RecordOutputs::add_short(const InterfaceVariable& v, const Part& part, std::string line) {
  const bool captures = std::exchange(captures_, false);
  add(v, part, std::move(line));
  captures_ = captures;
  if (!captures) return;
  Output& bits = outputs_.emplace_back();
  bits.part = part.as(isa::Type::UW);
  bits.captured = next_captured_;
  bits.buffer = *v.capture.buffer;
  bits.is_short = true;
}

void RecordOutputs::declare_builtin(ShaderContext& t, const InterfaceVariable& v, const std::vector<Part>& list) {
  const auto one = [&](std::string_view place, std::string_view type) {
    add(v, list[0], fmt::format("{} 0 {} {} {}", place, type, type == "f32" ? "smooth" : "flat", v.name));
  };
  switch (static_cast<spv::BuiltIn>(*v.builtin)) {
    case spv::BuiltIn::Position:
      for (unsigned k = 0; k < list.size() && k < 4; ++k)
        add(v, list[k], fmt::format("position {} f32 smooth {}", k, v.name));
      return;
    case spv::BuiltIn::PointSize:
      // Points have the size 1 where no shader says one.
      if (!captures_ && !is_mentioned(t, v)) return;
      return one("point_size", "f32");
    case spv::BuiltIn::Layer:
      return one("layer", "u32");
    case spv::BuiltIn::ViewportIndex:
      return one("viewport", "u32");
    case spv::BuiltIn::PrimitiveId:
      return one("primitive", "u32");
    case spv::BuiltIn::ClipDistance:
    case spv::BuiltIn::CullDistance: {
      const bool clip = static_cast<spv::BuiltIn>(*v.builtin) == spv::BuiltIn::ClipDistance;
      if (!captures_ && !is_mentioned(t, v)) return;  // blocks declare distances that most shaders leave alone
      for (std::size_t k = 0; k < list.size() && k < 8; ++k)
        add(v, list[k], fmt::format("{} {} f32 smooth {}", clip ? "clip_distance" : "cull_distance", k, v.name));
      return;
    }
    case spv::BuiltIn::PrimitiveShadingRateKHR:
      return one("shading_rate", "u32");
    default:
      t.refuse(fmt::format("built-in output {} of '{}' is not supported", built_in_name(*v.builtin), v.name));
  }
}

std::vector<Part> RecordOutputs::declare(ShaderContext& t, const InterfaceVariable& v) {
  const std::string otherwise = v.builtin ? "built_in" : fmt::format("out{}", v.location.value_or(0));
  const std::vector<Part> list = output_storage(t, v.type, v.name.empty() ? otherwise : v.name);
  declared_.insert(declared_.end(), list.begin(), list.end());
  captures_ =
      v.capture.buffer && v.capture.offset && t.entry.has_mode(static_cast<std::uint32_t>(spv::ExecutionMode::Xfb));
  if (captures_) {
    next_captured_ = *v.capture.offset;
    OutputCapture& buffer = buffers_[*v.capture.buffer];
    buffer.stride = std::max(buffer.stride, v.capture.stride);
    buffer.stream = v.capture.stream;
  }
  if (v.builtin) {
    declare_builtin(t, v, list);
    return list;
  }
  const std::vector<InterfaceScalar> scalars = interface_scalars(t, v);
  std::vector<std::uint32_t> places;
  std::uint32_t next = next_captured_;
  if (captures_) add_places(t, v.type, next, places);
  for (std::size_t k = 0; k < list.size() && k < scalars.size(); ++k) {
    const InterfaceScalar& s = scalars[k];
    if (k < places.size()) next_captured_ = places[k];
    const auto line = [&](std::uint32_t component) {
      return fmt::format("{} {} {} {} {}", s.location, component, interface_type(s.carrier()),
                         s.wide() ? "flat" : v.qualifier, v.name);
    };
    if (s.wide()) {
      add(v, narrowed(list[k], isa::Type::UD, 0), line(s.component));
      add(v, narrowed(list[k], isa::Type::UD, 1), line(s.component + 1));
    } else if (isa::type_bytes(s.type) == 2) {
      add_short(v, list[k], line(s.component));
    } else {
      add(v, list[k], line(s.component));
    }
  }
  return list;
}

void RecordOutputs::describe(ShaderContext& t, std::uint32_t more) {
  surface_ = t.b.surface();
  t.b.interface_line(fmt::format("surface {} vertex_outputs {}", surface_, bytes() + more * 4));
  for (std::size_t k = 0; k < outputs_.size(); ++k)
    if (!outputs_[k].is_short) t.b.interface_line(fmt::format("output {} {}", k * 4, outputs_[k].line));
  for (const auto& [buffer, capture] : buffers_)
    t.b.interface_line(fmt::format("capture_buffer {} {} {}", buffer, capture.stride, capture.stream));
  for (std::size_t k = 0; k < outputs_.size(); ++k)
    if (outputs_[k].captured)
      t.b.interface_line(fmt::format("capture {} {} {}{}", outputs_[k].buffer, *outputs_[k].captured, k * 4,
                                     outputs_[k].is_short ? " short" : ""));
}

void RecordOutputs::forget(ShaderContext& t) const {
  std::string names;
  for (const Part& part : declared_)
    if (part.kind == Part::Kind::Variable) names += ' ' + t.b.name(part);
  if (!names.empty()) t.b.remark(fmt::format("{} {}{}", isa::kForgetRemark, t.b.simd(), names));
}

void RecordOutputs::write_dword(ShaderContext& t, const Part& base, const Part& data, const Guard& guard) const {
  for (const LaneRange& range : t.b.lane_ranges(16))
    t.b.instruction("scatter4_scaled.R", range,
                    {surface_, hexadecimal(isa::Type::UD, 0), t.b.raw(base, range), t.b.raw(data, range)}, guard);
}

/// An output as the dword of its record.
Part RecordOutputs::dword_of(ShaderContext& t, const Output& output) {
  Part data = output.part;
  if (data.kind == Part::Kind::Undefined) return ud(0);
  if (isa::type_bytes(data.type) < 4)
    data = carry_converted(t, data,
                           isa::is_float(data.type)    ? isa::Type::F
                           : isa::is_signed(data.type) ? isa::Type::D
                                                       : isa::Type::UD);
  if (data.kind == Part::Kind::Variable && data.stride != 1) carry(t, [&] { data = t.b.in_register(data, "data"); });
  return data;
}

void RecordOutputs::write(ShaderContext& t, const Part& base, const Guard& guard,
                          const std::optional<Part>& more) const {
  std::vector<Part> dwords;
  for (const Output& output : outputs_) dwords.push_back(dword_of(t, output).as(isa::Type::UD));
  if (more) dwords.push_back(*more);
  if (dwords.size() == 1) return write_dword(t, base, t.b.in_register(dwords[0], "data"), guard);
  // Four or two at a time: of those the fast engine makes plain stores. Where one or three are left, the dword before
  // them is written again.
  for (std::size_t k = 0; k < dwords.size();) {
    const std::size_t left = dwords.size() - k, count = left >= 4 || (left == 3 && k != 0) ? 4 : 2,
                      first = std::min(k, dwords.size() - count);
    const auto offset = static_cast<std::uint32_t>(first * 4);
    const auto from = dwords.begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<Part> data(from, from + static_cast<std::ptrdiff_t>(count));
    const Part address = offset == 0 ? base : t.b.make("add", isa::Type::UD, {base, ud(offset)}, "record");
    for (const LaneRange& range : t.b.lane_ranges(16)) {
      Part all;
      carry(t, [&] { all = t.memory.message_data(range, data); });
      t.b.instruction(
          count == 4 ? "scatter4_scaled.RGBA" : "scatter4_scaled.RG", range,
          {surface_, hexadecimal(isa::Type::UD, 0), t.b.raw(address, range), t.b.raw(all, {0, range.lanes})}, guard);
    }
    k = first + count;
  }
}

}  // namespace heddle::spirv::compiler
