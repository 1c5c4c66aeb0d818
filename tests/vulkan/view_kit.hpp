// SPDX-License-Identifier: MIT
#pragma once
// Views of images whose texels say where they are: what a view must show follows from arithmetic alone.

#include <array>
#include <string>
#include <vector>

#include "vulkan/device.hpp"

namespace heddle::test {

/// The texel (x, y) of a slice (layer, face or depth) of a level; never 0, which is what lies outside.
[[nodiscard]] constexpr std::uint32_t place_word(std::uint32_t level, std::uint32_t slice, std::uint32_t x,
                                                 std::uint32_t y, std::uint32_t sample = 0) {
  return 0x80000000u | level << 27 | sample << 23 | slice << 16 | y << 8 | x;
}

/// An image of R32_UINT, and the part of it that a view shows.
struct ViewShape {
  const char* name;  ///< as GLSL's types end: "2DArray"
  VkImageType type;
  VkImageViewType view;
  VkExtent3D extent;
  std::uint32_t levels, layers;
  std::uint32_t base, count;    ///< levels of the view
  std::uint32_t first, slices;  ///< layers of the view, or slices of a volume that it shows as layers
  VkImageCreateFlags flags = 0;
  std::uint32_t samples = 1;

  [[nodiscard]] std::uint32_t width(std::uint32_t level) const { return std::max(1u, extent.width >> level); }
  [[nodiscard]] std::uint32_t height(std::uint32_t level) const { return std::max(1u, extent.height >> level); }
  [[nodiscard]] std::uint32_t depth(std::uint32_t level) const { return std::max(1u, extent.depth >> level); }
  [[nodiscard]] bool volume() const { return type == VK_IMAGE_TYPE_3D; }
  [[nodiscard]] bool cube() const { return view == VK_IMAGE_VIEW_TYPE_CUBE || view == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY; }
  [[nodiscard]] bool flat() const { return type == VK_IMAGE_TYPE_1D; }
  /// Whether a third coordinate chooses a slice.
  [[nodiscard]] bool sliced() const { return view != VK_IMAGE_VIEW_TYPE_1D && view != VK_IMAGE_VIEW_TYPE_2D; }
  /// Of the image's level, all of them.
  [[nodiscard]] std::uint32_t stored_slices(std::uint32_t level) const { return volume() ? depth(level) : layers; }
  /// Slices that the view shows of its level.
  [[nodiscard]] std::uint32_t shown_slices(std::uint32_t level) const {
    return view == VK_IMAGE_VIEW_TYPE_3D ? depth(base + level) : slices;
  }
  /// What the view shows there, 0 outside.
  [[nodiscard]] std::uint32_t shown(std::uint32_t level, std::int64_t x, std::int64_t y, std::int64_t z,
                                    std::uint32_t sample = 0) const;
  /// The sizes that a query gives for a level of the view, as many as the type has: layers of cubes count cubes.
  [[nodiscard]] std::vector<std::uint32_t> sizes(std::uint32_t level) const;
  /// A texel's coordinates in GLSL from the ints x, y and z.
  [[nodiscard]] std::string coordinates() const;
};

void PrintTo(const ViewShape& shape, std::ostream* out);

/// A compute shader's resources: binding 0 the words that it writes (`o`), then what a test adds.
class ViewRun {
 public:
  explicit ViewRun(VulkanDevice& device) : v(device) {}
  VulkanDevice& v;
  void image(std::uint32_t binding, VkDescriptorType type, VkImageView view, VkSampler sampler = VK_NULL_HANDLE);
  void texels(std::uint32_t binding, VkDescriptorType type, VkBufferView view);
  /// Runs a shader of local size 32 over at least that many invocations, with these words as push constants.
  [[nodiscard]] std::vector<std::uint32_t> run(const std::string& glsl, std::uint32_t invocations, std::size_t words,
                                               const std::vector<std::int32_t>& push);

 private:
  struct Added {
    std::uint32_t binding;
    VkDescriptorType type;
    VkDescriptorImageInfo image;
    VkBufferView texels;
  };
  std::vector<Added> added_;
};

/// The image itself: its texels, one by one.
class ViewImage {
 public:
  ViewImage(VulkanDevice& device, const ViewShape& shape, VkImageUsageFlags more_usage = 0,
            VkFormat format = VK_FORMAT_R32_UINT);
  VulkanDevice& v;
  const ViewShape shape;
  VulkanDevice::Image image;
  VkImageView view = VK_NULL_HANDLE;

  /// The words of all texels: levels, slices, rows.
  [[nodiscard]] std::vector<std::uint32_t> read();
  /// What `read` gives after nothing happened; `changed` may give another word for a texel.
  [[nodiscard]] std::vector<std::uint32_t> expected(
      const std::function<std::uint32_t(std::uint32_t level, std::uint32_t slice, std::uint32_t x, std::uint32_t y,
                                        std::uint32_t word)>& changed) const;

 private:
  void fill();
  void fill_samples();
  [[nodiscard]] std::vector<VkBufferImageCopy> regions() const;
  [[nodiscard]] std::uint64_t bytes() const;
};

}  // namespace heddle::test
