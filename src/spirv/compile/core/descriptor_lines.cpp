// SPDX-License-Identifier: MIT
// Rules: SPV-27.
#include "spirv/compile/core/descriptor_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>
#include <vector>

#include "spirv/compile/core/context.hpp"
#include "spirv/compile/module/type_tests.hpp"

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
std::string plain_type_text(ShaderContext& t, std::uint32_t id, const MatrixLayout& matrix) {
  const TypeInfo info = t.types.of(id);
  if (is_scalar(info)) return scalar_text(info);
  if (is(info, Spv::OpTypeVector)) return fmt::format("{}x{}", scalar_text(t.types.of(info.element)), info.count);
  if (!is(info, Spv::OpTypeMatrix)) return {};
  return fmt::format("{}x{}/{}{}", plain_type_text(t, info.element, {}), info.count, matrix.stride,
                     matrix.row_major ? "r" : "");
}

/// A member of no such type: bytes up to the end of its last scalar. Nothing where it has none.
std::string opaque_text(ShaderContext& t, std::uint32_t id, const MatrixLayout& matrix) {
  Pointer p;
  p.kind = Pointer::Kind::Buffer;
  p.pointee = id;
  p.matrix = matrix;
  std::uint32_t end = 0;
  for (const ScalarLocation& place : t.layout.scalars(p))
    end = std::max(end, place.offset + isa::type_bytes(place.type));
  return end != 0 ? fmt::format("bytes/{}", end) : std::string();
}

/// The members of a block that are no structures, of all depths.
class MemberLines {
 public:
  explicit MemberLines(ShaderContext& t) : t_(t) {}

  /// One member of the block, with what lies in it.
  void add(std::uint32_t structure, std::uint32_t m, const std::string& surface) {
    lines_.clear();
    const std::uint32_t type = t_.types.of(structure).members[m];
    const MatrixLayout matrix = t_.layout.matrix(structure, m);
    const std::uint32_t offset = t_.layout.member_offset(structure, m, Pointer::Kind::Buffer);
    const std::string name = t_.annotations.member_name(structure, m);
    if (!collect(offset, type, matrix, name, {}, 0, 0)) {
      if (is(t_.types.of(type), Spv::OpTypeRuntimeArray)) return;
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
    TypeInfo info = t_.types.of(type);
    while (is(info, Spv::OpTypeArray) || is(info, Spv::OpTypeRuntimeArray)) {
      if (++dimensions > kMaxArrays) return false;
      const std::uint32_t stride = t_.layout.array_stride(type, Pointer::Kind::Buffer);
      const bool open = is(info, Spv::OpTypeRuntimeArray);
      arrays += fmt::format("[{}]/{}", open ? std::string() : fmt::to_string(info.count), stride);
      type = info.element;
      info = t_.types.of(type);
    }
    if (!is(info, Spv::OpTypeStruct)) {
      const std::string text = plain_type_text(t_, type, matrix);
      if (text.empty() || lines_.size() == kMaxLines) return false;
      lines_.push_back(fmt::format("{} {}{} {}", offset, text, arrays, name));
      return true;
    }
    if (depth == kMaxDepth) return false;
    for (std::uint32_t m = 0; m < info.members.size(); ++m) {
      std::string member = t_.annotations.member_name(type, m);
      if (member.empty()) member = fmt::to_string(m);
      if (!collect(offset + t_.layout.member_offset(type, m, Pointer::Kind::Buffer), info.members[m],
                   t_.layout.matrix(type, m), fmt::format("{}.{}", name, member), arrays, dimensions, depth + 1))
        return false;
    }
    return !info.members.empty();
  }

  ShaderContext& t_;
  std::vector<std::string> lines_;
};

void member_lines(ShaderContext& t, std::uint32_t structure, const std::string& surface) {
  MemberLines lines(t);
  const std::size_t count = t.types.of(structure).members.size();
  for (std::uint32_t m = 0; m < count; ++m) lines.add(structure, m, surface);
}

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

}  // namespace

std::string DescriptorKind::text() const {
  return fmt::format("{}{}{}{}", word, shape, format.empty() ? "" : "/", format);
}

void block_lines(ShaderContext& t, std::uint32_t structure, const std::string& surface, const std::string& name) {
  const std::string type = t.annotations.name_of(structure, "");
  if (!type.empty() && type != name) t.b.interface_line(fmt::format("block {} {}", surface, type));
  member_lines(t, structure, surface);
}

namespace {

/// What stands behind the shape of an image without a format of its own.
std::string_view numbers_of(const ImageInfo& image) { return isa::is_float(image.texel) ? "" : "integers"; }

}  // namespace

DescriptorKind descriptor_kind(ShaderContext& t, std::uint32_t pointee, std::uint32_t storage_class) {
  const auto storage = static_cast<spv::StorageClass>(storage_class);
  switch (static_cast<Spv>(t.types.of(pointee).op)) {
    case Spv::OpTypeSampler:
      return {"image", false, true};
    case Spv::OpTypeSampledImage: {
      const ImageInfo image = t.types.image(pointee);
      const auto dim = static_cast<spv::Dim>(image.dim);
      return {dim == spv::Dim::Buffer ? "texel_buffer"
              : dim == spv::Dim::Rect ? "rect_image"
                                      : "image",
              true,
              true,
              false,
              shape_of(image),
              shape_of(image).empty() ? "" : numbers_of(image)};
    }
    case Spv::OpTypeImage: {
      const ImageInfo image = t.types.image(pointee);
      const bool buffer = static_cast<spv::Dim>(image.dim) == spv::Dim::Buffer;
      if (static_cast<spv::Dim>(image.dim) == spv::Dim::SubpassData) return {"input_attachment"};
      const std::string_view numbers = shape_of(image).empty() ? "" : numbers_of(image),
                             format = format_of(image.format);
      if (image.sampled == 2)
        return {buffer ? "storage_texel_buffer" : "storage_image",
                true,
                false,
                image.multisampled,
                shape_of(image),
                format.empty() ? numbers : format};
      return {buffer ? "texel_buffer" : "image", true, false, false, shape_of(image), numbers};
    }
    default: {
      const bool writable = storage == spv::StorageClass::StorageBuffer ||
                            t.annotations.decoration(pointee, static_cast<std::uint32_t>(spv::Decoration::BufferBlock));
      return {writable ? "storage_buffer" : "uniform_buffer"};
    }
  }
}

}  // namespace heddle::spirv::compiler
