// SPDX-License-Identifier: MIT
#include "vulkan/texels/host_writes.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>
#include <utility>

#include "image/surface.hpp"
#include "pipeline/transfer/transfer.hpp"
#include "vulkan/objects/images/image.hpp"

namespace heddle::vulkan {
namespace {

std::span<const std::uint8_t> bytes_of(const image::Surface& surface) {
  if (!surface.memory || surface.base > surface.memory->size()) return {};
  const std::uint64_t rest = surface.memory->size() - surface.base;
  return {surface.memory->data() + surface.base, std::min<std::uint64_t>(surface.bytes, rest)};
}

bool overlap(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  const std::less<const std::uint8_t*> before;
  return before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

/// use(column, count) for each run of elements of a row that differ; `before` becomes what is there now.
template <typename Use>
void compare_row(const std::uint8_t* now, std::uint8_t* before, std::uint32_t elements, std::uint32_t bytes,
                 Use&& use) {
  if (std::memcmp(now, before, std::size_t{elements} * bytes) == 0) return;
  std::uint32_t first = elements;
  for (std::uint32_t k = 0; k < elements; ++k) {
    const bool same = std::memcmp(now + std::size_t{k} * bytes, before + std::size_t{k} * bytes, bytes) == 0;
    if (!same && first == elements) first = k;
    if (!same || first == elements) continue;
    use(first, k - first);
    first = elements;
  }
  if (first != elements) use(first, elements - first);
  std::memcpy(before, now, std::size_t{elements} * bytes);
}

}  // namespace

void HostWrites::add(std::uint32_t device, const Image& image) { watched_[&image] = {.device = device}; }

void HostWrites::bind(const Image& image) {
  const auto found = watched_.find(&image);
  if (found == watched_.end()) return;
  for (unsigned k = 0; k < image.format->plane_count; ++k) {
    const std::span<const std::uint8_t> bytes = bytes_of(image.planes[k].surface);
    found->second.before[k].assign(bytes.begin(), bytes.end());
  }
}

void HostWrites::free(const image::Memory& memory) {
  for (auto& [image, watched] : watched_)
    for (unsigned k = 0; k < image->format->plane_count; ++k)
      if (!watched.before[k].empty() && overlap(bytes_of(image->planes[k].surface), memory)) watched.before[k].clear();
}

void HostWrites::pause(const Image& image) {
  if (const auto found = watched_.find(&image); found != watched_.end()) ++found->second.pauses;
}

void HostWrites::go_on(const Image& image, unsigned plane, const pipeline::transfer::ImageBox& box) {
  const auto found = watched_.find(&image);
  if (found == watched_.end() || found->second.pauses == 0) return;
  --found->second.pauses;
  std::vector<std::uint8_t>& before = found->second.before[plane];
  if (before.empty()) return;
  const image::Surface& surface = image.planes[plane].surface;
  const std::span<const std::uint8_t> now = bytes_of(surface);
  if (before.size() != now.size() || box.level >= surface.layout.size()) return;
  const image::LevelLayout& at = surface.layout[box.level];
  const image::FormatInfo& format = surface.info();
  // From which element to which one behind the last.
  const auto range = [](std::int32_t offset, std::uint32_t extent, std::uint32_t block, std::uint32_t count) {
    const std::uint64_t from = static_cast<std::uint32_t>(std::max(offset, 0));
    return std::pair(from / block, std::min<std::uint64_t>((from + extent + block - 1) / block, count));
  };
  const auto [left, right] = range(box.offset.x, box.extent.width, format.block_width, at.element_columns);
  const auto [top, bottom] = range(box.offset.y, box.extent.height, format.block_height, at.element_rows);
  const bool volume = image.type == VK_IMAGE_TYPE_3D;
  const auto [front, back] = range(volume ? box.offset.z : static_cast<std::int32_t>(box.first_layer),
                                   volume ? box.extent.depth : box.layers, 1, at.slices);
  if (left >= right) return;
  const std::uint64_t bytes = format.bytes_per_element();
  for (std::uint64_t slice = front; slice < back; ++slice)
    for (std::uint64_t row = top; row < bottom; ++row) {
      const std::uint64_t from = at.offset + slice * at.slice_pitch + row * at.row_pitch + left * bytes;
      if (from + (right - left) * bytes <= now.size())
        std::memcpy(before.data() + from, now.data() + from, (right - left) * bytes);
    }
}

void HostWrites::device_wrote(std::span<const std::uint8_t> bytes) {
  for (auto& [image, watched] : watched_)
    for (unsigned k = 0; k < image->format->plane_count; ++k)
      if (!watched.before[k].empty() && overlap(bytes_of(image->planes[k].surface), bytes))
        watched.overwritten[k] = true;
}

void HostWrites::look(std::uint32_t device, const std::function<void(const Run&)>& found) {
  for (auto& [image, watched] : watched_) {
    if (watched.device != device || watched.pauses != 0) continue;
    for (unsigned plane = 0; plane < image->format->plane_count; ++plane) {
      std::vector<std::uint8_t>& before = watched.before[plane];
      if (before.empty()) continue;
      const image::Surface& surface = image->planes[plane].surface;
      const std::span<const std::uint8_t> now = bytes_of(surface);
      if (before.size() != now.size()) continue;
      const std::uint32_t bytes = surface.info().bytes_per_element();
      for (std::uint32_t l = 0; l < surface.layout.size(); ++l) {
        const image::LevelLayout& at = surface.layout[l];
        for (std::uint32_t slice = 0; slice < at.slices; ++slice)
          for (std::uint32_t row = 0; row < at.element_rows; ++row) {
            const std::uint64_t from = at.offset + slice * at.slice_pitch + row * at.row_pitch;
            if (from + std::uint64_t{at.element_columns} * bytes > now.size()) continue;
            compare_row(now.data() + from, before.data() + from, at.element_columns, bytes,
                        [&](std::uint32_t column, std::uint32_t count) {
                          found({*image, plane, l, slice, column, row, count});
                        });
          }
      }
    }
  }
}

void HostWrites::pass_over(std::uint32_t device, const std::function<bool(const Image&, unsigned)>& wrote) {
  for (auto& [image, watched] : watched_) {
    if (watched.device != device) continue;
    for (unsigned plane = 0; plane < image->format->plane_count; ++plane) {
      std::vector<std::uint8_t>& before = watched.before[plane];
      if (before.empty()) continue;
      const bool overwritten = std::exchange(watched.overwritten[plane], false);
      if (!wrote(*image, plane) && !overwritten) continue;
      const std::span<const std::uint8_t> now = bytes_of(image->planes[plane].surface);
      before.assign(now.begin(), now.end());
    }
  }
}

}  // namespace heddle::vulkan
