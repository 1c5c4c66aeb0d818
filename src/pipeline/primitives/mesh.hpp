// SPDX-License-Identifier: MIT
#pragma once
// Points, lines or triangles with attributes (PIX-1).

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace heddle::image {
struct Surface;
}

namespace heddle::pipeline {

struct MeshAttribute {
  std::uint32_t components = 1;
  bool flat = false;           ///< the provoking vertex's value, for the whole primitive
  bool linear = false;         ///< linear in the window, not in perspective
  std::vector<double> values;  ///< components for each vertex
  /// Where the values come from: the vertices, a vertex of the primitive for all of it, or the weight of that vertex
  /// (1 there, 0 at the others; `values` is not used), or the primitives: `values` has components for each of those.
  enum class Source : std::uint8_t { Vertices, AtVertex, Weight, Primitives };
  Source source = Source::Vertices;
  std::uint8_t vertex = 0;
  /// Of a run that is checked: not 0 at vertices (primitives) whose shader did not write it; empty: it did so at all.
  std::vector<std::uint8_t> unwritten = {};
  /// Not null: the one component is binary32 and lies in the records of the vertices, so many bytes from one to the
  /// next; `values` is not used.
  const std::uint8_t* records = nullptr;
  std::size_t record_bytes = 0;

  /// Of a vertex (primitive).
  [[nodiscard]] double value(std::size_t entry, std::uint32_t component) const {
    if (records == nullptr) return values[entry * components + component];
    float value = 0;
    std::memcpy(&value, records + entry * record_bytes, sizeof value);
    return value;
  }
};

struct MeshLine {
  std::uint32_t from = 0, to = 0;
  bool continues = false;  ///< the line before it, in a strip
};

struct Mesh {
  std::vector<std::array<double, 4>> positions;  ///< clip coordinates
  std::vector<MeshAttribute> attributes;
  /// Primitives of one kind; the others are empty.
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<MeshLine> lines;
  std::vector<std::uint32_t> points;
  /// Vulkan's user clip and cull distances: for each plane its value at the vertices.
  std::vector<std::vector<double>> clip_distances, cull_distances;
  std::vector<double> point_sizes;               ///< of the vertices; none: 1
  std::vector<std::uint32_t> layers, viewports;  ///< of the vertices, the provoking one's counts; none: the state's
  std::vector<std::uint32_t> shading_rates;      ///< of the vertices, likewise (FSR-1); none: 0
  bool of_primitives = false;                    ///< the three lists have entries of primitives, not of vertices
  bool full_screen = false;                      ///< front-facing whatever its orientation
  bool provoking_last = false;                   ///< the last vertex of a primitive is the provoking one
  std::vector<std::uint32_t> numbers;            ///< of the primitives; none: their places in the list

  std::vector<std::uint8_t> unwritten_positions;  ///< as MeshAttribute::unwritten
  /// Of a run that is observed: the records of the stage that wrote the vertices, and the byte of each one's position
  /// in them, for as long as that stage makes no more. Null and empty: no stage did.
  const image::Surface* record_surface = nullptr;
  std::vector<std::uint64_t> records;

  [[nodiscard]] std::size_t count() const { return triangles.size() + lines.size() + points.size(); }
};

/// One triangle over the whole target: NDC (-1,-1), (3,-1), (-1,3), z = 0, w = 1. Its one attribute runs from (0, 0) to
/// (1, 1) over the target.
[[nodiscard]] Mesh full_screen_triangle();

}  // namespace heddle::pipeline
