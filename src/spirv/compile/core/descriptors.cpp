// Descriptor variables: surfaces and samplers, and the lines that say what they stand for (docs/spirv-interface.md).
// Rules: SPV-16, SPV-27, SPV-31.
#include <fmt/format.h>

#include <spirv/unified1/spirv.hpp11>

#include "base/fixed_limits.hpp"
#include "spirv/compile/arithmetic/subgroup.hpp"
#include "spirv/compile/core/layout.hpp"

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

/// A scalar, vector or matrix in the words of the interface; nothing for other types.
std::string plain_type_text(ShaderTranslator& t, std::uint32_t id, const MatrixLayout& matrix) {
  const TypeInfo info = t.type(id);
  if (is_scalar(info)) return scalar_text(info);
  if (is(info, Spv::OpTypeVector)) return fmt::format("{}x{}", scalar_text(t.type(info.element)), info.count);
  if (!is(info, Spv::OpTypeMatrix)) return {};
  return fmt::format("{}x{}/{}{}", plain_type_text(t, info.element, {}), info.count, matrix.stride,
                     matrix.row_major ? "r" : "");
}

/// A member of no such type: bytes up to the end of its last scalar. Nothing where it has none.
std::string opaque_text(ShaderTranslator& t, std::uint32_t id, const MatrixLayout& matrix) {
  Pointer p;
  p.kind = Pointer::Kind::Buffer;
  p.pointee = id;
  p.matrix = matrix;
  std::uint32_t end = 0;
  for (const ScalarLocation& place : scalar_locations(t, p))
    end = std::max(end, place.offset + isa::type_bytes(place.type));
  return end != 0 ? fmt::format("bytes/{}", end) : std::string();
}

/// The members of a block that are no structures, of all depths.
class MemberLines {
 public:
  explicit MemberLines(ShaderTranslator& t) : t_(t) {}

  /// One member of the block, with what lies in it.
  void add(std::uint32_t structure, std::uint32_t m, const std::string& surface) {
    lines_.clear();
    const std::uint32_t type = t_.type(structure).members[m];
    const MatrixLayout matrix = matrix_layout(t_, structure, m);
    const std::uint32_t offset = member_offset(t_, structure, m, Pointer::Kind::Buffer);
    const std::string name = t_.member_name(structure, m);
    if (!collect(offset, type, matrix, name, {}, 0, 0)) {
      if (is(t_.type(type), Spv::OpTypeRuntimeArray)) return;
      lines_.clear();
      if (const std::string text = opaque_text(t_, type, matrix); !text.empty())
        lines_.push_back(fmt::format("{} {} {}", offset, text, name));
    }
    for (const std::string& line : lines_) t_.b.interface_line(fmt::format("member {} {}", surface, line));
  }

 private:
  static constexpr std::size_t kMaxLines = 512;
  static constexpr unsigned kMaxArrays = 8, kMaxDepth = 16;

  /// False where the words of the interface do not reach, or there are too many members to be named.
  bool collect(std::uint32_t offset, std::uint32_t type, const MatrixLayout& matrix, const std::string& name,
               std::string arrays, unsigned dimensions, unsigned depth) {
    TypeInfo info = t_.type(type);
    while (is(info, Spv::OpTypeArray) || is(info, Spv::OpTypeRuntimeArray)) {
      if (++dimensions > kMaxArrays) return false;
      const std::uint32_t stride = array_stride(t_, type, Pointer::Kind::Buffer);
      const bool open = is(info, Spv::OpTypeRuntimeArray);
      arrays += fmt::format("[{}]/{}", open ? std::string() : fmt::to_string(info.count), stride);
      type = info.element;
      info = t_.type(type);
    }
    if (!is(info, Spv::OpTypeStruct)) {
      const std::string text = plain_type_text(t_, type, matrix);
      if (text.empty() || lines_.size() == kMaxLines) return false;
      lines_.push_back(fmt::format("{} {}{} {}", offset, text, arrays, name));
      return true;
    }
    if (depth == kMaxDepth) return false;
    for (std::uint32_t m = 0; m < info.members.size(); ++m) {
      std::string member = t_.member_name(type, m);
      if (member.empty()) member = fmt::to_string(m);
      if (!collect(offset + member_offset(t_, type, m, Pointer::Kind::Buffer), info.members[m],
                   matrix_layout(t_, type, m), fmt::format("{}.{}", name, member), arrays, dimensions, depth + 1))
        return false;
    }
    return !info.members.empty();
  }

