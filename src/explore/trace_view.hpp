// SPDX-License-Identifier: MIT
#pragma once
// What a Recorder saw, as documents.

#include <span>
#include <string>
#include <vector>

#include "explore/documents/documents.hpp"
#include "explore/exploration.hpp"
#include "explore/recording/recorder.hpp"

namespace heddle::explore {

/// The document trace/COMMAND/THREAD, or trace/COMMAND/STAGE/THREAD.
[[nodiscard]] std::string describe_trace(const ThreadTrace& trace);

inline constexpr std::uint32_t kTile = 64;             ///< pixels on a side of a document of history
inline constexpr std::uint32_t kFragmentColumns = 20;  ///< words of a fragment

/// The documents history/COMMAND/COLUMN/ROW: fragments of a tile, pixel by pixel in their order, as columns of words
/// that byte_planes() orders.
void add_history(Documents& documents, std::size_t command, std::vector<Fragment>& fragments,
                 const std::vector<Rectangle>& traced);

/// Those of a pixel, of fragments that are in the order of add_history().
[[nodiscard]] std::span<const Fragment> fragments_at(std::span<const Fragment> fragments, std::uint32_t x,
                                                     std::uint32_t y);

/// The document primitives/COMMAND: columns of words, a row for each primitive of the mesh that was drawn: its number,
/// three vertices, x and y of the corners (1/256 pixel), their z (binary32), whether it shows its front, what made each
/// corner (DrawnPrimitive::made_by).
void add_primitives(Documents& documents, std::size_t command,
                    const std::map<std::uint32_t, DrawnPrimitive>& primitives);

}  // namespace heddle::explore
