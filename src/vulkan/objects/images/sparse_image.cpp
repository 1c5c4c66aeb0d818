// SPDX-License-Identifier: MIT
// Rules: SPR-1, SPR-3, SPR-4.
#include "vulkan/objects/images/sparse_image.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/pages.hpp"
#include "vulkan/objects/images/image.hpp"
#include "vulkan/objects/memory/requirements.hpp"

namespace heddle::vulkan {
namespace {

using Size = image::Residency::Size;

bool is_volume(const image::Surface& s) { return s.type == image::SurfaceType::Dim3; }

/// A level in elements and slices of a volume.
Size size_of(const image::Surface& s, std::uint32_t level) {
  const image::LevelLayout& at = s.layout[level];
  return {at.element_columns, at.element_rows, is_volume(s) ? at.depth : 1};
}

std::uint32_t divide_up(std::uint32_t size, std::uint32_t by) { return (size + by - 1) / by; }

std::uint64_t blocks_of(const Size& size, const Size& block) {
  return std::uint64_t{divide_up(size.width, block.width)} * divide_up(size.height, block.height) *
         divide_up(size.depth, block.depth);
}

/// Stored slices of one layer.
std::uint32_t slices_of(const image::Surface& s, std::uint32_t level) {
  return is_volume(s) ? s.layout[level].depth : s.samples;
}

/// Nothing where elements have an odd size.
std::optional<SparseLayout> layout_of(const Image& image, const image::Surface& s) {
  const image::FormatInfo& format = s.info();
  const auto block = image::standard_block(format.bytes_per_element(), is_volume(s), s.samples);
  if (!block || s.layout.size() < image.levels) return std::nullopt;
  SparseLayout to;
  to.block = *block;
  to.granularity = {block->width * format.block_width, block->height * format.block_height, block->depth};
  std::uint64_t blocks = 0, tail = 0;
  for (; to.tail < image.levels; ++to.tail) {
    const Size size = size_of(s, to.tail);
    if (size.width < block->width || size.height < block->height || size.depth < block->depth) break;
    blocks += blocks_of(size, *block);
  }
  for (std::uint32_t level = to.tail; level < image.levels; ++level) {
    const Size size = size_of(s, level);
    tail += std::uint64_t{size.width} * size.height * slices_of(s, level) * format.bytes_per_element();
  }
  to.tail_offset = blocks * image.layers * kSparsePage;
  to.tail_bytes = aligned(tail, kSparsePage);
  to.bytes = to.tail_offset + to.tail_bytes * image.layers;
  return to;
}

}  // namespace

std::vector<SparseLayout> sparse_layouts(const Image& image) {
  const image::VulkanFormat& format = *image.format;
  if ((format.plane_count != 1 && !format.multi_planar()) || format.pairs || image.type == VK_IMAGE_TYPE_1D ||
      (image.flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0)
    return {};
  std::vector<SparseLayout> all;
  for (std::uint32_t i = 0; i < format.plane_count; ++i) {
    const auto one = layout_of(image, image.planes[i].surface);
    if (!one) return {};
    const std::uint64_t first = all.empty() ? 0 : all.back().first + all.back().bytes;
    all.push_back(*one);
    all.back().first = first;
  }
  return all;
}

SparsePlane::SparsePlane(const Image& image, image::Surface& surface, const SparseLayout& layout, SparseObjects& owner)
    : surface_(surface),
      layout_(layout),
      aliased_((image.flags & VK_IMAGE_CREATE_SPARSE_ALIASED_BIT) != 0),
      owner_(owner),
      tails_(image.layers, std::vector<bool>(layout.tail_bytes / kSparsePage, false)) {
  std::vector<Size> levels;
  for (std::uint32_t level = 0; level < layout.tail; ++level) levels.push_back(size_of(surface_, level));
  residency_ =
      std::make_shared<image::Residency>(layout.block, levels, image.layers, is_volume(surface_) ? 0 : image.samples);
  surface_.residency = residency_;
  if (aliased_) owner_.add(this);
}

SparsePlane::~SparsePlane() {
  if (aliased_) owner_.remove(this);
}

template <typename Visit>
void SparsePlane::each_piece(const Part& part, Visit&& visit) const {
  const std::uint32_t element = surface_.info().bytes_per_element();
  const auto row = [&](std::uint32_t level, std::uint32_t slice, std::uint32_t y, std::uint32_t x) {
    const image::LevelLayout& at = surface_.layout[level];
    return surface_.memory->data() + surface_.base + at.offset + slice * at.slice_pitch + y * at.row_pitch +
           std::size_t{x} * element;
  };
  if (part.level < layout_.tail) {
    const Size& block = layout_.block;
    const Size size = size_of(surface_, part.level);
    const std::uint32_t x = part.at.width * block.width, y = part.at.height * block.height,
                        z = is_volume(surface_) ? part.at.depth * block.depth : part.layer * surface_.samples;
    const std::uint32_t slices = is_volume(surface_) ? std::min(block.depth, size.depth - z) : surface_.samples;
    const std::size_t count = std::size_t{std::min(block.width, size.width - x)} * element;
    for (std::uint32_t slice = 0; slice < slices; ++slice)
      for (std::uint32_t line = 0; line < std::min(block.height, size.height - y); ++line)
        visit(row(part.level, z + slice, y + line, x),
              (std::size_t{slice} * block.height + line) * block.width * element, count);
    return;
  }
  // Of the tail's bytes, in order, those of one page.
  const std::uint64_t begin = part.at.width * kSparsePage, end = begin + kSparsePage;
  std::uint64_t place = 0;
  for (std::uint32_t level = layout_.tail; level < surface_.layout.size() && place < end; ++level) {
    const Size size = size_of(surface_, level);
    const std::uint64_t count = std::uint64_t{size.width} * element;
    const std::uint32_t slices = slices_of(surface_, level);
    for (std::uint32_t slice = 0; slice < slices; ++slice)
      for (std::uint32_t y = 0; y < size.height; ++y, place += count) {
        const std::uint64_t from = std::max(place, begin), to = std::min(place + count, end);
        if (from >= to) continue;
        const std::uint32_t first = is_volume(surface_) ? 0 : part.layer * slices;
        visit(row(level, first + slice, y, 0) + (from - place), static_cast<std::size_t>(from - begin),
              static_cast<std::size_t>(to - from));
      }
  }
}

std::vector<std::uint8_t> SparsePlane::read(const Part& part) const {
  std::vector<std::uint8_t> bytes(kSparsePage);
  each_piece(part, [&](const std::uint8_t* at, std::size_t place, std::size_t count) {
    std::memcpy(bytes.data() + place, at, count);
  });
  return bytes;
}

void SparsePlane::write(const Part& part, const std::uint8_t* bytes) const {
  each_piece(part,
             [&](std::uint8_t* at, std::size_t place, std::size_t count) { std::memcpy(at, bytes + place, count); });
}

/// Zeros need no place.
void SparsePlane::save(const Part& part, const Place& place) {
  const std::shared_ptr<image::Memory> memory = place.memory.lock();
  if (memory == nullptr || !is_resident(part) || memory->size() < kSparsePage ||
      place.at > memory->size() - kSparsePage)
    return;
  const std::vector<std::uint8_t> bytes = read(part);
  if (std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; })) return void(saved_.erase(place));
  std::memcpy(memory->data() + place.at, bytes.data(), bytes.size());
  saved_.insert(place);
}

