// SPDX-License-Identifier: MIT
// OpImageSampleFootprintNV: Heddle's own instruction, or with `portable` plain vISA of the same answers.
// Rules: EXE-5, SPV-30.
#include <fmt/format.h>

#include <spirv/unified1/spirv.hpp11>

#include "spirv/compile/images/image.hpp"
#include "spirv/compile/images/portable_footprint.hpp"
#include "spirv/compile/operations/operations.hpp"

namespace heddle::spirv::compiler {
namespace {

namespace extension = instructions::footprint;
using image::GuardedImage;
using isa::Type;

/// A raw operand with the values of all lanes, active or not: derivatives read their neighbors (EXE-5).
Part everywhere(ShaderContext& t, const Part& part, Type type, std::string_view hint) {
  if (part.kind == Part::Kind::Variable && part.stride == 1 && part.offset % t.b.grf() == 0 && part.type == type)
    return part;
  const Part all = t.b.lanes(type, hint);
  t.b.move(all, part, {{}, false, true});
  return all;
}

/// An operand as binary32 (or another type), whatever width the module has it in.
Part operand_as(ShaderContext& t, std::uint32_t id, unsigned component, Type type) {
  const Part part = t.values.part(id, component);
  if (isa::type_bytes(part.type) == isa::type_bytes(type)) return part.as(type);
  return everywhere(t, part.constant() ? t.b.copy(part) : part, type, "operand");
}

std::optional<FootprintOperands> read(ShaderContext& t) {
  const std::optional<image::Image> sampled = image::image_of(t, t.operand(0));
  const std::optional<image::Operands> more = image::read_operands(t, 4);
  if (!sampled || !more) return std::nullopt;
  FootprintOperands q;
  q.shape.dim = sampled->info.dim == static_cast<std::uint32_t>(spv::Dim::Dim3D) ? 3 : 2;
  q.shape.mode = t.options.lenient ? extension::Mode::Lenient : extension::Mode::Strict;
  q.integer_texels = sampled->info.texel != Type::F && sampled->info.texel != Type::HF;
  for (unsigned k = 0; k < q.shape.dim; ++k) q.coordinate[k] = operand_as(t, t.operand(1), k, Type::F);
  q.granularity = operand_as(t, t.operand(2), 0, Type::UD);
  q.coarse = t.values.part(t.operand(3));
  if (more->bias != 0) {
    q.shape.bias = true;
    q.bias = operand_as(t, more->bias, 0, Type::F);
  }
  if (more->min_lod != 0) {
    q.shape.min_lod = true;
    q.min_lod = operand_as(t, more->min_lod, 0, Type::F);
  }
  if (const std::uint32_t offset = more->const_offset != 0 ? more->const_offset : more->offset; offset != 0) {
    q.shape.offset = true;
    for (unsigned k = 0; k < q.shape.dim; ++k) q.offset[k] = operand_as(t, offset, k, Type::D);
  }
  if (more->lod != 0) {
    q.shape.source = extension::Source::Lod;
    q.lod = operand_as(t, more->lod, 0, Type::F);
  } else if (more->dx != 0) {
    q.shape.source = extension::Source::Grad;
    for (unsigned k = 0; k < q.shape.dim; ++k) {
      q.dx[k] = operand_as(t, more->dx, k, Type::F);
      q.dy[k] = operand_as(t, more->dy, k, Type::F);
    }
  } else if (!has_derivatives(t.entry)) {  // lenient only: LOD 0, as front ends write it
    q.shape.source = extension::Source::Lod;
    q.lod = real(0);
  } else {
    mark_quads(t);
  }
  return q;
}

/// heddle_footprint for one surface and sampler.
std::vector<Part> message(ShaderContext& t, const FootprintOperands& q, const GuardedImage& target) {
  using extension::Parameter;
  VisaWriter& b = t.b;
  t.uses_extension = true;
  std::string op = fmt::format("heddle_footprint.{}d", q.shape.dim);
  op += q.shape.source == extension::Source::Lod    ? ".lod"
        : q.shape.source == extension::Source::Grad ? ".grad"
                                                    : ".implicit";
  if (q.shape.bias) op += ".bias";
  if (q.shape.min_lod) op += ".minlod";
  if (q.shape.offset) op += ".offset";
  if (q.shape.mode == extension::Mode::Lenient) op += ".lenient";

  std::vector<Part> parameters;  // Undefined: %null
  const extension::ParameterList list = extension::parameters_of(q.shape);
  for (unsigned i = 0; i < list.count; ++i) {
    const Parameter p = list.at[i];
    Part part;
    if (p == Parameter::Granularity) part = q.granularity;
    if (p == Parameter::Coarse && !q.coarse.constant()) part = b.to_mask(q.coarse, "coarse").as(Type::UD);
    if (p == Parameter::Coarse && q.coarse.constant() && q.coarse.bits != 0) part = ud(1);
    if (p == Parameter::Lod) part = q.lod;
    if (p == Parameter::Bias) part = q.bias;
    if (p == Parameter::Mlod) part = q.min_lod;
    constexpr Parameter kAxes[3] = {Parameter::U, Parameter::V, Parameter::R};
    constexpr Parameter kDx[3] = {Parameter::DuDx, Parameter::DvDx, Parameter::DrDx};
    constexpr Parameter kDy[3] = {Parameter::DuDy, Parameter::DvDy, Parameter::DrDy};
    constexpr Parameter kOffset[3] = {Parameter::OffU, Parameter::OffV, Parameter::OffR};
    for (unsigned k = 0; k < q.shape.dim; ++k) {
      if (p == kAxes[k]) part = q.coordinate[k];
      if (p == kDx[k]) part = q.dx[k];
      if (p == kDy[k]) part = q.dy[k];
      if (p == kOffset[k]) part = q.offset[k];
    }
    if (part.kind == Part::Kind::Undefined) {
      parameters.push_back(part);
      continue;
    }
    const extension::ParameterType type = extension::type_of(p);
    parameters.push_back(everywhere(t, part,
                                    type == extension::ParameterType::Float    ? Type::F
                                    : type == extension::ParameterType::Signed ? Type::D
                                                                               : Type::UD,
                                    extension::name_of(p)));
  }
  return b.message(32, extension::members_of(q.shape.dim), Type::UD, t.result_name("footprint"),
                   [&](const LaneRange& range, const VisaOperand& dst) {
                     std::vector<VisaOperand> operands{target.sampler, target.surface, dst};
                     for (const Part& p : parameters)
                       operands.push_back(p.kind == Part::Kind::Undefined ? no_registers() : image::raw(t, p, range));
                     b.instruction(op, range, operands, target.guard);
                   });
}

void sample_footprint(ShaderContext& t) {
  std::optional<FootprintOperands> q = read(t);
  if (!q) return;
  const image::Image sampled = *image::image_of(t, t.operand(0));
  const std::vector<GuardedImage> targets = image::guarded_images(t, sampled.handle, true);
  std::vector<Part> members;
  if (t.options.portable) {
    std::vector<FootprintTarget> asked;
    for (const GuardedImage& target : targets)
      asked.push_back({target.surface, target.sampler, t.descriptors.sampler_record(target.sampler), target.guard});
    members = portable_footprint(t.b, *q, asked);
  } else if (targets.size() == 1) {
    members = message(t, *q, targets[0]);
  } else {
    for (const GuardedImage& target : targets) {
      const std::vector<Part> found = message(t, *q, target);
      for (std::size_t m = 0; m < found.size(); ++m) {
        if (members.size() <= m) members.push_back(t.b.copy(ud(0), "footprint"));
        t.b.move(members[m], found[m], target.guard);
      }
    }
  }
  // The module's own structure: a Boolean, then unsigned integers (R4 to R10).
  const std::vector<Type> types = t.types.scalars(t.at->type);
  if (types.size() != members.size()) return t.refuse("the result structure is not that of a footprint");
  for (std::size_t m = 0; m < members.size(); ++m) {
    if (types[m] == Type::Bool)
      members[m] = t.b.compare("ne", members[m], ud(0), "single");
    else if (isa::type_bytes(types[m]) != 4)
      members[m] = t.b.convert(members[m], types[m], "member");
    else
      members[m] = members[m].as(types[m]);
  }
  t.set(std::move(members));
}

}  // namespace

std::span<const Op> footprint_ops() {
  static constexpr Op kOps[] = {{static_cast<std::uint16_t>(spv::Op::OpImageSampleFootprintNV), sample_footprint}};
  return kOps;
}

}  // namespace heddle::spirv::compiler
