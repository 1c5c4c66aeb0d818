// SPDX-License-Identifier: MIT
#include "job/bind/own_surfaces.hpp"

#include <algorithm>

namespace heddle::job {

void OwnSurfaces::preset(ResourceKind kind) {
  const SurfaceLine& line = *binder_.shader()->of_kind(kind);
  auto surface = buffer_surface(std::make_shared<image::Memory>(std::max(4u, line.stride)),
                                image::find_format("RAW")->format, "vertex outputs");
  binder_.preset(line.variable, surface);
  surfaces_[kind] = std::move(surface);
}

pipeline::OwnSurface OwnSurfaces::find(ResourceKind kind) const {
  const SurfaceLine& line = *binder_.shader()->of_kind(kind);
  if (line.bindless()) return {.handle = line.variable - kFirstHandle};
  const auto& surfaces = binder_.bound().bindings.surfaces;
  const auto found = std::ranges::find(surfaces, surfaces_.at(kind), &machine::SurfaceResource::object);
  return {.slot = static_cast<std::uint32_t>(found - surfaces.begin())};
}

}  // namespace heddle::job