  ShaderTranslator& t_;
  std::vector<std::string> lines_;
};

void member_lines(ShaderTranslator& t, std::uint32_t structure, const std::string& surface) {
  MemberLines lines(t);
  const std::size_t count = t.type(structure).members.size();
  for (std::uint32_t m = 0; m < count; ++m) lines.add(structure, m, surface);
}

/// A block's members, and its type's name where the variable has one of its own: GLSL's `uniform Params { ... }
/// params`.
void block_lines(ShaderTranslator& t, std::uint32_t structure, const std::string& surface, const std::string& name) {
  const std::string type = t.name_of(structure, "");
  if (!type.empty() && type != name) t.b.interface_line(fmt::format("block {} {}", surface, type));
  member_lines(t, structure, surface);
}

/// What a descriptor of a type holds, in the words of the interface.
struct DescriptorKind {
  std::string_view word = "image";
  bool surface = true, sampler = false;
  bool samples = false;          ///< a storage image with samples, which are written through a view of them
  std::string_view shape = {};   ///< "/2d_array", of images
  std::string_view format = {};  ///< that the module declares, of storage images

  /// A KIND of the interface.
  [[nodiscard]] std::string text() const {
    return fmt::format("{}{}{}{}", word, shape, format.empty() ? "" : "/", format);
  }
};

/// What coordinates an image takes.
std::string_view shape_of(const ImageInfo& image) {
  switch (static_cast<spv::Dim>(image.dim)) {
    case spv::Dim::Dim1D:
      return image.arrayed ? "/1d_array" : "/1d";
    case spv::Dim::Dim2D:
      if (image.multisampled) return image.arrayed ? "/2d_samples_array" : "/2d_samples";
      return image.arrayed ? "/2d_array" : "/2d";
    case spv::Dim::Dim3D:
      return "/3d";
    case spv::Dim::Cube:
      return image.arrayed ? "/cube_array" : "/cube";
    default:
      return {};
  }
}

/// The Image Format of SPIR-V by Intel's name; empty: Unknown. Those of 64 bits are surfaces of halves (SPV-27).
std::string_view format_of(std::uint32_t format) {
  static constexpr std::string_view kFormats[] = {"",
                                                  "R32G32B32A32_FLOAT",
                                                  "R16G16B16A16_FLOAT",
                                                  "R32_FLOAT",
                                                  "R8G8B8A8_UNORM",
                                                  "R8G8B8A8_SNORM",
                                                  "R32G32_FLOAT",
                                                  "R16G16_FLOAT",
                                                  "R11G11B10_FLOAT",
                                                  "R16_FLOAT",
                                                  "R16G16B16A16_UNORM",
                                                  "R10G10B10A2_UNORM",
                                                  "R16G16_UNORM",
                                                  "R8G8_UNORM",
                                                  "R16_UNORM",
                                                  "R8_UNORM",
                                                  "R16G16B16A16_SNORM",
                                                  "R16G16_SNORM",
                                                  "R8G8_SNORM",
                                                  "R16_SNORM",
                                                  "R8_SNORM",
                                                  "R32G32B32A32_SINT",
                                                  "R16G16B16A16_SINT",
                                                  "R8G8B8A8_SINT",
                                                  "R32_SINT",
                                                  "R32G32_SINT",
                                                  "R16G16_SINT",
                                                  "R8G8_SINT",
                                                  "R16_SINT",
                                                  "R8_SINT",
                                                  "R32G32B32A32_UINT",
                                                  "R16G16B16A16_UINT",
                                                  "R8G8B8A8_UINT",
                                                  "R32_UINT",
                                                  "R10G10B10A2_UINT",
                                                  "R32G32_UINT",
                                                  "R16G16_UINT",
                                                  "R8G8_UINT",
                                                  "R16_UINT",
                                                  "R8_UINT",
                                                  "R32G32_UINT",
                                                  "R32G32_UINT"};
  return format < std::size(kFormats) ? kFormats[format] : std::string_view();
}

