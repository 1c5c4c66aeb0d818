// Descriptor variables: surfaces and samplers, and the lines that say what they stand for (docs/spirv-interface.md).
// Rules: SPV-16, SPV-31.
#include <fmt/format.h>

#include <spirv/unified1/spirv.hpp11>

#include "base/fixed_limits.hpp"
#include "spirv/compile/operations/memory.hpp"

namespace heddle::spirv::compiler {

using Spv = spv::Op;

namespace {

std::string scalar_text(const TypeInfo& info) {
  switch (static_cast<Spv>(info.op)) {
    case Spv::OpTypeFloat:
      return fmt::format("f{}", info.bits);
    case Spv::OpTypeInt:
      return fmt::format("{}{}", info.is_signed ? 'i' : 'u', info.bits);
    case Spv::OpTypePointer:
      return "u64";
    default:
      return {};
  }
}

bool is_scalar(const TypeInfo& info) {
  return is(info, Spv::OpTypeFloat) || is(info, Spv::OpTypeInt) || (is(info, Spv::OpTypePointer) && info.flat == 1);
}

/// A member's type in the words of the interface.
std::string type_text(ShaderTranslator& t, std::uint32_t id, const MatrixLayout& matrix) {
  const TypeInfo info = t.type(id);
  if (is_scalar(info)) return scalar_text(info);
  switch (static_cast<Spv>(info.op)) {
    case Spv::OpTypeVector:
      return fmt::format("{}x{}", scalar_text(t.type(info.element)), info.count);
    case Spv::OpTypeMatrix:
      if (!matrix.row_major) return fmt::format("{}x{}/{}", type_text(t, info.element, {}), info.count, matrix.stride);
      break;
    case Spv::OpTypeArray: {
      const TypeInfo element = t.type(info.element);
      const std::uint32_t stride = array_stride(t, id, Pointer::Kind::Buffer);
      if (is_scalar(element)) return fmt::format("{}[{}]/{}", scalar_text(element), info.count, stride);
      if (static_cast<Spv>(element.op) == Spv::OpTypeVector)
        return fmt::format("{}x{}[{}]/{}", scalar_text(t.type(element.element)), element.count, info.count, stride);
      break;
    }
    default:
      break;
  }
  Pointer p;
  p.kind = Pointer::Kind::Buffer;
  p.pointee = id;
  p.matrix = matrix;
  std::uint32_t end = 0;
  for (const ScalarLocation& place : scalar_locations(t, p))
    end = std::max(end, place.offset + isa::type_bytes(place.type));
  return fmt::format("bytes/{}", end);
}

void member_lines(ShaderTranslator& t, std::uint32_t structure, const std::string& surface) {
  const TypeInfo info = t.type(structure);
  for (std::uint32_t m = 0; m < info.members.size(); ++m) {
    if (static_cast<Spv>(t.type(info.members[m]).op) == Spv::OpTypeRuntimeArray) continue;
    t.b.interface_line(fmt::format("member {} {} {} {}", surface, member_offset(t, structure, m, Pointer::Kind::Buffer),
                                   type_text(t, info.members[m], matrix_layout(t, structure, m)),
                                   t.member_name(structure, m)));
  }
}

/// What a descriptor of a type holds, in the words of the interface.
struct DescriptorKind {
  std::string_view word = "image";
  bool surface = true, sampler = false;
  bool samples = false;  ///< a storage image with samples, which are written through a view of them
};

DescriptorKind kind_of(ShaderTranslator& t, std::uint32_t pointee, spv::StorageClass storage) {
  switch (static_cast<Spv>(t.type(pointee).op)) {
    case Spv::OpTypeSampler:
      return {"image", false, true};
    case Spv::OpTypeSampledImage: {
      const auto dim = static_cast<spv::Dim>(t.image_type(pointee).dim);
      return {dim == spv::Dim::Buffer ? "texel_buffer" : dim == spv::Dim::Rect ? "rect_image" : "image", true, true};
    }
    case Spv::OpTypeImage: {
      const ImageInfo image = t.image_type(pointee);
      const bool buffer = static_cast<spv::Dim>(image.dim) == spv::Dim::Buffer;
      if (static_cast<spv::Dim>(image.dim) == spv::Dim::SubpassData) return {"input_attachment"};
      if (image.sampled == 2)
        return {buffer ? "storage_texel_buffer" : "storage_image", true, false, image.multisampled};
      return {buffer ? "texel_buffer" : "image"};
    }
    default: {
      const bool writable = storage == spv::StorageClass::StorageBuffer ||
                            t.decoration(pointee, static_cast<std::uint32_t>(spv::Decoration::BufferBlock));
      return {writable ? "storage_buffer" : "uniform_buffer"};
    }
  }
}

/// The descriptors that a variable stands for.
struct DescriptorCount {
  std::uint32_t pointee = 0;  ///< type of one
  std::uint32_t count = 1;
  bool array = false;
  bool open = false;  ///< an array without a length
};

DescriptorCount count_descriptors(ShaderTranslator& t, std::uint32_t type) {
  DescriptorCount c;
  c.pointee = type;
  for (;;) {
    const TypeInfo info = t.type(c.pointee);
    const bool open = static_cast<Spv>(info.op) == Spv::OpTypeRuntimeArray;
    if (!open && static_cast<Spv>(info.op) != Spv::OpTypeArray) return c;
    c.array = true;
    c.open = c.open || open;
    const std::uint32_t elements = open ? t.options.runtime_array : info.count;
    c.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(100000, std::uint64_t{c.count} * elements));
    c.pointee = info.element;
  }
}

}  // namespace

