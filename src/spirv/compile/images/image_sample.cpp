// SPDX-License-Identifier: MIT
// OpImageSample*: 3D_SAMPLE messages (SAM-1), and the query of the level of detail.
// Rules: CRD-5, LOD-9, NUM-73, PKO-1, SAM-7, SPV-23 to SPV-25, SPV-28, SPV-29, SPV-53, SUR-4.
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

/// ConstOffset, or Offset that turns out to be constant and fits the message, or offsets of the lanes; false: refused.
bool read_offsets(ShaderContext& t, const Image& image, const Operands& o, Sampling& s) {
  const std::uint32_t id = o.const_offset != 0 ? o.const_offset : o.offset;
  if (id == 0) return true;
  if (image.cube()) return t.refuse("cube images take no texel offset"), false;
  if (const auto offsets = constant_vector(t, id)) {
    const auto word = immediate_offset(*offsets);
    if (!word) return t.refuse("a sample's texel offset lies outside -8 to 7"), false;
    s.offset = *word;
    return true;
  }
  if (t.b.platform() < isa::Platform::XE2) {
    if (t.options.portable)
      return t.refuse("a sample's texel offset must be constant: messages have one for all lanes before XE2"), false;
    t.uses_extension = true;
    t.b.kernel_attribute("HeddleLaneOffsets");
  }
  for (unsigned axis = 0; axis < image.axes; ++axis)
    s.offsets.push_back(parameter(t, t.values.part(id, axis), isa::Type::D, "offset"));
  return true;
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

constexpr std::string_view kForms[] = {"", "_b", "_l", "_d"};

SamplerMessage with_one_offset(SampleForm form, const Sampling& s, const Part& lod) {
  SamplerMessage m;
  m.offset = s.offset;
  m.op = form == SampleForm::Implicit && !s.compare
             ? "sample_3d"
             : fmt::format("sample{}{}", kForms[static_cast<std::size_t>(form)], s.compare ? "_c" : "");
  m.parameters = parameters_of(s, lod, form == SampleForm::Gradients);
  return m;
}

/// PKO-1: the offsets from bit `shift` on, four bits each.
Part packed_offsets(ShaderContext& t, const Sampling& s, unsigned shift) {
  VisaWriter& b = t.b;
  Part packed = ud(0);
  for (std::size_t axis = 0; axis < s.offsets.size(); ++axis) {
    const Part low = b.make("and", isa::Type::UD, {s.offsets[axis].as(isa::Type::UD), ud(15)}, "offset");
    const unsigned to = shift + 4 * static_cast<unsigned>(axis);
    const Part field = to == 0 ? low : b.make("shl", isa::Type::UD, {low, ud(to)}, "offset");
    packed = packed.constant() ? field : b.make("or", isa::Type::UD, {packed, field}, "offsets");
  }
  return packed;
}

/// PKO-1, NUM-73: a bias or level of detail, a multiple of 1/256, in the bits above the offsets.
Part packed_lod(ShaderContext& t, const Sampling& s, const Part& lod) {
  VisaWriter& b = t.b;
  const Part low = b.make("max", isa::Type::F, {lod, real(-64)}, "lod");
  const Part both = b.make("min", isa::Type::F, {low, real(64)}, "lod");
  const Part scaled = b.make("mul", isa::Type::F, {both, real(256)}, "lod");
  const Part rounded = b.make("rnde", isa::Type::F, {scaled}, "lod");
  const Part number = b.make("mul", isa::Type::F, {rounded, real(1.0f / 256)}, "lod");
  const Part high = b.make("and", isa::Type::UD, {number.as(isa::Type::UD), ud(0xfffff000)}, "lod");
  return b.make("or", isa::Type::UD, {high, packed_offsets(t, s, 0)}, "lod_offsets");
}

/// PKO-1: the array index, rounded and clamped, below the offsets.
Part packed_index(ShaderContext& t, const Sampling& s) {
  VisaWriter& b = t.b;
  const Part offsets = packed_offsets(t, s, 12);
  if (s.array_index.kind == Part::Kind::Undefined) return offsets;
  const Part index =
      b.make("max", isa::Type::F, {b.make("rnde", isa::Type::F, {s.array_index}, "layer"), real(0)}, "layer");
  const Part bounded = b.make("min", isa::Type::F, {index, real(4095)}, "layer");
  return b.make("or", isa::Type::UD, {offsets, b.convert(bounded, isa::Type::UD, "layer")}, "offsets_layer");
}

/// SPV-53: the forms of XE2, whose operands have places of their own for axes that an image lacks.
SamplerMessage with_lane_offsets(ShaderContext& t, SampleForm form, const Sampling& s, const Part& lod) {
  SamplerMessage m;
  m.op = fmt::format("sample_po{}{}", kForms[static_cast<std::size_t>(form)], s.compare ? "_c" : "");
  std::vector<Part>& list = m.parameters;
  if (s.compare) list.push_back(s.reference);
  if (form == SampleForm::Bias || form == SampleForm::Lod) list.push_back(packed_lod(t, s, lod));
  const bool gradients = form == SampleForm::Gradients,
             in_word = gradients || (form == SampleForm::Implicit && s.compare);
  constexpr std::size_t kFlat = 2;
  for (std::size_t axis = 0; axis < std::max(kFlat, s.direction.size()); ++axis) {
    if (axis == kFlat && in_word) list.push_back(packed_index(t, s));
    // The index of a layer of 1D is v in every form, of 2D only where no word has it.
    const bool there = axis < s.direction.size(), flat = s.direction.size() == 1,
               indexed = s.array_index.kind != Part::Kind::Undefined && (flat || !in_word);
    list.push_back(there ? s.direction[axis] : indexed ? s.array_index : zeros(t, isa::Type::F));
    if (!gradients || axis >= kFlat) continue;
    list.push_back(there ? s.dx[axis] : zeros(t, isa::Type::F));
    list.push_back(there ? s.dy[axis] : zeros(t, isa::Type::F));
  }
  if (in_word) {
    if (s.direction.size() <= kFlat) list.push_back(packed_index(t, s));
    return m;
  }
  if (s.direction.size() == kFlat && s.array_index.kind != Part::Kind::Undefined) list.push_back(s.array_index);
  if (form != SampleForm::Implicit) return m;
  if (list.size() == kFlat) list.push_back(zeros(t, isa::Type::F));
  list.push_back(packed_offsets(t, s, 0));
  return m;
}

}  // namespace

