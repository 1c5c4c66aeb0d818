// SPDX-License-Identifier: MIT
#pragma once
// The mesh that is rasterized, of a stage's primitives.

#include <span>

#include "pipeline/primitives/records.hpp"
#include "pipeline/run_context.hpp"

namespace heddle::pipeline {

/// `layout`: of the records; `from`: where each attribute of the mesh lies; of `state` the topology does not count.
void make_mesh(const PrimitiveStream& stream, const RecordLayout& layout, std::span<const RecordComponent> from,
               const PrimitiveState& state, Mesh& mesh, RunContext& context);

}  // namespace heddle::pipeline
