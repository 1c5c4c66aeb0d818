// SPDX-License-Identifier: MIT
#pragma once
// Addresses of a sparse object, to which memory is bound page by page: buffers, and images that are bound whole.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "image/memory.hpp"
#include "image/residency.hpp"
#include "vulkan/device/sparse_objects.hpp"

namespace heddle::vulkan {

/// Granularity of all sparse bindings.
inline constexpr std::uint64_t kSparsePage = image::kSparseBlockBytes;

/// A part of an allocation. The object of its bytes is kept while it is bound.
struct BoundMemory {
  std::shared_ptr<image::Memory> bytes;  ///< null: nothing is bound
  std::uint64_t offset = 0;
  /// `bytes` of it lie in the allocation.
  [[nodiscard]] bool has(std::uint64_t count) const {
    return bytes == nullptr || (offset <= bytes->size() && count <= bytes->size() - offset);
  }
  [[nodiscard]] std::uint8_t* at(std::uint64_t more) const { return bytes->data() + offset + more; }
};

/// SPR-2: the pages of a binding are pages of the allocation: what is bound twice is the same memory. Pages without
/// memory read as zeros; what a command writes to them is gone when it ends.
class SparsePages final : public SparseObject {
 public:
  /// Where its addresses are: of no other run, at one that another run can have, or at one that it had.
  struct Place {
    bool replayable = false;
    std::uint64_t address = 0;  ///< 0: any
  };
  /// Throws std::bad_alloc where there are not so many addresses. `owner`: who settles.
  SparsePages(std::uint64_t bytes, SparseObjects& owner, Place place = {false, 0});
  SparsePages(const SparsePages&) = delete;
  SparsePages& operator=(const SparsePages&) = delete;
  ~SparsePages() override;

  [[nodiscard]] const std::shared_ptr<image::Memory>& memory() const { return memory_; }
  /// A multiple of pages, or up to the end; false where that is not so, or the system refuses.
  [[nodiscard]] bool bind(std::uint64_t offset, std::uint64_t bytes, const BoundMemory& memory);
  bool settle() override;

 private:
  void find_gaps();

  SparseObjects& owner_;
  std::shared_ptr<image::Memory> memory_;
  std::vector<std::shared_ptr<image::Memory>> bound_;  ///< by page; null: none
  bool changed_ = true;                                ///< since the gaps were found
  std::vector<std::span<std::uint8_t>> gaps_;          ///< runs of pages without memory
};

}  // namespace heddle::vulkan