DescriptorKind kind_of(ShaderTranslator& t, std::uint32_t pointee, spv::StorageClass storage) {
  switch (static_cast<Spv>(t.type(pointee).op)) {
    case Spv::OpTypeSampler:
      return {"image", false, true};
    case Spv::OpTypeSampledImage: {
      const ImageInfo image = t.image_type(pointee);
      const auto dim = static_cast<spv::Dim>(image.dim);
      return {dim == spv::Dim::Buffer ? "texel_buffer"
              : dim == spv::Dim::Rect ? "rect_image"
                                      : "image",
              true, true, false, shape_of(image)};
    }
    case Spv::OpTypeImage: {
      const ImageInfo image = t.image_type(pointee);
      const bool buffer = static_cast<spv::Dim>(image.dim) == spv::Dim::Buffer;
      if (static_cast<spv::Dim>(image.dim) == spv::Dim::SubpassData) return {"input_attachment"};
      if (image.sampled == 2)
        return {buffer ? "storage_texel_buffer" : "storage_image",
                true,
                false,
                image.multisampled,
                shape_of(image),
                format_of(image.format)};
      return {buffer ? "texel_buffer" : "image", true, false, false, shape_of(image)};
    }
    default: {
      const bool writable = storage == spv::StorageClass::StorageBuffer ||
                            t.decoration(pointee, static_cast<std::uint32_t>(spv::Decoration::BufferBlock));
      return {writable ? "storage_buffer" : "uniform_buffer"};
    }
  }
}

/// Up to so many elements have names of their own where one is chosen at run time.
constexpr std::uint32_t kMaxNamed = 16;
constexpr std::uint32_t kMaxIndexed = 1 << 20;  ///< elements of an array

/// The descriptors that a variable stands for.
struct DescriptorCount {
  std::uint32_t pointee = 0;  ///< type of one
  std::uint32_t count = 1;
  bool array = false;
  bool open = false;  ///< an array without a length
};

DescriptorCount count_descriptors(ShaderTranslator& t, std::uint32_t type, std::uint32_t set, std::uint32_t binding) {
  const auto given = t.options.array_lengths.find({set, binding});
  const std::uint32_t length = given == t.options.array_lengths.end() ? t.options.runtime_array : given->second;

  DescriptorCount c;
  c.pointee = type;
  for (;;) {
    const TypeInfo info = t.type(c.pointee);
    const bool open = static_cast<Spv>(info.op) == Spv::OpTypeRuntimeArray;
    if (!open && static_cast<Spv>(info.op) != Spv::OpTypeArray) return c;
    c.array = true;
    c.open = c.open || open;
    const std::uint32_t elements = open ? length : info.count;
    c.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(kMaxIndexed + 1, std::uint64_t{c.count} * elements));
    c.pointee = info.element;
  }
}

/// One line for all elements of an array, which have handles.
void index_descriptors(ShaderTranslator& t, DescriptorVariable& d, const DescriptorKind& kind,
                       const DescriptorCount& elements, const std::string& binding, const std::string& name) {
  d.indexed = elements.count;
  const std::string place = fmt::format("{}[0]{}", binding, elements.open ? "?" : "");
  const auto range = [&](std::uint32_t first) { return fmt::format("B{}..B{}", first, first + d.indexed - 1); };
  if (kind.surface) {
    d.first_surface = t.b.surface_handles(d.indexed);
    t.b.interface_line(fmt::format("surface {} {} {} {}", range(d.first_surface), kind.text(), place, name));
    if (kind.word == "uniform_buffer" || kind.word == "storage_buffer")
      block_lines(t, elements.pointee, fmt::format("B{}", d.first_surface), name);
  }
  if (kind.samples) {
    d.first_samples = t.b.surface_handles(d.indexed);
    t.b.interface_line(fmt::format("surface {} storage_samples {} {}", range(d.first_samples), place, name));
  }
  if (kind.sampler) {
    d.first_sampler = t.b.sampler_handles(d.indexed);
    t.b.interface_line(fmt::format("sampler {} {} {}", range(d.first_sampler), place, name));
  }
}

}  // namespace

