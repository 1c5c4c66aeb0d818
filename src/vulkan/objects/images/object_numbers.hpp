// SPDX-License-Identifier: MIT
#pragma once
// Numbers of image views and samplers, which stand for them in descriptor buffers (VK_EXT_descriptor_buffer).

#include "vulkan/device/device.hpp"

namespace heddle::vulkan {

struct ImageView;
struct Sampler;

/// Gives an object its number, where the device stores descriptors. `flags`: whether it is made for a replay; `chain`:
/// of its creation, with the number that it had before. The results of vkCreateImageView and vkCreateSampler.
[[nodiscard]] VkResult number_view(Device& device, ImageView& view, VkImageViewCreateFlags flags, const void* chain);
[[nodiscard]] VkResult number_sampler(Device& device, Sampler& sampler, VkSamplerCreateFlags flags, const void* chain);
void forget_number(Device& device, const ImageView& view);
void forget_number(Device& device, const Sampler& sampler);

}  // namespace heddle::vulkan