const DescriptorVariable& ShaderTranslator::descriptor(std::uint32_t id) {
  if (const auto found = descriptors_.find(id); found != descriptors_.end()) return found->second;
  DescriptorVariable& d = descriptors_[id];
  const Instruction* i = module.find(id);
  if (i == nullptr || static_cast<Spv>(i->opcode) != Spv::OpVariable) return d;
  const auto storage = static_cast<spv::StorageClass>(i->operands[0]);
  DescriptorCount elements = count_descriptors(*this, type(i->type).element);
  std::string name = name_of(id, "");
  if (name.empty()) name = name_of(elements.pointee, "");
  if (storage == spv::StorageClass::PushConstant) {
    d.surfaces.push_back(b.surface());
    b.interface_line(fmt::format("surface {} push_constant {}", d.surfaces[0], name));
    member_lines(*this, elements.pointee, d.surfaces[0]);
    return d;
  }
  const auto word = [&](spv::Decoration kind) {
    const auto found = decoration(id, static_cast<std::uint32_t>(kind));
    return found && !found->empty() ? (*found)[0] : 0u;
  };
  const DescriptorKind kind = kind_of(*this, elements.pointee, storage);
  descriptors_used_ += elements.count;
  if (descriptors_used_ > base::kDescriptors) {
    diagnostics.add(base::limit_error(
        "compile-limit", fmt::format("variable '{}': a program has at most {} descriptors", name, base::kDescriptors),
        module.place(*i)));
    elements.count = 1;
  }
  const std::string binding =
      fmt::format("{}.{}", word(spv::Decoration::DescriptorSet), word(spv::Decoration::Binding));
  for (std::uint32_t k = 0; k < elements.count; ++k) {
    const std::string place = elements.array ? fmt::format("{}[{}]{}", binding, k, elements.open ? "?" : "") : binding;
    if (kind.surface) {
      d.surfaces.push_back(b.descriptor_surface());
      b.interface_line(fmt::format("surface {} {} {} {}", d.surfaces[k], kind.word, place, name));
      if (kind.word == "uniform_buffer" || kind.word == "storage_buffer")
        member_lines(*this, elements.pointee, d.surfaces[k]);
    }
    if (kind.samples) {
      d.samples.push_back(b.descriptor_surface());
      b.interface_line(fmt::format("surface {} storage_samples {} {}", d.samples[k], place, name));
    }
    if (kind.sampler) {
      d.samplers.push_back(b.sampler());
      b.interface_line(fmt::format("sampler {} {} {}", d.samplers[k], place, name));
    }
  }
  return d;
}

}  // namespace heddle::spirv::compiler
