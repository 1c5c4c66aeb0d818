// SPDX-License-Identifier: MIT
#pragma once
// The inputs of vertices, from bytes.

#include <array>
#include <cstdint>
#include <vector>

#include "pipeline/vertices/vertex_list.hpp"

namespace heddle::pipeline {

/// Fills inputs of a thread's payload, element by element.
class VertexFetcher {
 public:
  explicit VertexFetcher(const VertexPlan& plan);
  static constexpr std::uint32_t kMaxLanes = 32;
  void fill(const VertexDraw& draw, std::span<const ShadedVertex> lanes, std::span<std::uint8_t> payload) const;

 private:
  /// Components of one element.
  struct Element {
    std::uint32_t buffer = 0, offset = 0;
    const image::FormatInfo* format = nullptr;
    bool wide = false, plain = false;  ///< of 64 bits; as stored
    std::uint32_t bytes = 0;
    std::vector<VertexFetch> components;
    std::vector<std::uint32_t> table;       ///< kValues for each of four components; empty: channels are no bytes
    std::array<std::uint8_t, 4> byte_of{};  ///< where in the element a component lies; kNoByte: nowhere
  };
  static constexpr std::uint32_t kValues = 256;
  static constexpr std::uint8_t kNoByte = 255;
  static void make_table(Element& element);
  static void put(const Element& element, const std::uint8_t* bytes, std::size_t lane, std::span<std::uint8_t> payload);
  static void put_plain(const Element& element, std::span<const std::uint8_t* const> places, bool room,
                        std::uint8_t* payload);
  static void put_bytes(const Element& element, std::span<const std::uint8_t* const> places, std::uint8_t* payload);
  std::vector<Element> elements_;
};

}  // namespace heddle::pipeline
