// SPDX-License-Identifier: MIT
#pragma once
// Primitives on their way from one stage to the next, a piece of a draw at a time.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "machine/bindings.hpp"

namespace heddle::pipeline {

struct PrimitiveTag {
  std::uint32_t number = 0;  ///< Vulkan's PrimitiveId
  bool continues = false;    ///< a line of a strip, behind another one
};

/// Primitives of as many vertices each, in their order, and the records of those vertices. What it refers to belongs to
/// the stage that made it, and holds until that stage makes more.
struct PrimitiveStream {
  machine::SurfaceResource records;            ///< as the RecordLayout of the stage says
  std::uint32_t stride = 0;                    ///< bytes of a record
  std::uint32_t vertices = 0;                  ///< how many there are, numbered from 0
  std::span<const std::uint32_t> places = {};  ///< the record of each vertex; none: that of its number
  std::uint32_t corners = 3;                   ///< vertices of a primitive
  std::span<const std::uint32_t> at;           ///< `corners` for each primitive: numbers of vertices
  std::span<const PrimitiveTag> tags;          ///< one for each primitive
  std::uint32_t view = 0;                      ///< SystemValue::View
  std::uint32_t stream = 0;                    ///< Vulkan's vertex stream, which a geometry shader names
  /// Of mesh shaders: records of the primitives, and which of them each has.
  machine::SurfaceResource primitive_records = {};
  std::span<const std::uint32_t> primitive_places = {};

  [[nodiscard]] std::size_t size() const { return tags.size(); }
  [[nodiscard]] std::uint32_t place(std::uint32_t vertex) const { return places.empty() ? vertex : places[vertex]; }
};

/// Numbers one after another, as those of vertices that nobody shares are.
[[nodiscard]] inline bool in_a_row(std::span<const std::uint32_t> numbers) {
  if (numbers.empty()) return true;
  std::uint32_t next = numbers.front(), different = 0;
  for (const std::uint32_t number : numbers) different |= number ^ next++;
  return different == 0;
}

/// Takes one piece after the other; false: no more.
using UseStream = std::function<bool(const PrimitiveStream&)>;

}  // namespace heddle::pipeline
