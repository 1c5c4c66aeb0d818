// SPDX-License-Identifier: MIT
// INFO: docs/rules/queries.md.
// Rules: C9, C10, EXE-3, INF-1, INF-3, RES-1 to RES-9, SIN-1, SUR-8.

#include "texture/reference/resolve.hpp"
#include "texture/touches.hpp"

namespace heddle::texture {
namespace {

using image::Surface;
using image::SurfaceType;
using Words = std::array<std::uint32_t, 4>;

/// RES-4: hardware floors at 1 and answers 0 out of range [C9].
std::uint32_t level_size(std::uint32_t size, std::uint64_t level, bool in_range, bool hardware) {
  const std::uint32_t shifted = level < 32 ? size >> level : 0;
  if (!hardware) return shifted;
  if (!in_range) return 0;
  return shifted == 0 ? 1 : shifted;
}

/// RES-1.
Words resinfo(const Surface& s, std::uint32_t lod, bool hardware) {
  const std::uint64_t level = std::uint64_t{lod} + s.surf_min_lod;  // RES-3
  const bool in_range = lod <= s.mip_count;                         // RES-5: negative LODs are huge
  const auto size = [&](std::uint32_t base) { return level_size(base, level, in_range, hardware); };
  const std::uint32_t layers = s.array ? s.view_layers : 0;  // RES-6
  const std::uint32_t levels = s.mip_count + 1;              // E18
  switch (s.type) {
    case SurfaceType::Dim1:
      return {size(s.width), layers, 0, levels};
    case SurfaceType::Dim2:
      return {size(s.width) * s.quilt_width, size(s.height) * s.quilt_height, layers, levels};
    case SurfaceType::Dim3:
      return {size(s.width), size(s.height), size(s.depth), levels};
    case SurfaceType::Cube:
      return {size(s.width), size(s.height), layers, levels};
    case SurfaceType::Buffer:
    case SurfaceType::StrBuf:
    case SurfaceType::Scratch:
      return {static_cast<std::uint32_t>(s.entries), 0, 0, 0};  // RES-7 [C10]
    case SurfaceType::Null:
      break;
  }
  return {};  // RES-9
}

/// SIN-1 [C10].
Words sampleinfo(const Surface& s) {
  if (s.type == SurfaceType::Null) return {};
  return {s.samples, 0, 0, s.palette_index + 1};
}

}  // namespace

LaneResult info(const LaneRequest& request, OperationContext& context) {
  LaneResult result = reference::zero_result(image::ValueClass::Uint);
  if (request.surface == nullptr) return result;
  if (request.surface->corner_texel) {
    context.refuse("SUR-8", "corner texel mode is not supported");
    return result;
  }
  for (unsigned k = 0; k < request.simd && k < kMaxLanes; ++k) {
    if (!request.is_active(k)) continue;  // INF-1
    const Words words = request.op == Op::Sampleinfo
                            ? sampleinfo(*request.surface)
                            : resinfo(*request.surface, request.word(Param::Lod, k), context.hardware());
    for (unsigned c = 0; c < 4; ++c) result.channels[c][k] = words[c];
  }
  return result;
}

LaneResult execute(const LaneRequest& request, OperationContext& context) {
  if ((request.active & request.lanes()) == 0) return {};  // EXE-3
  if (TouchSink* const sink = touch_sink(); sink != nullptr && context.observer == sink) sink->begin(request);
  return execute_any(request, context);
}

LaneResult execute_any(const LaneRequest& request, OperationContext& context) {
  switch (operation(request.op).family) {
    case OperationKind::Sample:
      return sample(request, context);
    case OperationKind::Load:
      return load(request, context);
    case OperationKind::Gather4:
      return gather4(request, context);
    case OperationKind::Info:
      return info(request, context);
  }
  return {};
}

}  // namespace heddle::texture
