// SPDX-License-Identifier: MIT
#pragma once
// What one call of the Vulkan client creates, and destroys at its end.

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <vector>

#include "peers/vulkan/vulkan_client.hpp"

namespace heddle::test {

#define HEDDLE_VK(call)                                                                       \
  do {                                                                                        \
    const VkResult result_of_call = (call);                                                   \
    if (result_of_call != VK_SUCCESS) return #call " gave " + std::to_string(result_of_call); \
  } while (false)

/// All objects of one call, destroyed in reverse order of creation. Functions return an error text, empty when all went
/// well.
struct VulkanClient::Work {
  explicit Work(VulkanClient& owner) : client(owner) {}
  ~Work() {
    for (auto f = undo.rbegin(); f != undo.rend(); ++f) (*f)();
  }
  VulkanClient& client;
  std::vector<std::function<void()>> undo;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  VkPipelineLayout pipeline_layout = VK_NULL_HANDLE;
  std::vector<VkDescriptorSet> sets;
  std::uint32_t push_bytes = 0;

  struct Buffer {
    VkBuffer buffer = VK_NULL_HANDLE;
    void* mapped = nullptr;
    std::size_t size = 0;
  };
  std::vector<Buffer> buffers;  ///< one for each binding (images: the staging buffer)
  std::vector<VkImage> images;  ///< one for each binding

  [[nodiscard]] VkDevice device() const { return client.device_; }
  [[nodiscard]] std::uint32_t memory_type(std::uint32_t bits, VkMemoryPropertyFlags flags) const;
  std::string make_buffer(std::size_t size, VkBufferUsageFlags usage, Buffer& out);
  std::string make_image(const VkImageCreateInfo& info, VkImage& image);
  std::string make_view(VkImage image, VkImageViewType type, VkFormat format, const VkImageSubresourceRange& range,
                        const VkComponentMapping& swizzle, VkImageView& view);
  std::string make_module(const std::vector<std::uint32_t>& words, VkShaderModule& module);
  void barrier(VkImage image, const VkImageSubresourceRange& range, VkImageLayout from, VkImageLayout to) const;
  std::string begin();
  std::string submit();
  /// Submits what is recorded; then `pass` so often in a command buffer of its own, by the clock; then begins anew.
  std::string time(const std::function<void()>& pass, PeerTiming& timing);
  std::string upload(const PeerImage& in, const Buffer& staging, VkImage image, VkImageLayout layout) const;
  /// Images uploaded, buffers filled, descriptor sets and the pipeline's layout.
  std::string bind(const std::vector<PeerBinding>& bindings, const std::vector<std::uint8_t>& push);
  void use(VkPipelineBindPoint point, const std::vector<std::uint8_t>& push) const;
  /// Records what storage images need to be read back; before `submit`.
  void fetch_images(const std::vector<PeerBinding>& bindings) const;
  void read_back(std::vector<PeerBinding>& bindings) const;

 private:
  std::string bind_image(const PeerBinding& binding, VkDescriptorType type, VkDescriptorImageInfo& info);
  std::string make_sets(const std::vector<PeerBinding>& bindings);
};

/// The descriptor type that a binding means, and its place.
[[nodiscard]] VkDescriptorType descriptor_type(const PeerBinding& binding);
[[nodiscard]] std::vector<VkBufferImageCopy> image_copies(const PeerImage& image, std::size_t bytes);

}  // namespace heddle::test
