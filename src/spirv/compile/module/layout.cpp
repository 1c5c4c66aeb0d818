// SPDX-License-Identifier: MIT
// Rules: SPV-15.
#include "spirv/compile/module/layout.hpp"

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

#include "base/fixed_limits.hpp"
#include "spirv/compile/module/type_tests.hpp"
#include "spirv/newer_opcodes.hpp"

namespace heddle::spirv::compiler {

using Spv = spv::Op;

std::uint32_t scalar_size(const TypeInfo& info, bool dwords) {
  const std::uint32_t bytes = info.scalar == isa::Type::Bool ? 4 : isa::type_bytes(info.scalar);
  return dwords ? std::max(1u, bytes / 4) : bytes;
}

MatrixLayout Layout::matrix(std::uint32_t structure, std::uint32_t member) const {
  MatrixLayout layout;
  if (const auto stride =
          annotations_.member_decoration(structure, member, static_cast<std::uint32_t>(spv::Decoration::MatrixStride));
      stride && !stride->empty())
    layout.stride = (*stride)[0];
  layout.row_major =
      annotations_.member_decoration(structure, member, static_cast<std::uint32_t>(spv::Decoration::RowMajor))
          .has_value();
  return layout;
}

void Layout::collect(std::uint32_t type, Pointer::Kind kind, std::uint32_t offset, MatrixLayout matrix, bool spread,
                     std::vector<ScalarLocation>& out) {
  const TypeInfo info = types_.of(type);
  if (info.flat == 0) return;
  const bool dwords = in_dwords(kind);
  if (info.op == kTypeCooperativeMatrix) {  // in scratch only
    for (std::uint32_t c = 0; c < info.count; ++c) out.push_back({offset + c * scalar_size(info, dwords), info.scalar});
    return;
  }
  switch (static_cast<Spv>(info.op)) {
    case Spv::OpTypeVector: {
      const std::uint32_t step = spread ? matrix.stride : scalar_size(info, dwords);
      for (std::uint32_t c = 0; c < info.count; ++c) out.push_back({offset + c * step, info.scalar});
      return;
    }
    case Spv::OpTypeMatrix: {
      const std::uint32_t column = matrix.stride != 0 ? (matrix.row_major ? scalar_size(info, dwords) : matrix.stride)
                                                      : natural_size(info.element, dwords);
      for (std::uint32_t c = 0; c < info.count; ++c)
        collect(info.element, kind, offset + c * column, matrix, matrix.row_major, out);
      return;
    }
    case Spv::OpTypeArray: {
      const std::uint32_t step = array_stride(type, kind);
      for (std::uint32_t c = 0; c < info.count; ++c) collect(info.element, kind, offset + c * step, matrix, false, out);
      return;
    }
    case Spv::OpTypeStruct:
      for (std::uint32_t m = 0; m < info.members.size(); ++m) {
        collect(info.members[m], kind, offset + member_offset(type, m, kind),
                dwords ? MatrixLayout{} : this->matrix(type, m), false, out);
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

std::uint32_t Layout::natural_size(std::uint32_t id, bool dwords) {
  if (const auto known = natural_sizes_.find({id, dwords}); known != natural_sizes_.end()) return known->second;
  const std::uint64_t size = measure(id, dwords);
  return natural_sizes_[{id, dwords}] = static_cast<std::uint32_t>(std::min<std::uint64_t>(0x7fffffffu, size));
}

std::uint64_t Layout::measure(std::uint32_t id, bool dwords) {
  const TypeInfo info = types_.of(id);
  if (info.op == kTypeCooperativeMatrix) return info.count * scalar_size(info, dwords);
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

std::uint32_t Layout::array_stride(std::uint32_t array, Pointer::Kind kind) {
  if (is_explicit(kind))
    if (const auto stride = annotations_.decoration(array, static_cast<std::uint32_t>(spv::Decoration::ArrayStride));
        stride && !stride->empty())
      return (*stride)[0];
  return natural_size(types_.of(array).element, in_dwords(kind));
}

std::uint32_t Layout::pointer_stride(std::uint32_t pointer) {
  const auto stride = annotations_.decoration(pointer, static_cast<std::uint32_t>(spv::Decoration::ArrayStride));
  return stride && !stride->empty() ? (*stride)[0] : natural_size(types_.of(pointer).element, false);
}

std::uint32_t Layout::member_offset(std::uint32_t structure, std::uint32_t member, Pointer::Kind kind) {
  if (is_explicit(kind))
    if (const auto offset =
            annotations_.member_decoration(structure, member, static_cast<std::uint32_t>(spv::Decoration::Offset));
        offset && !offset->empty())
      return (*offset)[0];
  const bool dwords = in_dwords(kind);
  const TypeInfo info = types_.of(structure);
  std::uint32_t at = 0;
  for (std::uint32_t m = 0; m < member && m < info.members.size(); ++m) {
    if (!dwords) at = (at + 7) / 8 * 8;
    at += natural_size(info.members[m], dwords);
  }
  return dwords ? at : (at + 7) / 8 * 8;
}

std::vector<ScalarLocation> Layout::scalars(const Pointer& pointer) {
  std::vector<ScalarLocation> list;
  if (types_.of(pointer.pointee).flat <= base::kValueScalars)
    collect(pointer.pointee, pointer.kind, pointer.offset, pointer.matrix, pointer.row_major_vector, list);
  return list;
}

std::uint64_t Layout::shared_extent(std::uint32_t id, MatrixLayout matrix) {
  const TypeInfo info = types_.of(id);
  const std::uint64_t natural = natural_size(id, false);
  std::uint64_t extent = std::max<std::uint64_t>(4, natural);
  if (is(info, Spv::OpTypeMatrix))
    return matrix.stride == 0 ? extent
                              : std::uint64_t{matrix.stride} * std::max(info.count, types_.of(info.element).count);
  if (is(info, Spv::OpTypeArray)) {
    const std::uint64_t element = shared_extent(info.element, matrix);
    return std::max<std::uint64_t>(
        extent, (std::max(1u, info.count) - 1) * std::uint64_t{array_stride(id, Pointer::Kind::Shared)} + element);
  }
  if (!is(info, Spv::OpTypeStruct)) return extent;
  if (const auto found = shared_extents_.find(id); found != shared_extents_.end()) return found->second;
  for (std::uint32_t m = 0; m < info.members.size(); ++m)
    extent = std::max(
        extent, member_offset(id, m, Pointer::Kind::Shared) + shared_extent(info.members[m], this->matrix(id, m)));
  return shared_extents_[id] = extent;
}

}  // namespace heddle::spirv::compiler
