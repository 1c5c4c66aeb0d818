// SPDX-License-Identifier: MIT
#include "vulkan/execution/context/placed_set.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "vulkan/device/properties/limits.hpp"
#include "vulkan/objects/descriptors/stored_descriptor.hpp"

namespace heddle::vulkan {

void PlacedSet::place(std::shared_ptr<const SetLayout> layout, std::uint64_t address) {
  placed_ = machine::new_identity();
  address_ = address;
  if (set_.layout != nullptr && (set_.layout == layout || *set_.layout == *layout)) return;
  set_.layout = std::move(layout);
  forget_all();
}

/// Zeros are null descriptors, which an empty one is.
void PlacedSet::forget_all() {
  const SetLayout& layout = *set_.layout;
  set_.descriptors.assign(layout.descriptors, {});
  seen_.assign(static_cast<std::size_t>(layout.stored), std::uint8_t{0});
  for (const auto& [number, binding] : layout.bindings)
    for (std::size_t k = 0; k < binding.immutable.size(); ++k)
      set_.descriptors[binding.first + k].sampler = binding.immutable[k];
  unresolved_ = 0;
  placed_ = machine::new_identity();  // shaders read all of it again
  ++set_.changes;
}

/// As far as the allocation goes that has the set's address.
std::span<std::uint8_t> PlacedSet::bytes_at(const Device& device, std::uint64_t place, std::uint64_t bytes) const {
  if (place > UINT64_MAX - address_) return {};
  const machine::MemoryRange* found = device.addresses->find(address_ + place, 1);
  if (found == nullptr) return {};
  const std::uint64_t offset = address_ + place - found->address;
  return {found->data + offset, static_cast<std::size_t>(std::min(bytes, found->size - offset))};
}

/// A block of bytes is its own descriptor: shaders read them where they lie.
void PlacedSet::read_block(const Device& device, const SetLayout::Binding& binding) {
  Descriptor now;
  if (const machine::MemoryRange* found = device.addresses->find(address_ + binding.place, 1)) {
    now.memory = std::static_pointer_cast<image::Memory>(found->owner);
    now.offset = address_ + binding.place - found->address;
    now.range = binding.bytes;
  }
  Descriptor& to = set_.descriptors[binding.first];
  if (to.memory == now.memory && to.offset == now.offset && to.range == now.range) return;
  to = std::move(now);
  ++set_.changes;
}

std::span<const std::uint8_t> PlacedSet::read(const Device& device, std::uint32_t number, std::uint32_t element,
                                              std::uint32_t count) {
  // What showed nothing may show something since, and what showed something may be gone.
  const DescriptorObjects& objects = device.descriptor_objects;
  const bool arrived = std::exchange(arrivals_, objects.arrivals) != objects.arrivals;
  const bool departed = std::exchange(departures_, objects.departures) != objects.departures;
  if (departed || (arrived && unresolved_ != 0)) forget_all();
  const SetLayout::Binding* binding = set_.layout->find(number);
  if (binding == nullptr || binding->stored == 0 || element >= binding->count) return {};
  if (is_inline(binding->type)) {
    read_block(device, *binding);
    return {};
  }
  count = std::min(count, binding->count - element);
  const std::uint64_t stored = binding->stored, first = binding->place + element * stored;
  const std::span<const std::uint8_t> bytes = bytes_at(device, first, count * stored);
  if (bytes.size() == count * stored && std::memcmp(seen_.data() + first, bytes.data(), bytes.size()) == 0)
    return bytes;
  constexpr std::array<std::uint8_t, kStoredDescriptorBytes> kNothing{};
  for (std::uint32_t k = 0; k < count; ++k) {
    const bool there = (k + 1) * stored <= bytes.size();
    const std::uint8_t* const now = there ? bytes.data() + k * stored : kNothing.data();
    std::uint8_t* const before = seen_.data() + first + k * stored;
    if (std::memcmp(before, now, stored) == 0) continue;
    std::memcpy(before, now, stored);
    const std::size_t at = element + k;
    Descriptor& to = set_.descriptors[binding->first + at];
    // From the copy: the application may change its memory meanwhile.
    read_descriptor(device, {before, static_cast<std::size_t>(stored)}, *binding,
                    at < binding->immutable.size() ? &binding->immutable[at] : nullptr, to);
    const bool of_samplers = binding->types == 1u << VK_DESCRIPTOR_TYPE_SAMPLER;
    if (of_samplers ? !to.sampler : !to.surface && !to.memory) ++unresolved_;
    ++set_.changes;
  }
  return bytes;
}

}  // namespace heddle::vulkan
