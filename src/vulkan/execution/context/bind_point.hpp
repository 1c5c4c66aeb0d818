// SPDX-License-Identifier: MIT
#pragma once
// What is bound for dispatches, and for draws: a pipeline and its descriptor sets.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "vulkan/device/properties/limits.hpp"
#include "vulkan/execution/context/placed_set.hpp"
#include "vulkan/objects/descriptors/descriptor_set.hpp"
#include "vulkan/pipelines/pipeline.hpp"
#include "vulkan/pipelines/shader_object.hpp"

namespace heddle::vulkan {

struct BoundSet {
  DescriptorSet* set = nullptr;
  PlacedSet* placed = nullptr;         ///< whose bytes `set` is read from; null: it needs no reading
  std::vector<std::uint32_t> offsets;  ///< of its dynamic descriptors
};

struct BindPoint {
  Pipeline* pipeline = nullptr;
  BoundShaders shaders;  ///< what draws are linked of where there is no pipeline
  std::array<BoundSet, kMaxSets> sets;
  // Of the few sets that are pushed, or lie in buffers; null: none was yet.
  std::array<std::unique_ptr<DescriptorSet>, kMaxSets> pushed;
  std::array<std::unique_ptr<PlacedSet>, kMaxSets> placed;

  /// Nothing is bound any more.
  void reset();
  /// Element `k` of a slot; null: no set that is bound has it.
  [[nodiscard]] Descriptor* find(const Shader::Slot& slot, std::uint32_t k) const;
};

}  // namespace heddle::vulkan
