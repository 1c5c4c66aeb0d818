// SPDX-License-Identifier: MIT
#include "vulkan/texels/host_writes.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "image/surface.hpp"
#include "vulkan/objects/images/image.hpp"

namespace heddle::vulkan {
namespace {

std::span<const std::uint8_t> bytes_of(const image::Surface& surface) {
  if (!surface.memory || surface.base > surface.memory->size()) return {};
  const std::uint64_t rest = surface.memory->size() - surface.base;
  return {surface.memory->data() + surface.base, std::min<std::uint64_t>(surface.bytes, rest)};
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

void HostWrites::add(std::uint32_t device, const Image& image) { watched_[&image] = {device, {}}; }

void HostWrites::bind(const Image& image) {
  const auto found = watched_.find(&image);
  if (found == watched_.end()) return;
  for (unsigned k = 0; k < image.format->plane_count; ++k) {
    const std::span<const std::uint8_t> bytes = bytes_of(image.planes[k].surface);
    found->second.before[k].assign(bytes.begin(), bytes.end());
  }
}

void HostWrites::look(std::uint32_t device, const std::function<void(const Run&)>& found) {
  for (auto& [image, watched] : watched_) {
    if (watched.device != device) continue;
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
      if (before.empty() || !wrote(*image, plane)) continue;
      const std::span<const std::uint8_t> now = bytes_of(image->planes[plane].surface);
      before.assign(now.begin(), now.end());
    }
  }
}

}  // namespace heddle::vulkan
