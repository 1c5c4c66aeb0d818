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

/// A scalar, vector or matrix in the words of the interface; nothing for other types.
std::string plain_type_text(ShaderTranslator& t, std::uint32_t id, const MatrixLayout& matrix) {
  const TypeInfo info = t.type(id);
  if (is_scalar(info)) return scalar_text(info);
  if (is(info, Spv::OpTypeVector)) return fmt::format("{}x{}", scalar_text(t.type(info.element)), info.count);
  if (!is(info, Spv::OpTypeMatrix)) return {};
  return fmt::format("{}x{}/{}{}", plain_type_text(t, info.element, {}), info.count, matrix.stride,
                     matrix.row_major ? "r" : "");
}

/// A member of no such type: bytes up to the end of its last scalar.
std::string opaque_text(ShaderTranslator& t, std::uint32_t id, const MatrixLayout& matrix) {
  Pointer p;
  p.kind = Pointer::Kind::Buffer;
  p.pointee = id;
  p.matrix = matrix;
  std::uint32_t end = 0;
  for (const ScalarLocation& place : scalar_locations(t, p))
    end = std::max(end, place.offset + isa::type_bytes(place.type));
  return fmt::format("bytes/{}", end);
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
      lines_ = {fmt::format("{} {} {}", offset, opaque_text(t_, type, matrix), name)};
    }
    for (const std::string& line : lines_) t_.b.interface_line(fmt::format("member {} {}", surface, line));
  }

 private:
  static constexpr std::size_t kMostLines = 512;
  static constexpr unsigned kMostArrays = 8, kMostDepth = 16;

  /// False where the words of the interface do not reach, or there are too many members to be named.
  bool collect(std::uint32_t offset, std::uint32_t type, const MatrixLayout& matrix, const std::string& name,
               std::string arrays, unsigned dimensions, unsigned depth) {
    TypeInfo info = t_.type(type);
    while (is(info, Spv::OpTypeArray) || is(info, Spv::OpTypeRuntimeArray)) {
      if (++dimensions > kMostArrays) return false;
      const std::uint32_t stride = array_stride(t_, type, Pointer::Kind::Buffer);
      const bool open = is(info, Spv::OpTypeRuntimeArray);
      arrays += fmt::format("[{}]/{}", open ? std::string() : fmt::to_string(info.count), stride);
      type = info.element;
      info = t_.type(type);
    }
    if (!is(info, Spv::OpTypeStruct)) {
      const std::string text = plain_type_text(t_, type, matrix);
      if (text.empty() || lines_.size() == kMostLines) return false;
      lines_.push_back(fmt::format("{} {}{} {}", offset, text, arrays, name));
      return true;
    }
    if (depth == kMostDepth) return false;
    for (std::uint32_t m = 0; m < info.members.size(); ++m) {
      std::string member = t_.member_name(type, m);
      if (member.empty()) member = fmt::to_string(m);
      if (!collect(offset + member_offset(t_, type, m, Pointer::Kind::Buffer), info.members[m],
                   matrix_layout(t_, type, m), name + "." + member, arrays, dimensions, depth + 1))
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
