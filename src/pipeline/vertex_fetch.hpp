#pragma once
// Which vertices a draw names, and what their inputs are.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "pipeline/vertices.hpp"

namespace heddle::pipeline {

/// The vertices of one instance, each once, in the order of their first use, and the triangles that they make.
class VertexList {
 public:
  /// False where there are more vertices than `most`.
  bool make(const VertexDraw& draw, std::uint64_t most);
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(vertices_.size()); }
  [[nodiscard]] std::uint32_t vertex(std::uint32_t number) const {
    return vertices_[number];
  }  ///< Vulkan's VertexIndex
  [[nodiscard]] const std::vector<std::array<std::uint32_t, 3>>& triangles() const { return triangles_; }

 private:
  bool add_indexed(const VertexDraw& draw, const IndexBuffer& indices, std::uint64_t most);
  void add_strip(const VertexDraw& draw);

  std::vector<std::uint32_t> vertices_;
  std::vector<std::array<std::uint32_t, 3>> triangles_;
  std::vector<std::uint32_t> strip_;                            ///< numbers of vertices up to a restart
  std::unordered_map<std::uint32_t, std::uint32_t> number_of_;  ///< by index
};

/// Fills inputs of a thread's payload, element by element.
class VertexFetcher {
 public:
  explicit VertexFetcher(const VertexPlan& plan);
  static constexpr std::uint32_t kMostLanes = 32;
  struct Lane {
    std::uint32_t vertex = 0, instance = 0;  ///< instance: counted from 0
  };
  void fill(const VertexDraw& draw, std::span<const Lane> lanes, std::span<std::uint8_t> payload) const;

 private:
  /// Components of one element.
  struct Element {
    std::uint32_t buffer = 0, offset = 0;
    const image::FormatInfo* format = nullptr;
    bool wide = false, plain = false;  ///< of 64 bits; as stored
    std::uint32_t bytes = 0;
    std::vector<VertexFetch> components;
  };
  static void put(const Element& element, const std::uint8_t* bytes, std::size_t lane, std::span<std::uint8_t> payload);
  std::vector<Element> elements_;
};

}  // namespace heddle::pipeline
