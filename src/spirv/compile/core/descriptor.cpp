// Descriptor variables: surfaces and samplers, and the lines that say what they stand for (docs/spirv-interface.md).
// Rules: SPV-16, SPV-31.
#include <fmt/format.h>

#include <spirv/unified1/spirv.hpp11>

#include "spirv/compile/operations/memory.hpp"

namespace heddle::spirv::compiler {

using Spv = spv::Op;

namespace {

/// As many surfaces as a binding table holds, less the predefined ones.
constexpr unsigned kMaxSurfaces = 230, kMaxSamplers = 31;

std::string scalar_text(const TypeInfo& info) {
  switch (static_cast<Spv>(info.op)) {
    case Spv::OpTypeFloat:
      return fmt::format("f{}", info.bits);
    case Spv::OpTypeInt:
      return fmt::format("{}{}", info.is_signed ? 'i' : 'u', info.bits);
    default:
      return {};
  }
}

/// A member's type in the words of the interface.
std::string type_text(ShaderTranslator& t, std::uint32_t id, const MatrixLayout& matrix) {
  const TypeInfo info = t.type(id);
  switch (static_cast<Spv>(info.op)) {
    case Spv::OpTypeFloat:
    case Spv::OpTypeInt:
      return scalar_text(info);
    case Spv::OpTypeVector:
      return fmt::format("{}x{}", scalar_text(t.type(info.element)), info.count);
    case Spv::OpTypeMatrix:
      if (!matrix.row_major) return fmt::format("{}x{}/{}", type_text(t, info.element, {}), info.count, matrix.stride);
      break;
    case Spv::OpTypeArray: {
      const TypeInfo element = t.type(info.element);
      const std::uint32_t stride = array_stride(t, id, Pointer::Kind::Buffer);
      if (static_cast<Spv>(element.op) == Spv::OpTypeFloat || static_cast<Spv>(element.op) == Spv::OpTypeInt)
        return fmt::format("{}[{}]/{}", scalar_text(element), info.count, stride);
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
  for (const Place& place : places(t, p)) end = std::max(end, place.offset + isa::type_bytes(place.type));
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

}  // namespace

const DescriptorVariable& ShaderTranslator::descriptor(std::uint32_t id) {
  if (const auto found = descriptors_.find(id); found != descriptors_.end()) return found->second;
  DescriptorVariable& d = descriptors_[id];
  const Instruction* i = module.find(id);
  if (i == nullptr || static_cast<Spv>(i->opcode) != Spv::OpVariable) return d;
  const auto storage = static_cast<spv::StorageClass>(i->operands[0]);
  std::uint32_t pointee = type(i->type).element;
  std::uint32_t count = 1;
  bool array = false, open = false;
  while (static_cast<Spv>(type(pointee).op) == Spv::OpTypeArray ||
         static_cast<Spv>(type(pointee).op) == Spv::OpTypeRuntimeArray) {
    const TypeInfo info = type(pointee);
    array = true;
    open = open || static_cast<Spv>(info.op) == Spv::OpTypeRuntimeArray;
    const std::uint32_t elements = static_cast<Spv>(info.op) == Spv::OpTypeArray ? info.count : options.runtime_array;
    count = static_cast<std::uint32_t>(std::min<std::uint64_t>(100000, std::uint64_t{count} * elements));
    pointee = info.element;
  }
  const TypeInfo info = type(pointee);
  std::string name = name_of(id, "");
  if (name.empty()) name = name_of(pointee, "");
  if (storage == spv::StorageClass::PushConstant) {
    d.surfaces.push_back(b.surface());
    b.interface_line(fmt::format("surface {} push_constant {}", d.surfaces[0], name));
    member_lines(*this, pointee, d.surfaces[0]);
    return d;
  }
  const auto word = [&](spv::Decoration kind) {
    const auto found = decoration(id, static_cast<std::uint32_t>(kind));
    return found && !found->empty() ? (*found)[0] : 0u;
  };
  bool surface = true, sampler = false;
  std::string kind = "image";
  switch (static_cast<Spv>(info.op)) {
    case Spv::OpTypeSampler:
      surface = false;
      sampler = true;
      break;
    case Spv::OpTypeSampledImage:
      sampler = true;
      if (static_cast<spv::Dim>(image_type(pointee).dim) == spv::Dim::Buffer) kind = "texel_buffer";
      break;
    case Spv::OpTypeImage: {
      const ImageInfo image = image_type(pointee);
      const bool buffer = static_cast<spv::Dim>(image.dim) == spv::Dim::Buffer;
      if (static_cast<spv::Dim>(image.dim) == spv::Dim::SubpassData)
        kind = "input_attachment";
      else if (image.sampled == 2)
        kind = buffer ? "storage_texel_buffer" : "storage_image";
      else if (buffer)
        kind = "texel_buffer";
      break;
    }
    default:
      kind = storage == spv::StorageClass::StorageBuffer ||
                     decoration(pointee, static_cast<std::uint32_t>(spv::Decoration::BufferBlock))
                 ? "storage_buffer"
                 : "uniform_buffer";
  }
  surfaces_used_ += surface ? count : 0;
  samplers_used_ += sampler ? count : 0;
  if (surfaces_used_ > kMaxSurfaces || samplers_used_ > kMaxSamplers) {
    diagnostics.add(base::error("compile-unsupported",
                                fmt::format("variable '{}': a program has at most {} surfaces and {} samplers", name,
                                            kMaxSurfaces, kMaxSamplers),
                                module.place(*i)));
    count = 1;
  }
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::string place =
        array ? fmt::format("{}.{}[{}]{}", word(spv::Decoration::DescriptorSet), word(spv::Decoration::Binding), k,
                            open ? "?" : "")
              : fmt::format("{}.{}", word(spv::Decoration::DescriptorSet), word(spv::Decoration::Binding));
    if (surface) {
      d.surfaces.push_back(b.surface());
      b.interface_line(fmt::format("surface {} {} {} {}", d.surfaces[k], kind, place, name));
      if (kind == "uniform_buffer" || kind == "storage_buffer") member_lines(*this, pointee, d.surfaces[k]);
    }
    if (sampler) {
      d.samplers.push_back(b.sampler());
      b.interface_line(fmt::format("sampler {} {} {}", d.samplers[k], place, name));
    }
  }
  return d;
}

}  // namespace heddle::spirv::compiler
