// SPDX-License-Identifier: MIT
#pragma once
// Samplers followed through descriptors: a set whose layout has samplers gets a hidden uniform buffer with a record for
// each of them, which is written when the descriptor is.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

#include "layer/rewriter/sampler_record.hpp"

namespace heddle::layer {

struct Device;

/// Drivers may give equal samplers one handle.
struct KnownSampler {
  SamplerRecord record{};
  std::uint32_t count = 0;
};

/// A binding that has samplers.
struct LayoutBinding {
  std::uint32_t binding = 0, count = 0;
  std::vector<SamplerRecord> constants;  ///< immutable samplers
  std::uint32_t first_record = 0;
};

struct SetLayout {
  std::vector<LayoutBinding> samplers;  ///< by binding
  std::uint32_t records = 0;
  std::optional<std::uint32_t> hidden;  ///< binding of the buffer
  [[nodiscard]] const LayoutBinding* find(std::uint32_t binding) const;
};

/// Room for the records of one set.
struct RecordSlice {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize offset = 0, size = 0;
  std::uint8_t* bytes = nullptr;
};

/// Host-visible buffers that all descriptor sets of a device share. Slices have sizes of powers of two; one that comes
/// back serves the next set of its size. Calls hold Device::mutex.
class RecordMemory {
 public:
  explicit RecordMemory(const Device& device) : device_(device) {}
  RecordMemory(const RecordMemory&) = delete;
  RecordMemory& operator=(const RecordMemory&) = delete;

  [[nodiscard]] VkResult allocate(std::uint32_t records, RecordSlice& slice);
  void give_back(const RecordSlice& slice);
  /// Frees all. Whoever destroys the device calls it before.
  void clear();

 private:
  struct Block {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    std::uint8_t* bytes = nullptr;
    VkDeviceSize size = 0, used = 0;
  };
  struct SizeClass {
    std::vector<RecordSlice> free;  ///< has room for all that were made
    std::size_t made = 0;
  };
  [[nodiscard]] VkResult make_slice(VkDeviceSize size, RecordSlice& slice);
  [[nodiscard]] VkResult add_block(VkDeviceSize least);
  [[nodiscard]] VkResult fill_block(Block& block) const;
  void destroy(const Block& block) const;

  const Device& device_;
  std::vector<Block> blocks_;
  std::map<VkDeviceSize, SizeClass> classes_;
};

/// A descriptor pool, and those of its sets that have records.
struct RecordPool {
  bool frees = false;  ///< its sets are freed one by one
  std::unordered_set<VkDescriptorSet> sets;
};

struct RecordSet {
  std::shared_ptr<const SetLayout> layout;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  RecordSlice slice;
};

/// The entries of a template that write samplers.
struct UpdateTemplate {
  std::vector<VkDescriptorUpdateTemplateEntry> entries;
};

[[nodiscard]] inline bool has_sampler(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_SAMPLER || type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
}

}  // namespace heddle::layer
