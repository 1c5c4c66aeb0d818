// SPDX-License-Identifier: MIT
#pragma once
// What the stages between vertices and pixels bind alike.

#include <algorithm>
#include <initializer_list>

#include "job/bind/binder.hpp"
#include "job/bind/own_surfaces.hpp"
#include "pipeline/bound.hpp"

namespace heddle::job {

/// Everything of the stage but the surfaces of its own, which stand where the result finds them.
template <typename Plan>
OwnSurfaces bind_primitive_stage(Binder& binder, unsigned simd, std::initializer_list<ResourceKind> own_kinds,
                                 Plan& plan) {
  plan.simd = simd;
  plan.scratch_bytes = pipeline::scratch_of(binder.kernel());
  std::uint32_t end = 128;
  for (const isa::Input& i : binder.kernel().inputs) end = std::max(end, i.offset + i.size);
  binder.bound().payload.resize(end);
  binder.fill_values(
      [&](pipeline::SystemValue value, std::uint32_t offset) { plan.values.push_back({value, offset}); });
  OwnSurfaces own(binder);
  for (const ResourceKind kind : own_kinds) own.preset(kind);
  binder.bind_blocks();
  binder.bind_state_variables();
  binder.bind_inputs([](const isa::Input& i, const isa::VariableInfo&) { return i.offset < 32; });
  binder.bind_memory();
  return own;
}

}  // namespace heddle::job
