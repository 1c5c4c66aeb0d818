// SPDX-License-Identifier: MIT
// OpImageSample*: 3D_SAMPLE messages (SAM-1), and the query of the level of detail.
// Rules: CRD-5, LOD-9, SAM-7, SPV-23 to SPV-25, SPV-28, SPV-29, SUR-4.
#include <fmt/format.h>

#include <spirv/unified1/spirv.hpp11>

#include "spirv/compile/images/image.hpp"
#include "spirv/compile/operations/operations.hpp"

namespace heddle::spirv::compiler::image {
namespace {

struct Form {
  bool sparse = false, reference = false, projective = false;
};

Form form_of(std::uint16_t opcode) {
  using enum spv::Op;
  switch (static_cast<spv::Op>(opcode)) {
    case OpImageSampleDrefImplicitLod:
    case OpImageSampleDrefExplicitLod:
      return {false, true, false};
    case OpImageSampleProjImplicitLod:
    case OpImageSampleProjExplicitLod:
      return {false, false, true};
    case OpImageSampleProjDrefImplicitLod:
    case OpImageSampleProjDrefExplicitLod:
      return {false, true, true};
    case OpImageSparseSampleImplicitLod:
    case OpImageSparseSampleExplicitLod:
      return {true, false, false};
    case OpImageSparseSampleDrefImplicitLod:
    case OpImageSparseSampleDrefExplicitLod:
      return {true, true, false};
    default:
      return {};
  }
}

std::vector<Part> floats(ShaderContext& t, std::uint32_t id, unsigned first, unsigned count, std::string_view hint) {
  std::vector<Part> list;
  for (unsigned c = first; c < first + count; ++c)
    list.push_back(parameter(t, t.values.part(id, c), isa::Type::F, hint));
  return list;
}

/// ConstOffset, or Offset that turns out to be constant; nothing after a refusal.
std::optional<std::uint32_t> offset_of(ShaderContext& t, const Image& image, const Operands& o) {
  const std::uint32_t id = o.const_offset != 0 ? o.const_offset : o.offset;
  if (id == 0) return 0;
  if (image.cube()) {
    t.refuse("cube images take no texel offset");
    return std::nullopt;
  }
  const auto offsets = constant_vector(t, id);
  if (!offsets) {
    t.refuse("a sample's texel offset must be constant: the message has one for all lanes");
    return std::nullopt;
  }
  const auto word = immediate_offset(*offsets);
  if (!word) t.refuse("a sample's texel offset lies outside -8 to 7");
  return word;
}

}  // namespace

std::vector<Part> parameters_of(const Sampling& s, const Part& lod, bool gradients) {
  std::vector<Part> list;
  if (s.compare) list.push_back(s.reference);
  if (lod.kind != Part::Kind::Undefined) list.push_back(lod);
  for (std::size_t axis = 0; axis < s.direction.size(); ++axis) {
    list.push_back(s.direction[axis]);
    if (!gradients) continue;
    list.push_back(s.dx[axis]);
    list.push_back(s.dy[axis]);
  }
  if (s.array_index.kind != Part::Kind::Undefined) list.push_back(s.array_index);  // CRD-5: v, r or ai
  return list;
}

namespace {

/// The message for these coordinates, whatever level of detail is the least.
SamplerMessage message_for(ShaderContext& t, const Operands& operands, const Sampling& s, std::uint32_t offset) {
  SamplerMessage m;
  m.offset = offset;
  const std::string compare = s.compare ? "_c" : "";
  if (operands.lod != 0) {
    // LOD-9: a sampler's bias counts here as it does in Vulkan; the shorter sample_lz would leave it out.
    m.op = "sample_l" + compare;
    m.parameters = parameters_of(s, parameter(t, t.values.part(operands.lod), isa::Type::F, "lod"), false);
  } else if (operands.dx != 0) {
    m.op = "sample_d" + compare;
    m.parameters = parameters_of(s, {}, true);
  } else if (operands.bias != 0) {
    m.op = "sample_b" + compare;
    m.parameters = parameters_of(s, s.bias, false);
  } else {
    m.op = s.compare ? "sample_c" : "sample_3d";
    m.parameters = parameters_of(s, {}, false);
  }
  return m;
}

}  // namespace

void sample(ShaderContext& t) {
  const Form form = form_of(t.at->opcode);
  const auto image = image_of(t, t.operand(0));
  const auto operands = read_operands(t, form.reference ? 3 : 2);
  if (!image || !operands) return;
  const auto offset = offset_of(t, *image, *operands);
  if (!offset) return;
  if (image->buffer() || image->subpass() || image->info.multisampled)
    return t.refuse("images of this kind are fetched from, not sampled");
  VisaWriter& b = t.b;

  Sampling s;
  s.compare = form.reference;
  const std::uint32_t coordinate = t.operand(1);
  s.direction = floats(t, coordinate, 0, image->axes, "coordinate");
  if (s.compare) s.reference = parameter(t, t.values.part(t.operand(2)), isa::Type::F, "reference");
  if (form.projective) {
    // Vulkan: coordinates and reference are divided by the last component before anything else.
    const Part q = parameter(t, t.values.part(coordinate, image->axes), isa::Type::F, "q");
    for (Part& part : s.direction) part = b.make("div", isa::Type::F, {part, q}, "projected");
    if (s.compare) s.reference = b.make("div", isa::Type::F, {s.reference, q}, "reference");
  } else if (image->info.arrayed) {
    s.array_index = parameter(t, t.values.part(coordinate, image->axes), isa::Type::F,
                              "layer");  // rounded and clamped by the unit (SUR-4)
  }
  if (operands->dx != 0) {
    s.dx = floats(t, operands->dx, 0, image->axes, "dx");
    s.dy = floats(t, operands->dy, 0, image->axes, "dy");
  }
  if (operands->lod == 0 && operands->dx == 0) mark_quads(t);
  if (operands->bias != 0) s.bias = parameter(t, t.values.part(operands->bias), isa::Type::F, "bias");

  if (operands->lod != 0) s.lod = t.values.part(operands->lod);
  const std::vector<GuardedImage> targets = guarded_images(t, image->handle, true);
  const Result result = result_of(t, form.sparse);
  const auto message = [&](const Sampling& at) { return message_for(t, *operands, at, *offset); };
  if (const SampledPlanes* planes = planes_of(t, *image))
    return finish(t, result, sample_planes(t, *image, *planes, targets, s, message, form.sparse));
  std::vector<SamplerMessage> messages;
  if (operands->min_lod != 0)
    messages = with_min_lod(t, *image, targets, s, t.values.part(operands->min_lod), *offset);
  else
    messages.push_back(message(s));
  const auto channels = static_cast<unsigned>(std::min<std::size_t>(result.types.size(), 4));
  for (SamplerMessage& m : messages) m.channels = std::string("RGBA").substr(0, channels);
  finish(t, result, send(t, targets, messages, channels, s.compare ? isa::Type::F : image->info.texel, form.sparse));
}

/// R: the level that a sample would use; G: the level of detail before clamping (SAM-7). No text of GenX_IR 12504 names
/// the operation; its binary reader takes it.
void query_lod(ShaderContext& t) {
  const auto image = image_of(t, t.operand(0));
  if (!image) return;
  SamplerMessage m;
  mark_quads(t);
  m.op = "lod";
  m.channels = "RG";
  m.parameters = floats(t, t.operand(1), 0, image->axes, "coordinate");
  finish(t, result_of(t, false), send(t, guarded_images(t, image->handle, true), m, 2, isa::Type::F, false));
}

}  // namespace heddle::spirv::compiler::image