void SparsePlane::put_aside(const Part& part) {
  const auto was = bound_.find(part);
  if (was == bound_.end()) return;
  const Place place = was->second;
  bound_.erase(was);
  const auto expired = [](const Place& other) { return other.memory.expired(); };
  std::erase_if(saved_, expired);
  std::erase_if(holders_, [&](const auto& holder) { return expired(holder.first); });
  const auto holder = holders_.find(place);
  if (holder == holders_.end() || holder->second != part) return;  // another part has it, and its texels
  holders_.erase(holder);
  save(part, place);
}

void SparsePlane::take_back(const Part& part, const BoundMemory& memory) {
  const Place place{memory.bytes, memory.offset};
  if (const auto holder = holders_.find(place); holder != holders_.end()) save(holder->second, place);
  bound_.insert_or_assign(part, place);
  holders_.insert_or_assign(place, part);
  if (saved_.erase(place) != 0) write(part, memory.at(0));
}

void SparsePlane::bind(const Part& part, const BoundMemory& memory) {
  if (const auto old = aliases_.find(part); old != aliases_.end()) {
    (void)exchange(part, old->second);
    aliases_.erase(old);
  }
  if (!aliased_) put_aside(part);
  if (is_resident(part))  // what it had is gone
    each_piece(part, [](std::uint8_t* at, std::size_t, std::size_t count) { std::memset(at, 0, count); });
  if (memory.bytes == nullptr) return;
  if (!aliased_) return take_back(part, memory);
  const std::vector<std::uint8_t> there(memory.at(0), memory.at(kSparsePage));
  write(part, there.data());
  aliases_.insert_or_assign(part, Alias{memory, read(part)});
}

