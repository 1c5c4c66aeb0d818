// SPDX-License-Identifier: MIT
#pragma once
// What the environment says to the layer: docs/footprint-layer.md.

namespace heddle::layer {

inline constexpr const char* kLayerName = "VK_LAYER_HEDDLE_footprint";

/// HEDDLE_LAYER_LENIENT: a query that cannot be rewritten answers zero, with a warning, where else the shader is
/// refused.
[[nodiscard]] bool is_lenient();
/// HEDDLE_LAYER_FORCE: queries are rewritten on devices that have the extension, too.
[[nodiscard]] bool is_forced();

}  // namespace heddle::layer
