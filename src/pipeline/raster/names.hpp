// SPDX-License-Identifier: MIT
#pragma once
// Words for the enumerations of draws, in the order of their values.

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "pipeline/primitives/topology.hpp"
#include "pipeline/raster/state.hpp"

namespace heddle::pipeline {

inline constexpr std::array<std::string_view, 11> kTopologyWords{"triangle_list",
                                                                 "triangle_strip",
                                                                 "triangle_fan",
                                                                 "point_list",
                                                                 "line_list",
                                                                 "line_strip",
                                                                 "line_list_adjacency",
                                                                 "line_strip_adjacency",
                                                                 "triangle_list_adjacency",
                                                                 "triangle_strip_adjacency",
                                                                 "patch_list"};
inline constexpr std::array<std::string_view, 4> kCullWords{"none", "back", "front", "front_and_back"};
inline constexpr std::array<std::string_view, 3> kPolygonModeWords{"fill", "line", "point"};
inline constexpr std::array<std::string_view, 3> kConservativeWords{"off", "over", "under"};
inline constexpr std::array<std::string_view, 2> kDiscardModeWords{"inclusive", "exclusive"};
inline constexpr std::array<std::string_view, 3> kLineModeWords{"rectangular", "bresenham", "smooth"};

[[nodiscard]] constexpr std::string_view name_of(Topology t) { return kTopologyWords[static_cast<std::size_t>(t)]; }
[[nodiscard]] constexpr std::string_view name_of(Cull c) { return kCullWords[static_cast<std::size_t>(c)]; }
[[nodiscard]] constexpr std::string_view name_of(PolygonMode m) {
  return kPolygonModeWords[static_cast<std::size_t>(m)];
}
[[nodiscard]] constexpr std::string_view name_of(Conservative c) {
  return kConservativeWords[static_cast<std::size_t>(c)];
}
[[nodiscard]] constexpr std::string_view name_of(DiscardMode m) {
  return kDiscardModeWords[static_cast<std::size_t>(m)];
}
[[nodiscard]] constexpr std::string_view name_of(LineMode m) { return kLineModeWords[static_cast<std::size_t>(m)]; }

/// The value that a word stands for.
template <typename E, std::size_t N>
[[nodiscard]] constexpr std::optional<E> find_word(const std::array<std::string_view, N>& words,
                                                   std::string_view word) {
  for (std::size_t i = 0; i < N; ++i)
    if (words[i] == word) return static_cast<E>(i);
  return std::nullopt;
}

}  // namespace heddle::pipeline
