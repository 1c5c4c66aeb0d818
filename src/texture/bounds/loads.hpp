// SPDX-License-Identifier: MIT
#pragma once
// What loads may answer (BND-11, BND-15).

#include "texture/bounds/bounds.hpp"

namespace heddle::texture::bounds {

/// For an operation of the family Load. Nothing after a refusal, which goes to the context's reports.
[[nodiscard]] std::optional<Bounds> load_bounds(const LaneRequest& request, Api api, OperationContext& context);

}  // namespace heddle::texture::bounds
