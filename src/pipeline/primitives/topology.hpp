// SPDX-License-Identifier: MIT
#pragma once
// How a row of vertices makes points, lines and triangles (PRM-1 to PRM-3).

#include <array>
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
  TriangleStripAdjacency
};

/// Whether no two primitives share a vertex (but by an index).
[[nodiscard]] constexpr bool is_list(Topology topology) {
  switch (topology) {
    case Topology::TriangleList:
    case Topology::TriangleListAdjacency:
    case Topology::LineList:
    case Topology::LineListAdjacency:
    case Topology::PointList:
      return true;
    default:
      return false;
  }
}

/// Vertices of a primitive.
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

}  // namespace heddle::pipeline
