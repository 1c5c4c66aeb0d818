// SPDX-License-Identifier: MIT
// Outputs of fragment shaders through RT_WRITE, and through a raw message where a target takes two colors.
// Rules: RTW-2, SPV-33.
#include "spirv/compile/stages/fragment_output.hpp"

#include <fmt/format.h>

#include <spirv/unified1/spirv.hpp11>

#include "isa/program.hpp"
#include "spirv/names.hpp"

namespace heddle::spirv::compiler {

namespace {

/// Render targets that a message can name.
constexpr std::size_t kMaxTargets = 8;

bool is_there(const CompileOptions& options, std::uint32_t location) {
  if (location == 0 && options.alpha_to_coverage) return true;
  return location >= 32 || (options.targets >> location & 1u) != 0;
}

bool given(const Part& part) { return part.kind != Part::Kind::Undefined; }

/// A color as messages take it: the bits of F. Narrow numbers are widened, integers are sent as they are.
Part color_of(ShaderContext& t, const Part& part) {
  if (!given(part)) return constant(isa::Type::F, 0);
  if (isa::type_bytes(part.type) == 4) return part.as(isa::Type::F);
  const isa::Type wide = isa::is_float(part.type)    ? isa::Type::F
                         : isa::is_signed(part.type) ? isa::Type::D
                                                     : isa::Type::UD;
  return carry_converted(t, part, wide).as(isa::Type::F);
}

VisaOperand raw(ShaderContext& t, const Part& part, const LaneRange& range) {
  Part p = part;
  if (p.kind != Part::Kind::Variable || p.stride != 1) p = t.b.copy(p, "color");
  return t.b.raw(p, range);
}

}  // namespace

std::vector<Part> FragmentOutputs::declare(ShaderContext& t, const InterfaceVariable& v) {
  if (v.builtin) {
    switch (static_cast<spv::BuiltIn>(*v.builtin)) {
      case spv::BuiltIn::FragDepth:
        depth_ = output_storage(t, v.type, "frag_depth")[0];
        return {depth_};
      case spv::BuiltIn::SampleMask: {  // an array; its first element has all samples that a target can have
        const std::vector<Part> words = output_storage(t, v.type, "sample_mask");
        mask_ = words[0];
        return words;
      }
      case spv::BuiltIn::FragStencilRefEXT:
        stencil_ = output_storage(t, v.type, "stencil_ref")[0];
        return {stencil_};
      default:
        t.refuse(fmt::format("built-in output {} of '{}' is not supported", built_in_name(*v.builtin), v.name));
        return {};
    }
  }
  const std::string name = v.name.empty() ? fmt::format("out{}", v.location.value_or(0)) : v.name;
  std::vector<Part> list = output_storage(t, v.type, name);
  const std::vector<InterfaceScalar> scalars = interface_scalars(t, v);
  for (std::size_t k = 0; k < list.size() && k < scalars.size(); ++k) {
    const InterfaceScalar& s = scalars[k];
    if (s.wide()) {
      t.refuse(fmt::format("output '{}': no target has components of 64 bits", v.name));
      return list;
    }
    if (!is_there(t.options, s.location)) continue;
    Target& target = targets_[s.location];
    if (target.surface.empty()) {
      if (targets_.size() > kMaxTargets) {
        t.refuse(fmt::format("output '{}': a fragment shader writes to at most {} color targets", v.name, kMaxTargets));
        return list;
      }
      target.surface = t.b.surface();
      const char* const numbers = isa::is_float(list[k].type) ? "" : "/integers";
      t.b.interface_line(fmt::format("surface {} target{} {} {}", target.surface, numbers, s.location, v.name));
    }
    target.dual = target.dual || v.index == 1;
    (v.index == 1 ? target.second : target.color)[s.component] = list[k];
  }
  return list;
}

bool FragmentOutputs::changes_tests() const { return given(depth_) || given(mask_) || given(stencil_); }

void FragmentOutputs::write(ShaderContext& t, bool per_sample) {
  if (targets_.empty()) {
    // Depth, coverage or discarding alone: one write to no color target.
    if (!given(depth_) && !given(mask_) && !given(stencil_) && !t.lanes.discarded() && !t.options.empty_write) return;
    Target none;
    none.surface = t.b.surface();
    t.b.interface_line(fmt::format("surface {} no_target", none.surface));
    targets_.emplace(0, none);
  }
  const bool dual = targets_.begin()->second.dual;
  if (dual && targets_.size() > 1) t.refuse("dual-source blending goes with one target");
  // With a stencil reference too: slots 8 to 15 alone have no message of their own (E13).
  for (const LaneRange& range : t.b.lane_ranges(dual ? 8 : 16)) {
    std::size_t number = 0;
    for (const auto& [location, target] : targets_) {
      if (dual)
        write_dual(t, target, range, per_sample);
      else
        write_one(t, target, number++, range, per_sample);
    }
  }
}

void FragmentOutputs::write_one(ShaderContext& t, const Target& target, std::size_t number, const LaneRange& range,
                                bool per_sample) {
  const bool header = targets_.size() > 1 || given(mask_) || per_sample;
  std::string flags;
  if (targets_.size() > 1) flags += "<RTI>";
  // Coverage comes from the alpha of location 0, whatever the other targets are written with (SPV-33).
  const auto& [lowest, source] = *targets_.begin();
  const Part& alpha = source.color[3];
  const bool with_alpha =
      t.options.alpha_to_coverage && number > 0 && lowest == 0 && given(alpha) && isa::is_float(alpha.type);
  if (with_alpha) flags += "<A>";
  if (given(mask_)) flags += "<O>";
  if (given(depth_)) flags += "<Z>";
  if (given(stencil_)) flags += "<ST>";
  if (per_sample) flags += "<PS>";
  if (number + 1 == targets_.size()) flags += "<LRTW>";
  const Guard guard = t.lanes.discarded() ? t.lanes.live() : Guard{};
  std::vector<VisaOperand> operands{target.surface};
  operands.push_back(header ? t.b.raw(t.b.element(t.fragment.subspans, range.start / 16 * 8), kOneLane)
                            : no_registers());
  if (targets_.size() > 1) operands.push_back(hexadecimal(isa::Type::UB, number));
  if (with_alpha) operands.push_back(raw(t, color_of(t, alpha), range));
  if (given(mask_))
    operands.push_back(t.b.raw(carry_converted(t, mask_.as(isa::Type::UD), isa::Type::UW, "sample_mask"), range));
  for (const Part& part : target.color) operands.push_back(raw(t, color_of(t, part), range));
  if (given(depth_)) operands.push_back(raw(t, depth_, range));
  if (given(stencil_))
    operands.push_back(t.b.raw(carry_converted(t, stencil_.as(isa::Type::UD), isa::Type::UB, "stencil_ref"), range));
  t.b.instruction(flags.empty() ? "rt_write_3d" : "rt_write_3d." + flags, range, operands, guard);
}

/// RT_WRITE has no second color; the raw message of eight slots does (RTW-2). Its header says which parts follow.
void FragmentOutputs::write_dual(ShaderContext& t, const Target& target, const LaneRange& range,
                                 bool per_sample) const {
  VisaWriter& b = t.b;
  if (b.grf() != 32) return t.refuse("dual-source blending on a platform without a message for it");
  constexpr unsigned kHeader = 2, kDwords = 8;  // registers; dwords of one
  const bool header = given(mask_) || given(depth_) || given(stencil_);
  const unsigned count =
      (header ? kHeader : 0) + 8 + (given(mask_) ? 1 : 0) + (given(depth_) ? 1 : 0) + (given(stencil_) ? 1 : 0);
  const Part message = b.array(isa::Type::UD, "message", count * kDwords);
  unsigned next = 0;
  const auto place = [&](isa::Type type) {
    Part to = message.as(type);
    to.stride = 1;
    to.offset = next++ * b.grf();
    return to;
  };
  const auto put = [&](const Part& part, isa::Type type) {
    b.instruction("mov", range, {b.destination(place(type), {0, range.lanes}), b.source(part, range)});
  };
  if (header) {
    const std::uint32_t parts =
        (given(mask_) ? 1u << 12 : 0) | (given(depth_) ? 1u << 13 : 0) | (given(stencil_) ? 1u << 14 : 0);
    constexpr LaneRange kRegister{0, kDwords};
    const VisaOperand m0 = b.destination(place(isa::Type::UD), kRegister),
                      m1 = b.destination(place(isa::Type::UD), kRegister);
    b.instruction("mov", kRegister, {m0, b.source(ud(0), kRegister)}, every_lane());
    b.instruction("or", kOneLane, {m0, thread_payload(0), hexadecimal(isa::Type::UD, parts)}, every_lane());
    Part positions = t.fragment.subspans;
    positions.stride = 1;
    positions.offset += range.start / 16 * 32;
    b.instruction("mov", kRegister, {m1, b.source(positions, kRegister)}, every_lane());
  }
  std::vector<Part> colors;
  for (const std::array<Part, 4>& source : {target.color, target.second})
    for (const Part& part : source) colors.push_back(color_of(t, part));
  carry(t, [&] {
    if (given(mask_)) put(mask_.as(isa::Type::UD), isa::Type::UW);
    for (const Part& part : colors) put(part, isa::Type::F);
    if (given(depth_)) put(depth_, isa::Type::F);
    if (given(stencil_)) put(stencil_.as(isa::Type::UD), isa::Type::UB);
  });
  const std::uint32_t index = static_cast<std::uint32_t>(std::stoul(target.surface.substr(1))) - isa::kFirstSurface;
  const std::uint32_t layout = range.start / 8 % 2 == 0 ? 2 : 3;  // slots 0 to 7, 8 to 15
  const std::uint32_t descriptor = count << 25 | (header ? 1u << 19 : 0) | 0xcu << 14 | (per_sample ? 1u << 13 : 0) |
                                   1u << 12 | (range.start >= 16 ? 1u << 11 : 0) | layout << 8 | index;
  b.instruction(fmt::format("raw_sends.5.{}.0.0", count), range,
                {hexadecimal(isa::Type::UD, 5), hexadecimal(isa::Type::UD, descriptor), b.raw(message, kOneLane),
                 no_registers(), no_registers()},
                t.lanes.discarded() ? t.lanes.live() : Guard{});
}

}  // namespace heddle::spirv::compiler
