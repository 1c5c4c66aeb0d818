// SPDX-License-Identifier: MIT
#pragma once
// What may be done with images and buffers of a format: what texture unit, render target, typed messages and transfers
// can do (VKF-5, VKF-6).

#include "image/vulkan_formats.hpp"

namespace heddle::pipeline {

/// One member for each bit of VkFormatFeatureFlagBits2 that can be set here, with its name.
struct FormatFeatures {
  // images
  bool sampled_image = false, sampled_image_filter_linear = false, sampled_image_filter_minmax = false,
       sampled_image_depth_comparison = false, storage_image = false, storage_image_atomic = false,
       color_attachment = false, color_attachment_blend = false, depth_stencil_attachment = false, blit_src = false,
       blit_dst = false, transfer_src = false, transfer_dst = false, midpoint_chroma_samples = false,
       cosited_chroma_samples = false, sampled_image_ycbcr_conversion_linear_filter = false,
       separate_reconstruction_filter = false, explicit_reconstruction_forceable = false, disjoint = false,
       fragment_shading_rate_attachment = false;
  // buffers
  bool uniform_texel_buffer = false, storage_texel_buffer = false, storage_texel_buffer_atomic = false,
       vertex_buffer = false;
  // both
  bool storage_read_without_format = false, storage_write_without_format = false;

  /// The image bits with the values of VkFormatFeatureFlagBits2; the buffer bits.
  [[nodiscard]] std::uint64_t image_bits() const;
  [[nodiscard]] std::uint64_t buffer_bits() const;
};

/// Of optimal and of linear tiling alike: memory is linear here.
[[nodiscard]] FormatFeatures format_features(const image::VulkanFormat& format);

}  // namespace heddle::pipeline
