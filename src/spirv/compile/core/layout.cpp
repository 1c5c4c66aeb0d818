// Where the scalars of a type lie: explicit layouts, and those of shared and private memory.
// Rules: SPV-15.
#include "spirv/compile/core/layout.hpp"
#include "base/fixed_limits.hpp"

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

namespace heddle::spirv::compiler {

using Spv = spv::Op;

bool is(const TypeInfo& info, Spv op) { return info.op == static_cast<std::uint16_t>(op); }

bool is_opaque(const TypeInfo& info) {
  return is(info, Spv::OpTypeImage) || is(info, Spv::OpTypeSampler) || is(info, Spv::OpTypeSampledImage) ||
         is(info, Spv::OpTypeAccelerationStructureKHR);
}

std::uint32_t scalar_size(const TypeInfo& info, bool dwords) {
  const std::uint32_t bytes = info.scalar == isa::Type::Bool ? 4 : isa::type_bytes(info.scalar);
  return dwords ? std::max(1u, bytes / 4) : bytes;
}

MatrixLayout matrix_layout(ShaderTranslator& t, std::uint32_t structure, std::uint32_t member) {
  MatrixLayout layout;
  if (const auto stride =
          t.member_decoration(structure, member, static_cast<std::uint32_t>(spv::Decoration::MatrixStride));
      stride && !stride->empty())
    layout.stride = (*stride)[0];
  layout.row_major =
      t.member_decoration(structure, member, static_cast<std::uint32_t>(spv::Decoration::RowMajor)).has_value();
  return layout;
}

namespace {

void collect(ShaderTranslator& t, std::uint32_t type, Pointer::Kind kind, std::uint32_t offset, MatrixLayout matrix,
             bool spread, std::vector<ScalarLocation>& out) {
  const TypeInfo info = t.type(type);
  if (info.flat == 0) return;
  const bool dwords = kind == Pointer::Kind::Scratch;
  switch (static_cast<Spv>(info.op)) {
    case Spv::OpTypeVector: {
      const std::uint32_t step = spread ? matrix.stride : scalar_size(info, dwords);
      for (std::uint32_t c = 0; c < info.count; ++c) out.push_back({offset + c * step, info.scalar});
      return;
    }
    case Spv::OpTypeMatrix: {
      const std::uint32_t column = matrix.stride != 0 ? (matrix.row_major ? scalar_size(info, dwords) : matrix.stride)
                                                      : t.natural_size(info.element, dwords);
      for (std::uint32_t c = 0; c < info.count; ++c)
        collect(t, info.element, kind, offset + c * column, matrix, matrix.row_major, out);
      return;
    }
    case Spv::OpTypeArray: {
      const std::uint32_t step = array_stride(t, type, kind);
      for (std::uint32_t c = 0; c < info.count; ++c)
        collect(t, info.element, kind, offset + c * step, matrix, false, out);
      return;
    }
    case Spv::OpTypeStruct:
      for (std::uint32_t m = 0; m < info.members.size(); ++m) {
        // Scratch has a layout of its own, whatever the type says.
        collect(t, info.members[m], kind, offset + member_offset(t, type, m, kind),
                dwords ? MatrixLayout{} : matrix_layout(t, type, m), false, out);
      }
      return;
    case Spv::OpTypePointer:
      for (std::uint32_t k = 0; k < info.flat; ++k)
        out.push_back({offset + k * scalar_size(info, dwords), info.scalar});
      return;
    default:
      if (info.flat == 1) out.push_back({offset, info.scalar});
  }
}

}  // namespace

std::uint32_t ShaderTranslator::natural_size(std::uint32_t id, bool dwords) {
  if (const auto known = natural_sizes_.find({id, dwords}); known != natural_sizes_.end()) return known->second;
  const std::uint64_t size = measure(id, dwords);
  return natural_sizes_[{id, dwords}] = static_cast<std::uint32_t>(std::min<std::uint64_t>(0x7fffffffu, size));
}

std::uint64_t ShaderTranslator::measure(std::uint32_t id, bool dwords) {
  const TypeInfo info = type(id);
  switch (static_cast<Spv>(info.op)) {
    case Spv::OpTypeVector:
      return info.count * scalar_size(info, dwords);
    case Spv::OpTypeMatrix:
    case Spv::OpTypeArray:
      return std::uint64_t{info.count} * natural_size(info.element, dwords);
    case Spv::OpTypeStruct: {
      std::uint64_t size = 0;
      for (const std::uint32_t member : info.members) {
        const std::uint32_t bytes = natural_size(member, dwords), align = dwords ? 1 : 8;
        size = (size + align - 1) / align * align + bytes;
      }
      return dwords ? size : (size + 7) / 8 * 8;
    }
    case Spv::OpTypePointer:
      return info.flat * scalar_size(info, dwords);
    default:
      return scalar_size(info, dwords);
  }
}

namespace {

/// Memory whose layout the module may say.
bool is_explicit(Pointer::Kind kind) {
  return kind == Pointer::Kind::Buffer || kind == Pointer::Kind::Shared || kind == Pointer::Kind::Address;
}

}  // namespace

std::uint32_t array_stride(ShaderTranslator& t, std::uint32_t array, Pointer::Kind kind) {
  if (is_explicit(kind))
    if (const auto stride = t.decoration(array, static_cast<std::uint32_t>(spv::Decoration::ArrayStride));
        stride && !stride->empty())
      return (*stride)[0];
  return t.natural_size(t.type(array).element, kind == Pointer::Kind::Scratch);
}

std::uint32_t member_offset(ShaderTranslator& t, std::uint32_t structure, std::uint32_t member, Pointer::Kind kind) {
  if (is_explicit(kind))
    if (const auto offset = t.member_decoration(structure, member, static_cast<std::uint32_t>(spv::Decoration::Offset));
        offset && !offset->empty())
      return (*offset)[0];
  const bool dwords = kind == Pointer::Kind::Scratch;
  const TypeInfo info = t.type(structure);
  std::uint32_t at = 0;
  for (std::uint32_t m = 0; m < member && m < info.members.size(); ++m) {
    if (!dwords) at = (at + 7) / 8 * 8;
    at += t.natural_size(info.members[m], dwords);
  }
  return dwords ? at : (at + 7) / 8 * 8;
}

std::vector<ScalarLocation> scalar_locations(ShaderTranslator& t, const Pointer& pointer) {
  std::vector<ScalarLocation> list;
  if (t.type(pointer.pointee).flat <= base::kValueScalars)
    collect(t, pointer.pointee, pointer.kind, pointer.offset, pointer.matrix, pointer.row_major_vector, list);
  return list;
}

std::uint64_t shared_extent(ShaderTranslator& t, std::uint32_t id, MatrixLayout matrix,
                            std::unordered_map<std::uint32_t, std::uint64_t>& known) {
  const TypeInfo info = t.type(id);
  const std::uint64_t natural = t.natural_size(id, false);
  std::uint64_t extent = std::max<std::uint64_t>(4, natural);
  if (is(info, Spv::OpTypeMatrix))
    return matrix.stride == 0 ? extent
                              : std::uint64_t{matrix.stride} * std::max(info.count, t.type(info.element).count);
  if (is(info, Spv::OpTypeArray)) {
    const std::uint64_t element = shared_extent(t, info.element, matrix, known);
    return std::max<std::uint64_t>(
        extent, (std::max(1u, info.count) - 1) * std::uint64_t{array_stride(t, id, Pointer::Kind::Shared)} + element);
  }
  if (!is(info, Spv::OpTypeStruct)) return extent;
  if (const auto found = known.find(id); found != known.end()) return found->second;
  for (std::uint32_t m = 0; m < info.members.size(); ++m)
    extent = std::max(extent, member_offset(t, id, m, Pointer::Kind::Shared) +
                                  shared_extent(t, info.members[m], matrix_layout(t, id, m), known));
  return known[id] = extent;
}

}  // namespace heddle::spirv::compiler