std::string ShaderTranslator::element_name(std::uint32_t variable, std::uint32_t element, DescriptorPart part) {
  const DescriptorVariable& d = descriptor(variable);
  if (d.indexed == 0) {
    const std::vector<std::string>& names = part == DescriptorPart::Surface   ? d.surfaces
                                            : part == DescriptorPart::Samples ? d.samples
                                            : part == DescriptorPart::Plane1  ? d.planes[0]
                                            : part == DescriptorPart::Plane2  ? d.planes[1]
                                                                              : d.samplers;
    return element < names.size() ? names[element] : std::string();
  }
  const std::uint32_t first = part == DescriptorPart::Surface   ? d.first_surface
                              : part == DescriptorPart::Samples ? d.first_samples
                                                                : d.first_sampler;
  const bool sampler = part == DescriptorPart::Sampler;
  if (element != kSelected) return b.handle_name(sampler, ud(first + element));
  for (const SelectedElement& selected : selected_) {
    if (selected.descriptor.variable != variable) continue;
    const Part handle = b.array(isa::Type::UD, "handle", 1);
    b.op("add", handle, {selected.element, ud(first)});
    return b.handle_name(sampler, handle);
  }
  return {};
}

/// The arrays, indexed at run time, whose elements an instruction reads, writes or samples.
std::vector<Descriptor> ShaderTranslator::indexed_arrays(const Instruction& i) {
  std::vector<Descriptor> list;
  const auto add = [&](const Descriptor& d) {
    if (d.variable == 0 || d.index.constant() || descriptor(d.variable).indexed == 0) return;
    for (const Descriptor& other : list) {
      if (other.variable != d.variable) continue;
      if (!same_lanes(other.index, d.index)) refuse("an image and a sampler of two elements of one large array");
      return;
    }
    list.push_back(d);
  };
  switch (static_cast<Spv>(i.opcode)) {
    case Spv::OpAccessChain:
    case Spv::OpInBoundsAccessChain:
    case Spv::OpPtrAccessChain:
    case Spv::OpInBoundsPtrAccessChain:
    case Spv::OpCopyObject:
    case Spv::OpSampledImage:
    case Spv::OpImage:
    case Spv::OpImageTexelPointer:
      return list;  // names of descriptors only
    default:
      break;
  }
  const bool copies = static_cast<Spv>(i.opcode) == Spv::OpCopyMemory;
  for (std::size_t k = 0; k < i.operands.size() && k < (copies ? 2u : 1u); ++k) {
    const auto found = values_.find(i.operands[k]);
    if (found == values_.end()) continue;
    if (const auto& handle = found->second.handle) add(handle->image), add(handle->sampler);
    if (const auto& p = found->second.pointer; p != nullptr && p->kind != Pointer::Kind::Descriptor) add(p->descriptor);
  }
  return list;
}

/// Active lanes that mean the same elements go through `translate` together, each lane once.
void ShaderTranslator::by_element(const std::vector<Descriptor>& arrays, const std::function<void()>& translate) {
  if (selected_.size() == arrays.size()) return translate();
  const Descriptor& array = arrays[selected_.size()];
  const Part last = ud(descriptor(array.variable).indexed - 1);
  const Part index = b.in_register(b.make("min", isa::Type::UD, {array.index, last}, "element"));
  const std::string again = b.label("element"), behind = b.label("others");
  b.place(again);
  const Part first = first_value(b, index);
  const Part others = b.compare("ne", index, first, "others");
  b.jump(behind, {others, false, false});
  selected_.push_back({array, first});
  by_element(arrays, translate);
  selected_.pop_back();
  b.place(behind);
  b.jump(again, {others, false, false});
}