SamplerMessage message_of(ShaderContext& t, SampleForm form, const Sampling& s, const Part& lod) {
  return s.offsets.empty() ? with_one_offset(form, s, lod) : with_lane_offsets(t, form, s, lod);
}

namespace {

/// The message for these coordinates, whatever level of detail is the least.
SamplerMessage message_for(ShaderContext& t, const Image& image, std::span<const GuardedImage> targets,
                           const Sampling& s) {
  // LOD-9: a sampler's bias counts here as it does in Vulkan; the shorter sample_lz would leave it out.
  if (s.lod.kind != Part::Kind::Undefined)
    return message_of(t, SampleForm::Lod, s, parameter(t, s.lod, isa::Type::F, "lod"));
  // No message has gradients of three axes and offsets of lanes.
  if (!s.dx.empty() && s.direction.size() > 2 && !s.offsets.empty())
    return message_of(t, SampleForm::Lod, s, lod_of_gradients(t, image, targets, s));
  if (!s.dx.empty()) return message_of(t, SampleForm::Gradients, s, {});
  return message_of(t, s.bias.kind != Part::Kind::Undefined ? SampleForm::Bias : SampleForm::Implicit, s, s.bias);
}

}  // namespace

void sample(ShaderContext& t) {
  const Form form = form_of(t.at->opcode);
  const auto image = image_of(t, t.operand(0));
  const auto operands = read_operands(t, form.reference ? 3 : 2);
  if (!image || !operands) return;
  if (image->buffer() || image->subpass() || image->info.multisampled)
    return t.refuse("images of this kind are fetched from, not sampled");
  VisaWriter& b = t.b;

  Sampling s;
  if (!read_offsets(t, *image, *operands, s)) return;
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
  const auto message = [&](const Sampling& at) { return message_for(t, *image, targets, at); };
  if (const SampledPlanes* planes = planes_of(t, *image))
    return finish(t, result, sample_planes(t, *image, *planes, targets, s, message, form.sparse));
  std::vector<SamplerMessage> messages;
  if (operands->min_lod != 0)
    messages = with_min_lod(t, *image, targets, s, t.values.part(operands->min_lod));
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
