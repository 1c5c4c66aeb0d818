// SPDX-License-Identifier: MIT
#pragma once
// How a row of vertices makes points, lines and triangles (PRM-1 to PRM-3).

#include <array>
#include <cstddef>
#include <cstdint>

namespace heddle::pipeline {

enum class Topology : std::uint8_t {
  TriangleList,
  TriangleStrip,
  TriangleFan,
  PointList,
  LineList,
  LineStrip,
  LineListAdjacency,
  LineStripAdjacency,
  TriangleListAdjacency,
  TriangleStripAdjacency,
  PatchList  ///< as many vertices as the draw says; only a tessellation stage takes them
};

/// Whether no two primitives share a vertex (but by an index).
[[nodiscard]] constexpr bool is_list(Topology topology) {
  switch (topology) {
    case Topology::TriangleList:
    case Topology::TriangleListAdjacency:
    case Topology::LineList:
    case Topology::LineListAdjacency:
    case Topology::PointList:
    case Topology::PatchList:
      return true;
    default:
      return false;
  }
}

/// Vertices of a primitive that is rasterized.
[[nodiscard]] constexpr std::uint32_t corners_of(Topology topology) {
  switch (topology) {
    case Topology::PointList:
      return 1;
    case Topology::LineList:
    case Topology::LineStrip:
    case Topology::LineListAdjacency:
    case Topology::LineStripAdjacency:
      return 2;
    default:
      return 3;
  }
}

/// Vertices of a primitive for the stage that takes it whole: those of its neighbors too, or a patch of so many.
[[nodiscard]] constexpr std::uint32_t whole_corners_of(Topology topology, std::uint32_t patch_vertices) {
  switch (topology) {
    case Topology::LineListAdjacency:
    case Topology::LineStripAdjacency:
      return 4;
    case Topology::TriangleListAdjacency:
    case Topology::TriangleStripAdjacency:
      return 6;
    case Topology::PatchList:
      return patch_vertices;
    default:
      return corners_of(topology);
  }
}
inline constexpr std::uint32_t kMaxPatchVertices = 32;

/// Takes vertices one after the other, and says which primitive each one completes. `V`: what stands for a vertex.
template <typename V>
class PrimitiveAssembly {
 public:
  /// The provoking vertex is the first of each primitive, or the last.
  PrimitiveAssembly(Topology topology, bool provoking_last) : topology_(topology), last_(provoking_last) {}

  /// The next vertex begins a new strip, fan, or primitive of a list.
  void restart() { count_ = 0; }

  struct Primitive {
    bool made = false;
    bool continues = false;  ///< a line of a strip, behind another one
    std::array<V, 3> at{};   ///< corners_of() of them
  };
  [[nodiscard]] Primitive add(const V& vertex) {
    const std::uint32_t n = count_++;
    if (n == 0) first_ = vertex;
    kept_[n % kKept] = vertex;
    switch (topology_) {
      case Topology::PointList:
        return made(vertex, vertex, vertex);
      case Topology::LineList:
        return n % 2 == 1 ? made(back(1), vertex, vertex) : Primitive{};
      case Topology::LineStrip:
        return n >= 1 ? made(back(1), vertex, vertex, n >= 2) : Primitive{};
      case Topology::LineListAdjacency:
        return n % 4 == 3 ? made(back(2), back(1), back(1)) : Primitive{};
      case Topology::LineStripAdjacency:
        return n >= 3 ? made(back(2), back(1), back(1), n >= 4) : Primitive{};
      case Topology::TriangleList:
        return n % 3 == 2 ? made(back(2), back(1), vertex) : Primitive{};
      case Topology::TriangleListAdjacency:
        return n % 6 == 5 ? made(back(5), back(3), back(1)) : Primitive{};
      case Topology::TriangleStrip:
        return n >= 2 ? of_strip(n % 2 != 0, back(2), back(1), vertex) : Primitive{};
      case Topology::TriangleStripAdjacency:
        return n >= 5 && n % 2 == 1 ? of_strip((n - 5) / 2 % 2 != 0, back(5), back(3), back(1)) : Primitive{};
      case Topology::TriangleFan:
        if (n < 2) return {};
        return last_ ? made(first_, back(1), vertex) : made(back(1), vertex, first_);
      case Topology::PatchList:
        return {};
    }
    return {};
  }

