// SPDX-License-Identifier: MIT
// OpImageGather, OpImageDrefGather: gather4 messages (GA-1 to GA-13). The order of the four texels is the same in both
// (GA-4).
// Rules: GA-2, GA-7, LOD-11, PKO-1, SPV-26, SPV-29.
#include <spirv/unified1/spirv.hpp11>

#include "spirv/compile/images/image.hpp"

namespace heddle::spirv::compiler::image {
namespace {

struct Gather {
  std::vector<Part> coordinates;  ///< u, v or a cube's direction
  Part array_index;               ///< Undefined: none
  bool compare = false;
  Part reference;
  const char* level = "";  ///< "_l" or "_b": another level than the first (LOD-11), named by
  Part lod;                ///< the level of detail or bias
};

/// Hardware without offsets for each lane (GA-2): no other message has the same texels.
bool has_no_offsets(const ShaderContext& t) {
  return t.b.platform() >= isa::Platform::XeHP_SDV && t.b.platform() < isa::Platform::XE2;
}
bool is_packed(const ShaderContext& t) { return t.b.platform() >= isa::Platform::XE2; }

/// Offsets for each lane: sample4_po, from XE2 on with packed offsets (GA-2, PKO-1).
SamplerMessage with_offsets(ShaderContext& t, const Gather& g, const Part& u, const Part& v) {
  VisaWriter& b = t.b;
  SamplerMessage m;
  if (*g.level != 0) t.refuse("a gather at another level of detail takes constant offsets from -8 to 7");
  if (has_no_offsets(t))
    t.refuse("texel offsets of a gather that are not constants from -8 to 7 are not supported on this platform");
  m.op = g.compare ? "sample4_po_c" : "sample4_po";
  if (g.compare) m.parameters.push_back(g.reference);
  m.parameters.insert(m.parameters.end(), g.coordinates.begin(), g.coordinates.end());
  const bool arrayed = g.array_index.kind != Part::Kind::Undefined;
  if (!is_packed(t)) {
    m.parameters.push_back(parameter(t, u, isa::Type::D, "offu"));
    m.parameters.push_back(parameter(t, v, isa::Type::D, "offv"));
    if (arrayed) m.parameters.push_back(g.array_index);
    return m;
  }
  const auto field = [&](const Part& offset, unsigned shift) {
    const Part low = b.make("and", isa::Type::UD, {parameter(t, offset, isa::Type::UD, "offset"), ud(63)}, "offset");
    return shift == 0 ? low : b.make("shl", isa::Type::UD, {low, ud(shift)}, "offset");
  };
  if (g.compare) {  // OFFUV_R: index 11:0, U 17:12, V 23:18
    Part packed = b.make("or", isa::Type::UD, {field(u, 12), field(v, 18)}, "offuv_r");
    if (arrayed) {
      const Part index =
          b.make("max", isa::Type::F, {b.make("rnde", isa::Type::F, {g.array_index}, "layer"), real(0)}, "layer");
      const Part bounded = b.make("min", isa::Type::F, {index, real(4095)}, "layer");
      packed = b.make("or", isa::Type::UD, {packed, b.convert(bounded, isa::Type::UD, "layer")}, "offuv_r");
    }
    m.parameters.push_back(packed);
  } else {  // OFFUV: U 5:0, V 11:6
    m.parameters.push_back(arrayed ? g.array_index : zeros(t, isa::Type::F));
    m.parameters.push_back(b.make("or", isa::Type::UD, {field(u, 0), field(v, 6)}, "offuv"));
  }
  return m;
}

SamplerMessage plain(const Gather& g, std::uint32_t offset) {
  SamplerMessage m;
  m.op = std::string("sample4") + g.level + (g.compare ? "_c" : "");
  m.offset = offset;
  if (g.compare) m.parameters.push_back(g.reference);
  if (*g.level != 0) m.parameters.push_back(g.lod);
  m.parameters.insert(m.parameters.end(), g.coordinates.begin(), g.coordinates.end());
  if (g.array_index.kind != Part::Kind::Undefined) m.parameters.push_back(g.array_index);
  return m;
}

/// Constant offsets stand in the message when they fit.
SamplerMessage with_offset(ShaderContext& t, const Gather& g, std::int32_t u, std::int32_t v) {
  const std::int32_t pair[] = {u, v};
  if (const auto word = immediate_offset(pair)) return plain(g, *word);
  return with_offsets(t, g, constant(isa::Type::D, static_cast<std::uint32_t>(u)),
                      constant(isa::Type::D, static_cast<std::uint32_t>(v)));
}

}  // namespace

void gather(ShaderContext& t) {
  const auto opcode = static_cast<spv::Op>(t.at->opcode);
  Gather g;
  g.compare = opcode == spv::Op::OpImageDrefGather || opcode == spv::Op::OpImageSparseDrefGather;
  const bool sparse = opcode == spv::Op::OpImageSparseGather || opcode == spv::Op::OpImageSparseDrefGather;
  const auto image = image_of(t, t.operand(0));
  const auto operands = read_operands(t, 3);
  if (!image || !operands) return;
  if (image->axes < 2 || (image->axes == 3 && !image->cube()))
    return t.refuse("only 2D and cube images are gathered from");
  if (operands->bias != 0 || operands->lod != 0) {
    if (t.b.platform() < isa::Platform::XE2) return t.refuse("gathers at another level of detail came with XE2");
    if (g.compare && operands->bias != 0) return t.refuse("no gather compares and takes a bias");
    g.level = operands->bias != 0 ? "_b" : "_l";
    g.lod = parameter(t, t.values.part(operands->bias != 0 ? operands->bias : operands->lod), isa::Type::F, "lod");
  }
  if (image->cube() && (operands->const_offset | operands->offset | operands->const_offsets) != 0)
    return t.refuse("cube images take no texel offset");
  const std::uint32_t coordinate = t.operand(1);
  for (unsigned c = 0; c < image->axes; ++c)
    g.coordinates.push_back(parameter(t, t.values.part(coordinate, c), isa::Type::F, "coordinate"));
  if (image->info.arrayed) g.array_index = parameter(t, t.values.part(coordinate, image->axes), isa::Type::F, "layer");
  std::uint64_t component = 0;
  if (g.compare) {
    g.reference = parameter(t, t.values.part(t.operand(2)), isa::Type::F, "reference");
  } else {
    const auto value = t.values.integer(t.operand(2));
    if (!value || *value > 3) return t.refuse("the component of a gather must be a constant from 0 to 3");
    component = *value;
  }
  const std::vector<GuardedImage> targets = guarded_images(t, image->handle, true);
  const Result result = result_of(t, sparse);
  const isa::Type type = g.compare ? isa::Type::F : image->info.texel;
  constexpr unsigned kTexels = 4;  // GA-7
  const auto send_gather = [&](SamplerMessage m) {
    m.channels = std::string("RGBA").substr(component, 1);
    return send(t, targets, m, kTexels, type, sparse);
  };

  if (operands->const_offsets == 0) {
    const std::uint32_t id = operands->const_offset != 0 ? operands->const_offset : operands->offset;
    if (id == 0) return finish(t, result, send_gather(plain(g, 0)));
    const auto offsets = constant_vector(t, id);
    if (offsets && offsets->size() == 2)
      return finish(t, result, send_gather(with_offset(t, g, (*offsets)[0], (*offsets)[1])));
    return finish(t, result, send_gather(with_offsets(t, g, t.values.part(id, 0), t.values.part(id, 1))));
  }
  // Four gathers; each contributes its upper left texel (i0, j0), which is the last channel.
  std::vector<Part> parts;
  Part residency;
  for (unsigned k = 0; k < kTexels; ++k) {
    const Part u = t.values.part(operands->const_offsets, 2 * k), v = t.values.part(operands->const_offsets, 2 * k + 1);
    const bool fixed = u.constant() && v.constant();
    const std::vector<Part> texels =
        send_gather(fixed ? with_offset(t, g, static_cast<std::int32_t>(u.bits), static_cast<std::int32_t>(v.bits))
                          : with_offsets(t, g, u, v));
    parts.push_back(texels[3]);
    if (sparse) residency = k == 0 ? texels[4] : t.b.make("and", isa::Type::UD, {residency, texels[4]}, "residency");
  }
  if (sparse) parts.push_back(residency);
  finish(t, result, std::move(parts));
}

}  // namespace heddle::spirv::compiler::image
