// SPDX-License-Identifier: MIT
#include "vulkan/sanitizer/image_rows.hpp"

#include <algorithm>

namespace heddle::vulkan {
namespace {

/// [first, end) of a row of texels or rows, within `size` of them, in blocks.
struct Blocks {
  std::uint64_t first = 0, end = 0;
};
Blocks blocks_of(std::int32_t offset, std::uint32_t count, std::uint32_t size, std::uint32_t block) {
  const std::uint64_t from = static_cast<std::uint64_t>(std::max(offset, 0));
  const std::uint64_t to = std::min<std::uint64_t>(from + count, size);
  if (from >= to) return {};
  return {from / block, (to + block - 1) / block};
}

}  // namespace

void for_each_row(const image::Surface& s, pipeline::transfer::ImageBox box, const std::function<void(Bytes)>& use) {
  if (s.memory == nullptr || box.level >= s.layout.size()) return;
  const image::LevelLayout& level = s.layout[box.level];
  const image::FormatInfo& format = s.info();
  const Blocks x = blocks_of(box.offset.x, box.extent.width, level.width, format.block_width);
  const Blocks y = blocks_of(box.offset.y, box.extent.height, std::max(level.height, 1u), format.block_height);
  if (x.first == x.end || y.first == y.end) return;
  const bool volume = level.depth > 1 || s.type == image::SurfaceType::Dim3;
  const std::uint64_t first = volume ? static_cast<std::uint64_t>(std::max(box.offset.z, 0)) + box.first_layer
                                     : std::uint64_t{box.first_layer} * s.samples;
  const std::uint64_t count =
      volume ? std::uint64_t{box.extent.depth} * box.layers : std::uint64_t{box.layers} * s.samples;
  const std::uint64_t texel = format.bytes_per_element(), bytes = (x.end - x.first) * texel;
  const Bytes memory(s.memory->data(), s.memory->size());
  const auto visit = [&](std::uint64_t at, std::uint64_t size) {
    if (at < memory.size()) use(memory.subspan(at, std::min<std::uint64_t>(size, memory.size() - at)));
  };
  for (std::uint64_t slice = first; slice < std::min<std::uint64_t>(first + count, level.slices); ++slice) {
    const std::uint64_t begin = s.base + level.offset + slice * level.slice_pitch + x.first * texel;
    if (bytes == level.row_pitch) {
      visit(begin + y.first * level.row_pitch, (y.end - y.first) * level.row_pitch);
      continue;
    }
    for (std::uint64_t row = y.first; row < y.end; ++row) visit(begin + row * level.row_pitch, bytes);
  }
}

Bytes from_first_to_last(const image::Surface& surface, const pipeline::transfer::ImageBox& box) {
  Bytes all;
  for_each_row(surface, box,
               [&](Bytes bytes) { all = all.empty() ? bytes : Bytes(all.data(), bytes.data() + bytes.size()); });
  return all;
}

}  // namespace heddle::vulkan