bool SparsePlane::is_resident(const Part& part) const {
  if (part.level >= layout_.tail) return tails_[part.layer][part.at.width];
  const Size& block = layout_.block;
  const std::uint32_t slice = is_volume(surface_) ? part.at.depth * block.depth : part.layer * surface_.samples;
  return residency_->is_resident(part.level, slice, part.at.width * block.width, part.at.height * block.height);
}

bool SparsePlane::exchange(const Part& part, Alias& alias) const {
  std::vector<std::uint8_t> here = read(part);
  if (here != alias.last) {
    each_piece(part, [&](const std::uint8_t* at, std::size_t place, std::size_t count) {
      std::memcpy(alias.memory.at(place), at, count);
    });
    alias.last = std::move(here);
    return true;
  }
  bool same = true;
  each_piece(part, [&](const std::uint8_t* at, std::size_t place, std::size_t count) {
    same = same && std::memcmp(alias.memory.at(place), at, count) == 0;
  });
  if (same) return false;
  write(part, alias.memory.at(0));
  alias.last = read(part);
  return false;
}

bool SparsePlane::settle() {
  bool changed = false;
  for (auto& [part, alias] : aliases_) changed = exchange(part, alias) || changed;
  return changed;
}

std::optional<SparsePlane::Part> SparsePlane::part_at(std::uint64_t page) const {
  const std::uint64_t blocks = layout_.tail_offset / kSparsePage;
  if (page >= blocks) {
    const std::uint64_t pages = layout_.tail_bytes / kSparsePage, at = page - blocks;
    if (pages == 0 || at / pages >= tails_.size()) return std::nullopt;
    return Part{layout_.tail, static_cast<std::uint32_t>(at / pages), {static_cast<std::uint32_t>(at % pages), 0, 0}};
  }
  const std::uint64_t of_layer = blocks / tails_.size();
  const auto layer = static_cast<std::uint32_t>(page / of_layer);
  std::uint64_t left = page % of_layer;
  for (std::uint32_t level = 0; level < layout_.tail; ++level) {
    const Size grid = residency_->grid(level);
    const std::uint64_t count = std::uint64_t{grid.width} * grid.height * grid.depth;
    if (left < count)
      return Part{
          level,
          layer,
          {static_cast<std::uint32_t>(left % grid.width), static_cast<std::uint32_t>(left / grid.width % grid.height),
           static_cast<std::uint32_t>(left / grid.width / grid.height)}};
    left -= count;
  }
  return std::nullopt;
}

void SparsePlane::bind_part(const Part& part, const BoundMemory& memory) {
  bind(part, memory);
  const bool there = memory.bytes != nullptr;
  if (part.level < layout_.tail) return residency_->set(part.level, part.layer, part.at, there);
  std::vector<bool>& tail = tails_[part.layer];
  tail[part.at.width] = there;
  residency_->set_tail(part.layer, std::ranges::find(tail, false) == tail.end());
}

