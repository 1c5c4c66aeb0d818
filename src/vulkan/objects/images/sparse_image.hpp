// SPDX-License-Identifier: MIT
#pragma once
// Images that have memory in parts: block by block, and the smallest levels of a layer together.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "image/residency.hpp"
#include "image/surface.hpp"
#include "vulkan/device/sparse_objects.hpp"
#include "vulkan/objects/memory/sparse_pages.hpp"

namespace heddle::vulkan {

struct Image;

/// How the parts of a partially resident image, or of one of its planes, are counted; bytes are those of the memory
/// that is bound.
struct SparseLayout {
  std::uint64_t first = 0;        ///< of the image's bytes, those of the plane's parts
  image::Residency::Size block;   ///< in elements
  VkExtent3D granularity{};       ///< the same in texels
  std::uint32_t tail = 0;         ///< the first level of the mip tail
  std::uint64_t tail_offset = 0;  ///< of the first layer's, from `first` on
  std::uint64_t tail_bytes = 0;   ///< of one layer; 0: no level is so small
  std::uint64_t bytes = 0;        ///< of the whole plane
};

/// SPR-1, SPR-3: blocks of the standard shapes; the tail begins with the first level that is smaller than a block in a
/// direction. One for each plane; none where such an image can't be in parts (several aspects, elements of odd sizes).
[[nodiscard]] std::vector<SparseLayout> sparse_layouts(const Image& image);

/// A plane of an image. SPR-4: memory says which parts are resident, and has their bytes only where images alias
/// (VK_IMAGE_CREATE_SPARSE_ALIASED_BIT): then they are moved between commands, a block's row after row, a tail's level
/// after level. Otherwise the image keeps them itself while a part has its memory: those of a part that gets
/// other memory are stored in the memory that it had, and come back with it, wherever in the plane it is bound then.
class SparsePlane final : public SparseObject {
 public:
  /// Gives the plane's surface, which has its memory, its residency.
  SparsePlane(const Image& image, image::Surface& surface, const SparseLayout& layout, SparseObjects& owner);
  SparsePlane(const SparsePlane&) = delete;
  SparsePlane& operator=(const SparsePlane&) = delete;
  ~SparsePlane() override;

  [[nodiscard]] const SparseLayout& layout() const { return layout_; }
  /// A page of the plane's bytes: first the blocks, layer after layer, level after level, row after row, then the mip
  /// tails.
  void bind_page(std::uint64_t page, const BoundMemory& memory);
  /// Blocks of a level in texels; they take memory in order. False where the region is none of blocks, or `memory` is
  /// too small.
  [[nodiscard]] bool bind_blocks(const VkImageSubresource& at, const VkOffset3D& offset, const VkExtent3D& extent,
                                 const BoundMemory& memory);
  bool settle() override;

 private:
  /// A block of a level, or a part of a tail.
  struct Part {
    std::uint32_t level, layer;
    image::Residency::Size at;  ///< of blocks; tails: width is the number of the part
    auto operator<=>(const Part& other) const = default;
  };
  /// Bytes that have a place in memory and one in the image.
  struct Alias {
    BoundMemory memory;
    std::vector<std::uint8_t> last;  ///< when both were the same
  };
  /// A page of memory, which may be freed.
  struct Place {
    std::weak_ptr<image::Memory> memory;
    std::uint64_t at;
    bool operator<(const Place& other) const {
      if (memory.owner_before(other.memory)) return true;
      return !other.memory.owner_before(memory) && at < other.at;
    }
  };
  /// The part loses its memory, which keeps its texels.
  void put_aside(const Part& part);
  /// The part gets that memory, with the texels that are there.
  void take_back(const Part& part, const BoundMemory& memory);
  void save(const Part& part, const Place& place);
  [[nodiscard]] std::optional<Part> part_at(std::uint64_t page) const;
  [[nodiscard]] bool is_resident(const Part& part) const;
  /// Binds it, and says who is resident.
  void bind_part(const Part& part, const BoundMemory& memory);
  void bind(const Part& part, const BoundMemory& memory);
  /// visit(bytes in the image, place in the part, count) for each piece of a row.
  template <typename Visit>
  void each_piece(const Part& part, Visit&& visit) const;
  [[nodiscard]] std::vector<std::uint8_t> read(const Part& part) const;
  void write(const Part& part, const std::uint8_t* bytes) const;
  /// What was written since to one of the two places goes to the other; whether memory changed.
  bool exchange(const Part& part, Alias& alias) const;

  image::Surface& surface_;
  const SparseLayout layout_;
  const bool aliased_;
  SparseObjects& owner_;
  std::shared_ptr<image::Residency> residency_;
  std::vector<std::vector<bool>> tails_;  ///< by layer: which of its pages have memory
  std::map<Part, Alias> aliases_;
  /// Of images that don't alias: the memory of each part, the last part that got a page, and pages that have texels of
  /// parts which lost them.
  std::map<Part, Place> bound_;
  std::map<Place, Part> holders_;
  std::set<Place> saved_;
};

/// The planes of an image, and which of them a binding is for.
class SparseImage {
 public:
  /// Gives the image's surfaces their memory and residency. Throws std::bad_alloc.
  SparseImage(Image& image, const std::vector<SparseLayout>& layouts, SparseObjects& owner);

  /// Bytes of the image, plane after plane. False where they are no pages of it, or `memory` is too small.
  [[nodiscard]] bool bind_bytes(std::uint64_t offset, std::uint64_t bytes, const BoundMemory& memory);
  /// SparsePlane::bind_blocks of the plane that `at` names.
  [[nodiscard]] bool bind_blocks(const VkImageSubresource& at, const VkOffset3D& offset, const VkExtent3D& extent,
                                 const BoundMemory& memory);

 private:
  const Image& image_;
  std::vector<std::unique_ptr<SparsePlane>> planes_;
};

}  // namespace heddle::vulkan