 private:
  static constexpr std::uint32_t kKept = 8;
  [[nodiscard]] const V& back(std::uint32_t n) const { return kept_[(count_ - 1 - n) % kKept]; }
  static Primitive made(const V& a, const V& b, const V& c, bool continues = false) {
    return {true, continues, {a, b, c}};
  }
  /// Every second triangle of a strip turns two vertices round, so that all have one orientation.
  [[nodiscard]] Primitive of_strip(bool odd, const V& a, const V& b, const V& c) const {
    if (!odd) return made(a, b, c);
    return last_ ? made(b, a, c) : made(a, c, b);
  }

  Topology topology_;
  bool last_;
  std::uint32_t count_ = 0;  ///< since the last restart
  V first_{};
  std::array<V, kKept> kept_{};  ///< the last vertices, in turn
};

/// The same for primitives that are taken whole: with the vertices of their neighbors, or patches (PRM-1, PRM-8).
template <typename V>
class WholeAssembly {
 public:
  WholeAssembly(Topology topology, bool provoking_last, std::uint32_t patch_vertices)
      : topology_(topology), last_(provoking_last), corners_(whole_corners_of(topology, patch_vertices)) {}

  struct Primitive {
    bool made = false;
    bool continues = false;
    std::array<V, kMaxPatchVertices> at{};
  };
  [[nodiscard]] Primitive add(const V& vertex) {
    const std::uint32_t n = count_++;
    kept_[n % kKept] = vertex;
    switch (topology_) {
      case Topology::LineListAdjacency:
      case Topology::TriangleListAdjacency:
      case Topology::PatchList:
        return n % corners_ == corners_ - 1 ? last_vertices() : Primitive{};
      case Topology::LineStripAdjacency: {
        if (n < 3) return {};
        Primitive line = last_vertices();
        line.continues = n >= 4;
        return line;
      }
      case Topology::TriangleStripAdjacency:
        // Whether a triangle is the strip's last one is known when there is one behind it.
        return n >= 7 && n % 2 == 1 ? of_strip((n - 7) / 2, false) : Primitive{};
      default:
        return {};
    }
  }
  /// The strip ends: what there is of it still. The next vertex begins another.
  [[nodiscard]] Primitive restart() {
    Primitive rest;
    if (topology_ == Topology::TriangleStripAdjacency && count_ >= 6) rest = of_strip(count_ / 2 - 3, true);
    count_ = 0;
    return rest;
  }

 private:
  static constexpr std::uint32_t kKept = 32;
  [[nodiscard]] Primitive last_vertices() const {
    Primitive p{true, false, {}};
    for (std::uint32_t k = 0; k < corners_ && k < kKept; ++k) p.at[k] = kept_[(count_ - corners_ + k) % kKept];
    return p;
  }
  /// Triangle i of a strip: its own vertices are 2i, 2i+2 and 2i+4; each edge's neighbor stands behind its vertex.
  [[nodiscard]] Primitive of_strip(std::uint32_t i, bool last) const {
    const auto v = [&](std::uint32_t k) -> const V& { return kept_[k % kKept]; };
    const V& a = v(2 * i);
    const V& b = v(2 * i + 2);
    const V& c = v(2 * i + 4);
    const V& ab = i == 0 ? v(1) : v(2 * i - 2);
    const V& bc = last ? v(2 * i + 5) : v(2 * i + 6);
    const V& ca = v(2 * i + 3);
    if (i % 2 == 0) return {true, false, {a, ab, b, bc, c, ca}};
    return last_ ? Primitive{true, false, {b, ab, a, ca, c, bc}} : Primitive{true, false, {a, ca, c, bc, b, ab}};
  }

  Topology topology_;
  bool last_;
  std::uint32_t corners_;
  std::uint32_t count_ = 0;  ///< since the last restart
  std::array<V, kKept> kept_{};
};

}  // namespace heddle::pipeline