void SparsePlane::bind_page(std::uint64_t page, const BoundMemory& memory) {
  if (const auto part = part_at(page)) bind_part(*part, memory);
}

bool SparsePlane::bind_blocks(const VkImageSubresource& at, const VkOffset3D& offset, const VkExtent3D& extent,
                              const BoundMemory& memory) {
  if (at.mipLevel >= layout_.tail || at.arrayLayer >= tails_.size()) return false;
  const VkExtent3D& step = layout_.granularity;
  const Size grid = residency_->grid(at.mipLevel);
  const auto covers = [](std::int32_t from, std::uint32_t count, std::uint32_t unit, std::uint32_t blocks) {
    return from >= 0 && static_cast<std::uint32_t>(from) % unit == 0 && count != 0 &&
           std::uint64_t{static_cast<std::uint32_t>(from) / unit} + divide_up(count, unit) <= blocks;
  };
  if (!covers(offset.x, extent.width, step.width, grid.width) ||
      !covers(offset.y, extent.height, step.height, grid.height) ||
      !covers(offset.z, extent.depth, step.depth, grid.depth))
    return false;
  const Size first{static_cast<std::uint32_t>(offset.x) / step.width,
                   static_cast<std::uint32_t>(offset.y) / step.height,
                   static_cast<std::uint32_t>(offset.z) / step.depth};
  const Size count{divide_up(extent.width, step.width), divide_up(extent.height, step.height),
                   divide_up(extent.depth, step.depth)};
  if (!memory.has(std::uint64_t{count.width} * count.height * count.depth * kSparsePage)) return false;
  std::uint64_t next = memory.offset;
  for (std::uint32_t z = 0; z < count.depth; ++z)
    for (std::uint32_t y = 0; y < count.height; ++y)
      for (std::uint32_t x = 0; x < count.width; ++x, next += kSparsePage) {
        const Size block{first.width + x, first.height + y, first.depth + z};
        bind_part({at.mipLevel, at.arrayLayer, block}, {memory.bytes, next});
      }
  return true;
}

SparseImage::SparseImage(Image& image, const std::vector<SparseLayout>& layouts, SparseObjects& owner) : image_(image) {
  std::shared_ptr<std::uint8_t> bytes = base::reserve_addresses(static_cast<std::size_t>(image.size) + 64);
  if (bytes == nullptr) throw std::bad_alloc();
  const std::span all(bytes.get(), static_cast<std::size_t>(image.size) + 64);
  if (!bind_image(image, std::make_shared<image::Memory>(std::move(bytes), all), 0)) throw std::bad_alloc();
  for (std::size_t i = 0; i < layouts.size(); ++i)
    planes_.push_back(std::make_unique<SparsePlane>(image, image.planes[i].surface, layouts[i], owner));
}

bool SparseImage::bind_bytes(std::uint64_t offset, std::uint64_t bytes, const BoundMemory& memory) {
  const SparseLayout& last = planes_.back()->layout();
  const std::uint64_t all = last.first + last.bytes;
  if (offset % kSparsePage != 0 || bytes % kSparsePage != 0 || offset > all || bytes > all - offset ||
      !memory.has(bytes))
    return false;
  for (std::uint64_t at = 0; at < bytes; at += kSparsePage)
    for (const auto& plane : planes_)
      if (const SparseLayout& layout = plane->layout();
          offset + at >= layout.first && offset + at < layout.first + layout.bytes)
        plane->bind_page((offset + at - layout.first) / kSparsePage, {memory.bytes, memory.offset + at});
  return true;
}

bool SparseImage::bind_blocks(const VkImageSubresource& at, const VkOffset3D& offset, const VkExtent3D& extent,
                              const BoundMemory& memory) {
  if (planes_.size() == 1) return planes_.front()->bind_blocks(at, offset, extent, memory);
  const Image::Plane* plane = image_.plane_of(at.aspectMask);
  return plane != nullptr &&
         planes_[static_cast<std::size_t>(plane - image_.planes.data())]->bind_blocks(at, offset, extent, memory);
}

}  // namespace heddle::vulkan
