// SPDX-License-Identifier: MIT
// Any state and any bits of coordinates for every operation of the texture unit: no crash, the same answer twice.

#include <cstdint>
#include <cstdlib>

#include "base/byte_cursor.hpp"
#include "texture/request.hpp"

namespace {

using namespace heddle;

image::Surface read_surface(base::ByteCursor& in) {
  using image::SurfaceType;
  constexpr SurfaceType kTypes[] = {SurfaceType::Dim1, SurfaceType::Dim2,   SurfaceType::Dim3,
                                    SurfaceType::Cube, SurfaceType::Buffer, SurfaceType::Null};
  image::Surface s;
  s.type = kTypes[in.u8() % 6];
  const auto formats = image::all_formats();
  s.format = formats[in.u16() % formats.size()].format;
  s.width = 1 + in.u8() % 33;
  s.height = s.type == SurfaceType::Dim1 ? 1 : s.type == SurfaceType::Cube ? s.width : 1 + in.u8() % 33;
  s.depth = s.type == SurfaceType::Dim3 ? 1 + in.u8() % 9 : 1;
  s.array = s.type != SurfaceType::Dim3 && (in.u8() & 1) != 0;
  s.layers = s.type == SurfaceType::Dim3 ? 1 : s.type == SurfaceType::Cube ? 6 * (1 + in.u8() % 2) : 1 + in.u8() % 3;
  s.levels = 1 + in.u8() % 6;
  s.entries = 1 + in.u8();
  s.view_layers = 1 + in.u8() % 4;
  s.mip_count = in.u8() % 16;
  s.surf_min_lod = in.u8() % 4;
  s.min_array_element = in.u8() % 4;
  s.resource_min_lod = in.u16() % 4096;
  s.unread_levels = in.u8() % 4;
  s.base_mip_level = in.u8() % 32;
  s.cube_faces = in.u8() % 64;
  s.samples = 1u << in.u8() % 5;
  for (auto& select : s.swizzle)
    select = static_cast<image::ChannelSelect>((in.u8() % 6 + 1) % 6 < 2 ? in.u8() % 2 : 4 + in.u8() % 4);
  return s;
}

image::Sampler read_sampler(base::ByteCursor& in) {
  image::Sampler s;
  s.min_filter = static_cast<image::Filter>(in.u8() % 3);
  s.mag_filter = static_cast<image::Filter>(in.u8() % 3);
  constexpr image::MipFilter kMips[] = {image::MipFilter::None, image::MipFilter::Nearest, image::MipFilter::Linear};
  s.mip_filter = kMips[in.u8() % 3];
  s.tcx = static_cast<image::AddressMode>(in.u8() % 8);
  s.tcy = static_cast<image::AddressMode>(in.u8() % 8);
  s.tcz = static_cast<image::AddressMode>(in.u8() % 8);
  const unsigned flags = in.u8();
  s.cube_override = flags & 1;
  s.non_normalized = flags & 2;
  s.srgb_decode = flags & 4;
  s.reduction_enable = flags & 8;
  s.border_mode = flags & 16 ? image::BorderMode::Dx9 : image::BorderMode::Dx10;
  s.preclamp = flags & 32 ? image::LodPreClamp::Ogl : image::LodPreClamp::None;
  s.lod_clamp_mag = flags & 64 ? image::LodClampMag::MipFilter : image::LodClampMag::MipNone;
  for (auto& word : s.border) word = in.u32();
  s.lod_bias = static_cast<std::int16_t>(in.u16()) / 8;
  s.min_lod = in.u16() % 4096;
  s.max_lod = in.u16() % 4096;
  s.max_anisotropy = in.u8() % 8;
  s.trilinear_quality = in.u8() % 4;
  s.compare = static_cast<image::CompareFunction>(in.u8() % 8);
  s.reduction = static_cast<image::Reduction>(in.u8() % 4);
  return s;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  base::ByteCursor in({data, size});
  image::Surface surface = read_surface(in);
  base::Limits limits;
  limits.surface_bytes = 1u << 20;
  if (!image::allocate(surface, limits).ok()) return 0;
  if (surface.memory)
    for (auto& byte : *surface.memory) byte = static_cast<std::uint8_t>(&byte - surface.memory->data());
  const image::Sampler sampler = read_sampler(in);
  const auto operations = texture::all_operations();
  const texture::Operation& op = operations[in.u8() % operations.size()];
  texture::LaneRequest request;
  request.op = op.op;
  request.simd = 8u << in.u8() % 3;
  request.active = in.u32();
  request.surface = &surface;
  request.sampler = &sampler;
  const unsigned offsets = in.u16();
  for (unsigned k = 0; k < 3; ++k) request.offset[k] = static_cast<int>(offsets >> (4 * k) & 15u) - 8;
  request.cps_compensation = offsets >> 15 & 1u;
  request.half_parameters = offsets >> 14 & 1u;
  std::array<texture::LaneWords, 12> words{};
  std::size_t next = 0;
  for (const texture::Param p : op.parameters()) {
    std::uint32_t last = 0;
    for (auto& word : words[next]) word = last = in.remaining() >= 4 ? in.u32() : last * 0x9e3779b9u + 1;
    request.set(p, words[next++]);
  }
  texture::OperationContext one, two;
  one.platform = two.platform = static_cast<texture::UnitPlatform>(offsets >> 12 & 3u);
  const texture::LaneResult a = texture::execute(request, one), b = texture::execute(request, two);
  if (a.channels != b.channels || a.null_mask != b.null_mask) std::abort();
  return 0;
}
