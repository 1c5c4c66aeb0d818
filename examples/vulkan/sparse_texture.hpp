// SPDX-License-Identifier: MIT
// A texture of which only the pages that are asked for have memory.
#pragma once

#include <cstdint>
#include <vector>

#include "program.hpp"

namespace example {

class SparseTexture {
 public:
  /// Whether the device has such textures of the format.
  [[nodiscard]] static bool is_possible(const Program& program, VkFormat format);
  /// A square texture, whose mip tail has memory from the beginning.
  void open(const Program& program, VkFormat format, std::uint32_t edge, std::uint32_t levels, VkImageUsageFlags usage);
  [[nodiscard]] const Image& image() const { return image_; }

  /// The page of a texel gets memory with the next bind(), if it has none.
  void want(std::uint32_t level, std::uint32_t x, std::uint32_t y);
  void bind();
  [[nodiscard]] bool is_resident(std::uint32_t level, std::uint32_t x, std::uint32_t y) const;
  [[nodiscard]] std::size_t bound() const { return bound_; }  ///< pages of 64 KiB, those of the tail included
  [[nodiscard]] std::size_t total() const { return total_; }

 private:
  [[nodiscard]] std::uint32_t pages_across(std::uint32_t level) const;
  [[nodiscard]] std::size_t page_of(std::uint32_t level, std::uint32_t x, std::uint32_t y) const;

  const Program* program_ = nullptr;
  Image image_;
  std::uint32_t edge_ = 0, tail_ = 0;
  VkExtent3D page_{};                        ///< in texels
  std::vector<std::vector<bool>> resident_;  ///< by level, by page
  std::vector<VkSparseImageMemoryBind> wanted_;
  VkMemoryRequirements needs_{};
  std::size_t bound_ = 0, total_ = 0;
};

}  // namespace example
