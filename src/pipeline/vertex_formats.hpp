// SPDX-License-Identifier: MIT
#pragma once
// Attributes of vertices from the bytes of a buffer.

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "image/format.hpp"

namespace heddle::pipeline {

/// What an attribute has for each component: binary32 bits, an integer of 32 bits, or 64 bits of a wide format.
struct VertexAttribute {
  std::array<std::uint64_t, 4> components{};
  bool wide = false;  ///< components of 64 bits: binary64, or integers
};

/// Whether decode_vertex knows the format: plain, linear, of whole bytes.
[[nodiscard]] bool is_vertex_format(const image::FormatInfo& format);

/// VKF-7: one attribute; `element` has the format's bytes. Components that the format lacks are 0, the fourth 1 (of
/// wide formats: 0 and 1 as well). The format is a vertex format.
[[nodiscard]] VertexAttribute decode_vertex(const image::FormatInfo& format, const std::uint8_t* element);

}  // namespace heddle::pipeline
