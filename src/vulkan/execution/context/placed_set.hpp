// SPDX-License-Identifier: MIT
#pragma once
// Descriptor sets that lie in the application's memory (VK_EXT_descriptor_buffer): their bytes become descriptors when
// a shader that reads them is bound.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vulkan/device/device.hpp"
#include "vulkan/objects/descriptors/descriptor_set.hpp"

namespace heddle::vulkan {

class PlacedSet {
 public:
  /// A set of this layout lies at `address` from now on.
  void place(std::shared_ptr<const SetLayout> layout, std::uint64_t address);
  /// Makes descriptors of elements of a binding, as its bytes are now; those bytes, as far as there is memory. The
  /// caller holds Device::descriptors.
  std::span<const std::uint8_t> read(const Device& device, std::uint32_t binding, std::uint32_t element,
                                     std::uint32_t count);

  [[nodiscard]] DescriptorSet& set() { return set_; }
  /// Different after each place().
  [[nodiscard]] std::uint64_t placed() const { return placed_; }

 private:
  void forget_all();
  [[nodiscard]] std::span<std::uint8_t> bytes_at(const Device& device, std::uint64_t place, std::uint64_t bytes) const;
  void read_block(const Device& device, const SetLayout::Binding& binding);

  DescriptorSet set_;               ///< what was read last
  std::vector<std::uint8_t> seen_;  ///< the bytes that it was read from
  std::uint64_t address_ = 0, placed_ = 0;
  std::uint64_t unresolved_ = 0;  ///< reads of bytes that said something and showed nothing, since forget_all()
  std::uint64_t arrivals_ = 0, departures_ = 0;  ///< of DescriptorObjects, as they were then
};

}  // namespace heddle::vulkan