const DescriptorVariable& ShaderTranslator::descriptor(std::uint32_t id) {
  if (const auto found = descriptors_.find(id); found != descriptors_.end()) return found->second;
  DescriptorVariable& d = descriptors_[id];
  const Instruction* i = module.find(id);
  if (i == nullptr || static_cast<Spv>(i->opcode) != Spv::OpVariable) return d;
  const auto storage = static_cast<spv::StorageClass>(i->operands[0]);
  const auto word = [&](spv::Decoration kind) {
    const auto found = decoration(id, static_cast<std::uint32_t>(kind));
    return found && !found->empty() ? (*found)[0] : 0u;
  };
  const std::uint32_t set = word(spv::Decoration::DescriptorSet), number = word(spv::Decoration::Binding);
  DescriptorCount elements = count_descriptors(*this, type(i->type).element, set, number);
  std::string name = name_of(id, "");
  if (name.empty()) name = name_of(elements.pointee, "");
  if (storage == spv::StorageClass::PushConstant) {
    d.surfaces.push_back(b.surface());
    b.interface_line(fmt::format("surface {} push_constant {}", d.surfaces[0], name));
    block_lines(*this, elements.pointee, d.surfaces[0], name);
    return d;
  }
  const DescriptorKind kind = kind_of(*this, elements.pointee, storage);
  const std::string binding = fmt::format("{}.{}", set, number);
  const bool chosen = elements.open || dynamic_.contains(id);
  // Pointers chosen at run time count all buffers.
  const bool counted = buffer_pointers_ && storage == spv::StorageClass::StorageBuffer;
  if (elements.array && chosen && !counted && elements.count > kMaxNamed && elements.count <= kMaxIndexed) {
    index_descriptors(*this, d, kind, elements, binding, name);
    return d;
  }
  if (const auto given = options.planes.find({set, number}); given != options.planes.end() && kind.sampler)
    d.conversions = given->second;
  descriptors_used_ += elements.count;
  if (descriptors_used_ > base::kDescriptors) {
    diagnostics.add(base::limit_error(
        "compile-limit", fmt::format("variable '{}': a program has at most {} descriptors", name, base::kDescriptors),
        module.place(*i)));
    elements.count = 1;
  }
  for (std::uint32_t k = 0; k < elements.count; ++k) {
    const std::string place = elements.array ? fmt::format("{}[{}]{}", binding, k, elements.open ? "?" : "") : binding;
    if (kind.surface) {
      d.surfaces.push_back(b.descriptor_surface());
      b.interface_line(fmt::format("surface {} {} {} {}", d.surfaces[k], kind.text(), place, name));
      if (kind.word == "uniform_buffer" || kind.word == "storage_buffer")
        block_lines(*this, elements.pointee, d.surfaces[k], name);
    }
    if (kind.samples) {
      d.samples.push_back(b.descriptor_surface());
      b.interface_line(fmt::format("surface {} storage_samples {} {}", d.samples[k], place, name));
    }
    const std::uint32_t planes = k < d.conversions.size() ? d.conversions[k].planes : 0;
    for (std::uint32_t plane = 1; plane < 3 && !d.conversions.empty(); ++plane) {
      std::vector<std::string>& names = d.planes[plane - 1];
      names.push_back(plane < planes ? b.descriptor_surface() : std::string());
      if (plane < planes) b.interface_line(fmt::format("surface {} plane{} {} {}", names[k], plane, place, name));
    }
    if (kind.sampler) {
      d.samplers.push_back(b.sampler());
      b.interface_line(fmt::format("sampler {} {} {}", d.samplers[k], place, name));
    }
  }
  return d;
}

}  // namespace heddle::spirv::compiler
