// SPDX-License-Identifier: MIT
// Image instructions: the table, handles, and the parts that all of them have: operands, targets, results.
// Rules: NUM-30, NUM-31, SAM-3, SPV-23, SPV-29.
#include "spirv/compile/images/image.hpp"

#include <fmt/format.h>

#include <spirv/unified1/spirv.hpp11>

#include "spirv/compile/arithmetic/scalar.hpp"
#include "spirv/names.hpp"

namespace heddle::spirv::compiler {

std::span<const Op> image_ops() {
  using enum spv::Op;
  const auto row = [](spv::Op op, Handler handler) { return Op{static_cast<std::uint16_t>(op), handler}; };
  static const Op kOps[] = {
      row(OpSampledImage, image::sampled_image),
      row(OpImage, image::image_only),
      row(OpImageSampleImplicitLod, image::sample),
      row(OpImageSampleExplicitLod, image::sample),
      row(OpImageSampleDrefImplicitLod, image::sample),
      row(OpImageSampleDrefExplicitLod, image::sample),
      row(OpImageSampleProjImplicitLod, image::sample),
      row(OpImageSampleProjExplicitLod, image::sample),
      row(OpImageSampleProjDrefImplicitLod, image::sample),
      row(OpImageSampleProjDrefExplicitLod, image::sample),
      row(OpImageSparseSampleImplicitLod, image::sample),
      row(OpImageSparseSampleExplicitLod, image::sample),
      row(OpImageSparseSampleDrefImplicitLod, image::sample),
      row(OpImageSparseSampleDrefExplicitLod, image::sample),
      row(OpImageGather, image::gather),
      row(OpImageDrefGather, image::gather),
      row(OpImageSparseGather, image::gather),
      row(OpImageSparseDrefGather, image::gather),
      row(OpImageFetch, image::fetch),
      row(OpImageSparseFetch, image::fetch),
      row(OpImageRead, image::read),
      row(OpImageSparseRead, image::read),
      row(OpImageWrite, image::write),
      row(OpImageQuerySize, image::query),
      row(OpImageQuerySizeLod, image::query),
      row(OpImageQueryLevels, image::query),
      row(OpImageQuerySamples, image::query),
      row(OpImageQueryLod, image::query_lod),
      row(OpImageSparseTexelsResident, image::texels_resident),
      row(OpImageTexelPointer, image::texel_pointer),
  };
  return kOps;
}

namespace image {

bool Image::cube() const { return info.dim == static_cast<std::uint32_t>(spv::Dim::Cube); }
bool Image::buffer() const { return info.dim == static_cast<std::uint32_t>(spv::Dim::Buffer); }
bool Image::subpass() const { return info.dim == static_cast<std::uint32_t>(spv::Dim::SubpassData); }

std::optional<Operands> read_operands(ShaderContext& t, std::size_t index) {
  using Mask = spv::ImageOperandsMask;
  Operands o;
  if (index >= t.at->operands.size()) return o;
  const std::uint32_t mask = t.operand(index);
  std::uint32_t left = mask;
  std::size_t next = index + 1;
  const auto take = [&](Mask bit, std::initializer_list<std::uint32_t*> to) {
    const auto value = static_cast<std::uint32_t>(bit);
    if ((mask & value) == 0) return;
    left &= ~value;
    for (std::uint32_t* id : to) *id = t.operand(next++);
  };
  std::uint32_t scope = 0, offsets = 0;
  take(Mask::Bias, {&o.bias});
  take(Mask::Lod, {&o.lod});
  take(Mask::Grad, {&o.dx, &o.dy});
  take(Mask::ConstOffset, {&o.const_offset});
  take(Mask::Offset, {&o.offset});
  take(Mask::ConstOffsets, {&o.const_offsets});
  take(Mask::Sample, {&o.sample});
  take(Mask::MinLod, {&o.min_lod});
  // One thread of the machine sees its own image accesses in order, and messages of others as soon as they are sent:
  // these order nothing more.
  take(Mask::MakeTexelAvailable, {&scope});
  take(Mask::MakeTexelVisible, {&scope});
  take(Mask::NonPrivateTexel, {});
  take(Mask::VolatileTexel, {});
  // The surface's format, which the binding gives, says how texels are widened (NUM-30); a valid module agrees with it.
  take(Mask::SignExtend, {});
  take(Mask::ZeroExtend, {});
  take(Mask::Nontemporal, {});
  take(Mask::Offsets, {&offsets});
  if (offsets != 0) o.const_offsets = offsets;
  if (left != 0) {
    t.refuse(fmt::format("image operand {} is not supported", image_operand_names(left)));
    return std::nullopt;
  }
  return o;
}

bool Image::wide() const { return isa::type_bytes(info.texel) == 8; }

namespace {

/// Whether an instruction works on images of 64-bit texels, whose surfaces are of format R32G32_UINT.
bool takes_wide_texels(spv::Op op) {
  switch (op) {
    case spv::Op::OpImageRead:
    case spv::Op::OpImageSparseRead:
    case spv::Op::OpImageFetch:
    case spv::Op::OpImageSparseFetch:
    case spv::Op::OpImageWrite:
    case spv::Op::OpImageQuerySize:
    case spv::Op::OpImageQuerySizeLod:
    case spv::Op::OpImageQueryLevels:
    case spv::Op::OpImageQuerySamples:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::optional<Image> image_of(ShaderContext& t, std::uint32_t id) {
  const Value& v = t.values.of(id);
  if (v.handle == nullptr || v.handle->type == 0) {
    t.refuse("the image is not one that was loaded from a descriptor");
    return std::nullopt;
  }
  Image image;
  image.handle = *v.handle;
  image.info = t.types.image(v.handle->type);
  switch (static_cast<spv::Dim>(image.info.dim)) {
    case spv::Dim::Dim1D:
    case spv::Dim::Buffer:
      image.axes = 1;
      break;
    case spv::Dim::Dim2D:
    case spv::Dim::Rect:  // its sampler takes texels as coordinates
    case spv::Dim::SubpassData:
      image.axes = 2;
      break;
    case spv::Dim::Dim3D:
    case spv::Dim::Cube:
      image.axes = 3;
      break;
    default:
      t.refuse("images of this dimension are not supported: there are 1D, 2D, 3D, Cube, Rect, Buffer and SubpassData");
      return std::nullopt;
  }
  if (image.wide() && !takes_wide_texels(static_cast<spv::Op>(t.at->opcode))) {
    t.refuse("images of 64-bit texels are read, written, fetched from and changed by atomics; they are not sampled");
    return std::nullopt;
  }
  // Messages carry 32 bits; results and texels to write are converted (NUM-31).
  if (image.info.texel == isa::Type::HF) image.info.texel = isa::Type::F;
  return image;
}

std::vector<GuardedImage> guarded_images(ShaderContext& t, const Descriptor& image, const Guard& guard, bool samples) {
  std::vector<GuardedImage> list;
  using Part = DescriptorPart;
  t.descriptors.each_element(image, [&](std::uint32_t element, const Guard& lanes) {
    std::string name = t.descriptors.element_name(image.variable, element, samples ? Part::Samples : Part::Surface);
    if (name.empty()) return t.refuse("the image variable has no surface");
    list.push_back({std::move(name), {}, both(t.b, guard, lanes)});
  });
  return list;
}

std::vector<GuardedImage> guarded_images(ShaderContext& t, const Handle& handle, bool with_sampler,
                                         const Guard& guard) {
  if (!with_sampler) return guarded_images(t, handle.image, guard);
  using Part = DescriptorPart;
  std::vector<GuardedImage> list;
  const auto add = [&](const std::string& surface, std::uint32_t element, const Guard& lanes) {
    std::string name = t.descriptors.element_name(handle.sampler.variable, element, Part::Sampler);
    if (name.empty()) return t.refuse("the sampler variable has no sampler");
    list.push_back({surface, std::move(name), lanes});
  };
  if (handle.image.variable == handle.sampler.variable && same_lanes(handle.image.index, handle.sampler.index)) {
    t.descriptors.each_element(handle.image, [&](std::uint32_t element, const Guard& lanes) {  // one index for both
      const std::string surface = t.descriptors.element_name(handle.image.variable, element, Part::Surface);
      if (surface.empty()) return t.refuse("the image variable has no surface");
      add(surface, element, both(t.b, guard, lanes));
    });
    return list;
  }
  const std::vector<GuardedImage> images = guarded_images(t, handle.image, guard);
  t.descriptors.each_element(handle.sampler, [&](std::uint32_t element, const Guard& lanes) {
    for (const GuardedImage& image : images) add(image.surface, element, both(t.b, image.guard, lanes));
  });
  return list;
}

std::optional<std::vector<std::int32_t>> constant_vector(ShaderContext& t, std::uint32_t id) {
  std::vector<std::int32_t> values;
  for (const Part& p : t.values.of(id).parts) {
    if (!p.constant()) return std::nullopt;
    values.push_back(static_cast<std::int32_t>(p.bits));
  }
  return values;
}

std::optional<std::uint32_t> immediate_offset(std::span<const std::int32_t> offsets) {
  std::uint32_t word = 0;
  unsigned shift = 8;  // SAM-3: U 11:8, V 7:4, R 3:0
  for (const std::int32_t o : offsets) {
    if (o < -8 || o > 7 || shift > 8) return std::nullopt;
    word |= (static_cast<std::uint32_t>(o) & 15u) << shift;
    shift -= 4;
  }
  return word;
}

void sampled_image(ShaderContext& t) {
  const Value &image = t.values.of(t.operand(0)), &sampler = t.values.of(t.operand(1));
  if (image.handle == nullptr || sampler.handle == nullptr)
    return t.refuse("the operands are not an image and a sampler");
  Value v;
  v.type = t.at->type;
  v.handle = std::make_shared<Handle>(*image.handle);
  v.handle->sampler = sampler.handle->sampler;
  t.set_value(std::move(v));
}

void image_only(ShaderContext& t) {
  const Value& from = t.values.of(t.operand(0));
  if (from.handle == nullptr) return t.refuse("the operand is not a sampled image");
  Value v;
  v.type = t.at->type;
  v.handle = std::make_shared<Handle>(*from.handle);
  v.handle->sampler = {};
  t.set_value(std::move(v));
}

/// The residency code of every sparse instruction here is 1 where all texels were resident and 0 elsewhere.
void texels_resident(ShaderContext& t) {
  t.set({t.b.compare("ne", t.values.part(t.operand(0)).as(isa::Type::UD), ud(0), "resident")});
}

Result result_of(ShaderContext& t, bool sparse) {
  Result result;
  result.sparse = sparse;
  std::uint32_t type = t.at->type;
  if (sparse) {
    const TypeInfo& pair = t.types.of(type);
    type = pair.members.size() > 1 ? pair.members[1] : 0;
  }
  result.types = t.types.scalars(type);
  if (result.types.empty()) result.types.push_back(isa::Type::F);
  return result;
}

void finish(ShaderContext& t, const Result& result, std::vector<Part> parts) {
  std::vector<Part> list;
  if (result.sparse && !parts.empty()) {
    const TypeInfo& pair = t.types.of(t.at->type);
    const std::vector<isa::Type> code =
        pair.members.empty() ? std::vector<isa::Type>{} : t.types.scalars(pair.members[0]);
    list.push_back(parts.back().as(code.empty() ? isa::Type::D : code[0]));
    parts.pop_back();
  }
  for (std::size_t c = 0; c < result.types.size(); ++c) {
    const Part part = c < parts.size() ? parts[c] : Part{};
    const isa::Type type = result.types[c];
    // NUM-31: a relaxed or 16-bit result is the 32-bit one, rounded.
    list.push_back(isa::type_bytes(type) == isa::type_bytes(part.type) ? part.as(type)
                                                                       : t.b.convert(part, type, "texel"));
  }
  t.set(std::move(list));
}

}  // namespace image
}  // namespace heddle::spirv::compiler
