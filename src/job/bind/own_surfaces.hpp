// SPDX-License-Identifier: MIT
#pragma once
// Surfaces that a stage of a draw makes itself: records, tables, counts. They get their places with all others; a run
// puts its own there.

#include <map>
#include <memory>

#include "job/bind/binder.hpp"
#include "pipeline/primitives/record_link.hpp"

namespace heddle::job {

class OwnSurfaces {
 public:
  explicit OwnSurfaces(Binder& binder) : binder_(binder) {}
  /// Before the binder binds variables: the shader's line of this kind stands for a surface of the stage.
  void preset(ResourceKind kind);
  /// Behind it: where the surface stands.
  [[nodiscard]] pipeline::OwnSurface find(ResourceKind kind) const;

 private:
  Binder& binder_;
  std::map<ResourceKind, std::shared_ptr<image::Surface>> surfaces_;
};

}  // namespace heddle::job
