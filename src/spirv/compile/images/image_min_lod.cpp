// SPDX-License-Identifier: MIT
// MinLod. The texture unit has it as a parameter from XE2 on, and then not beside a bias or gradients. Elsewhere it is
// made of the query of the level of detail and of samples whose level of detail is raised:
//   G = lod query (implicit level of detail and the sampler's bias, a multiple of 1/256), m = min_lod in multiples of
//   1/256 (NUM-70) implicit: sample_b with a bias of max(lane bias, m - G); where that is more than a bias can be (16,
//   NUM-73), as where derivatives are
//             0, sample_l with m less the sampler's bias
//   gradients: sample_d where their level of detail is at least m, elsewhere sample_l with m less the sampler's bias
// Levels and their weights are exactly those of a sampler whose minimum is raised. Two things differ. sample_l takes
// one probe (FLT-6), so anisotropic samplers blur less in directions where gradients were raised that way. A sampler
// without mip filter stays at its level.

#include <array>

#include "spirv/compile/arithmetic/scalar.hpp"
#include "spirv/compile/images/image.hpp"

namespace heddle::spirv::compiler::image {
namespace {

/// Multiples of 1/256, clamped as sampler state is (NUM-70).
Part quantized(ShaderContext& t, const Part& lod) {
  VisaWriter& b = t.b;
  const Part low = b.make("max", isa::Type::F, {parameter(t, lod, isa::Type::F, "min_lod"), real(0)}, "min_lod");
  const Part both = b.make("min", isa::Type::F, {low, real(15.99609375f)}, "min_lod");
  const Part scaled = b.make("mul", isa::Type::F, {both, real(256)}, "min_lod");
  const Part rounded = b.make("rnde", isa::Type::F, {scaled}, "min_lod");
  return b.make("mul", isa::Type::F, {rounded, real(1.0f / 256)}, "min_lod");
}

/// The level of detail before clamping.
Part unclamped(ShaderContext& t, std::span<const GuardedImage> targets, std::vector<Part> coordinates) {
  SamplerMessage m;
  m.op = "lod";
  m.channels = "G";
  m.parameters = std::move(coordinates);
  return send(t, targets, m, 1, isa::Type::F, false)[0];
}

Guard every_lane_of(const Part& predicate) { return {predicate, false, true}; }

/// Predicates of the lanes at each place of a quad (EXE-4), for all lanes whether active or not: the unit reads
/// coordinates of quads regardless of the mask (EXE-5).
std::array<Part, 4> quad_places(ShaderContext& t) {
  VisaWriter& b = t.b;
  const Part place = b.lanes(isa::Type::UD, "place");
  b.op("and", place, {b.lane_numbers(), ud(3)}, every_lane());
  std::array<Part, 4> predicates;
  for (unsigned k = 0; k < 4; ++k) {
    predicates[k] = b.predicate("place");
    b.op("cmp.eq", predicates[k], {place, ud(k)}, every_lane());
  }
  return predicates;
}

/// The sampler's own bias: the level of detail of quads whose coordinates are one texel apart is the bias alone. Done
/// for each target, as sizes differ, and for all lanes up to the query, as the one that holds the step may be inactive.
Part sampler_bias(ShaderContext& t, const Image& image, std::span<const GuardedImage> targets,
                  const std::array<Part, 4>& places) {
  VisaWriter& b = t.b;
  constexpr unsigned kInfoLanes = 16;
  const auto filled = [&](isa::Type type, const Part& value, std::string_view hint) {
    const Part p = b.lanes(type, hint);
    b.op("mov", p, {value}, every_lane());
    return p;
  };
  const Part level = filled(isa::Type::UD, ud(0), "level"), zero = filled(isa::Type::F, real(0), "zero");
  const Part one = image.axes > 2 ? filled(isa::Type::F, real(1), "one") : zero;
  const Part bias = b.lanes(isa::Type::F, "sampler_bias");
  for (const GuardedImage& target : targets) {
    const Part width = b.lanes(isa::Type::UD, "width");
    for (const LaneRange& range : b.lane_ranges(kInfoLanes))
      b.instruction("resinfo.R", range, {target.surface, raw(t, level, range), b.raw(width, range)}, every_lane());
    const Part texel = filled(isa::Type::F, width, "texel");
    b.op("inv", texel, {texel}, every_lane());
    // A face's s is half of u / m (CUB-1).
    if (image.cube()) b.op("add", texel, {texel, texel}, every_lane());
    const Part u = filled(isa::Type::F, real(0), "u");
    b.op("mov", u, {texel}, every_lane_of(places[1]));
    std::vector<Part> coordinates{u};
    if (image.axes > 1) coordinates.push_back(zero);
    if (image.axes > 2) coordinates.push_back(one);
    const GuardedImage alone{target.surface, target.sampler, {}};
    const Part lod = unclamped(t, {&alone, 1}, std::move(coordinates));
    if (targets.size() == 1) return lod;
    b.move(bias, lod, target.guard);
  }
  return bias;
}

/// The level of detail of each lane's own gradients: for each place in the quad, a quad whose differences are that
/// lane's gradients; its lower right lane has that lane's direction, which counts on cubes (LOD-3).
Part gradient_lod(ShaderContext& t, std::span<const GuardedImage> targets, const Sampling& s,
                  const std::array<Part, 4>& places) {
  VisaWriter& b = t.b;
  const Part result = b.lanes(isa::Type::F, "gradient_lod");
  b.move(result, real(0));
  constexpr RegionShape kQuads{4, 4, 0};  // one lane of each quad, for all four
  for (unsigned k = 0; k < 4; ++k) {
    std::vector<Part> coordinates;
    for (std::size_t axis = 0; axis < s.direction.size(); ++axis) {
      const Part c = b.lanes(isa::Type::F, "quad");
      b.op("mov", c, {real(0)}, every_lane());
      const Part* const from[] = {&s.dx[axis], &s.dy[axis], &s.direction[axis]};
      for (const LaneRange& range : b.lane_ranges())
        for (unsigned place = 1; place < 4; ++place)
          b.instruction("mov", range, {b.destination(c, range), b.region(*from[place - 1], range.start + k, kQuads)},
                        every_lane_of(places[place]));
      coordinates.push_back(c);
    }
    for (const GuardedImage& target : targets) {
      const Guard lanes = both(t.b, target.guard, {places[k], false, false});
      for (const LaneRange& range : b.lane_ranges()) {
        const unsigned step = (range.lanes * 4 + b.grf() - 1) / b.grf() * b.grf();
        const Part reply = b.array(isa::Type::F, "quad_lod", step / 4);
        std::vector<VisaOperand> operands{hexadecimal(isa::Type::UW, 0), target.sampler, target.surface,
                                          b.raw(reply, {0, range.lanes})};
        for (const Part& c : coordinates) operands.push_back(raw(t, c, range));
        b.instruction("lod.G", range, operands, every_lane());
        b.instruction("mov", range, {b.destination(result, range), b.region(reply, 3, kQuads)}, lanes);
      }
    }
  }
  return result;
}

}  // namespace

Part level_of_detail(ShaderContext& t, std::span<const GuardedImage> targets, const Sampling& s) {
  return s.dx.empty() ? unclamped(t, targets, s.direction) : gradient_lod(t, targets, s, quad_places(t));
}

Part lod_of_gradients(ShaderContext& t, const Image& image, std::span<const GuardedImage> targets, const Sampling& s) {
  const std::array<Part, 4> places = quad_places(t);
  const Part bias = sampler_bias(t, image, targets, places);
  return t.b.make("add", isa::Type::F, {gradient_lod(t, targets, s, places), negated(bias)}, "lod");
}

std::vector<SamplerMessage> with_min_lod(ShaderContext& t, const Image& image, std::span<const GuardedImage> targets,
                                         const Sampling& s, const Part& min_lod) {
  VisaWriter& b = t.b;
  const bool gradients = !s.dx.empty(), biased = s.bias.kind != Part::Kind::Undefined;
  if (b.platform() >= isa::Platform::XE2 && !gradients && !biased && s.offsets.empty()) {
    SamplerMessage m;
    m.offset = s.offset;
    m.op = s.compare ? "sample_c_mlod" : "sample_mlod";
    m.parameters = parameters_of(s, {}, false);
    m.parameters.insert(m.parameters.begin(), parameter(t, min_lod, isa::Type::F, "min_lod"));
    return {m};
  }
  const Part least = quantized(t, min_lod);
  const std::array<Part, 4> places = quad_places(t);
  const Part bias = sampler_bias(t, image, targets, places);
  const auto without_bias = [&](const Part& lod) { return b.make("add", isa::Type::F, {lod, negated(bias)}, "lod"); };
  if (gradients && !s.offsets.empty() && s.direction.size() > 2) {  // no message has both
    const Part raised = b.make("max", isa::Type::F, {gradient_lod(t, targets, s, places), least}, "lod");
    return {message_of(t, SampleForm::Lod, s, without_bias(raised))};
  }
  const Part explicit_lod = without_bias(least);
  SamplerMessage second = message_of(t, SampleForm::Lod, s, explicit_lod);
  if (gradients) {
    const Part own = gradient_lod(t, targets, s, places);
    second.guard.predicate = b.compare("lt", own, least, "too_fine");
    return {message_of(t, SampleForm::Gradients, s, {}), second};
  }
  const Part own = unclamped(t, targets, s.direction);
  const Part missing = b.make("add", isa::Type::F, {least, negated(own)}, "missing");
  const Part raised = b.make("max", isa::Type::F, {missing, biased ? s.bias : real(0)}, "bias");
  second.guard.predicate = b.compare("gt", missing, real(16), "far_too_fine");
  return {message_of(t, SampleForm::Bias, s, raised), second};
}

}  // namespace heddle::spirv::compiler::image
